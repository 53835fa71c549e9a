/** Asks the person at the terminal. Not stdin: what a program or a model can pipe into us is no decision of a person. */
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import { ToolquakeError } from '@toolquake/sdk/core';

/** True when the person typed exactly the phrase. Throws `NOT_ALLOWED` where no terminal belongs to us. */
export async function isTypedOnTerminal(question: string, phrase: string, signal: AbortSignal): Promise<boolean> {
  const [input, output] = openTerminal();
  const lines = createInterface({ input, output });
  try {
    return (await lines.question(`${question}\nType "${phrase}" to go on: `, { signal })).trim() === phrase;
  } finally {
    lines.close();
    input.destroy();
    output.destroy();
  }
}

function openTerminal(): readonly [ReadStream, WriteStream] {
  let reading: number | undefined;
  try {
    reading = openSync('/dev/tty', 'r');
    return [new ReadStream(reading), new WriteStream(openSync('/dev/tty', 'w'))];
  } catch (cause) {
    if (reading !== undefined) closeSync(reading);
    throw new ToolquakeError('NOT_ALLOWED', {
      message: 'Only a person may decide this, and there is no terminal to ask one.',
      advice: 'Run it in a terminal.',
      cause,
    });
  }
}
