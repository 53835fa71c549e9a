/** Asks the person at the terminal. Not stdin: what a program or a model can pipe into us is no decision of a person. */
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import { ToolquakeError } from '@toolquake/sdk/core';

/** True when the person typed exactly the phrase. Throws `NOT_ALLOWED` where no terminal belongs to us. */
export async function isTypedOnTerminal(question: string, phrase: string, signal: AbortSignal): Promise<boolean> {
  const [input, output] = openTerminal();
  try {
    return (await typedLine(`${question}\nType "${phrase}" to go on: `, { input, output, signal })) === phrase;
  } finally {
    input.destroy();
    output.destroy();
  }
}

/** What a terminal is asked through. */
type Terminal = { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream; readonly signal: AbortSignal };

/** The line that was typed. Nothing where the person closed the terminal (Ctrl-D); rejects when the signal aborts (Ctrl-C). */
export async function typedLine(question: string, { input, output, signal }: Terminal): Promise<string> {
  const lines = createInterface({ input, output });
  // A terminal that is read letter by letter makes a letter of Ctrl-C: nobody else would hear of it.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = new Promise<string>((resolve) => void lines.once('close', () => resolve('')));
  try {
    return (await Promise.race([lines.question(question, { signal }), closed])).trim();
  } catch (error) {
    signal.throwIfAborted();
    if ((error as Error).name === 'AbortError') return '';
    throw error;
  } finally {
    lines.close();
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
