/** The lines of a file of any size, one after the other, in a fixed amount of memory. */
import { createReadStream, statSync } from 'node:fs';
import { ToolquakeError } from '@toolquake/sdk/core';

/** A line longer than this is no journal entry. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

/** What reading tells. */
export type LineListener = {
  /** `text` is undefined for a line that was too long to look at. The last line has no end when it was torn. */
  onLine(text: string | undefined, number: number, hasEnd: boolean): void;
  /** Bytes read so far. */
  onBytes?(count: number): void;
};

/** Size in bytes, or an error that says what is wrong with the path. */
export function sizeOf(path: string): number {
  try {
    const status = statSync(path);
    if (status.isDirectory()) throw new Error('it is a folder');
    return status.size;
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Reads a file from start to end. */
export async function readLines(path: string, listener: LineListener, signal?: AbortSignal): Promise<void> {
  let rest = '';
  let isTooLong = false;
  let number = 0;
  let bytes = 0;
  const decoder = new TextDecoder();
  const tell = (text: string, hasEnd: boolean): void => {
    number++;
    listener.onLine(isTooLong || text.length > MAX_LINE_CHARACTERS ? undefined : text, number, hasEnd);
    isTooLong = false;
  };
  const take = (text: string): void => {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      tell(rest + text.slice(from, end), true);
      rest = '';
      from = end + 1;
    }
    rest += text.slice(from);
    if (rest.length <= MAX_LINE_CHARACTERS) return;
    isTooLong = true;
    rest = '';
  };
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      take(decoder.decode(chunk, { stream: true }));
      listener.onBytes?.(bytes);
    }
  } catch (cause) {
    signal?.throwIfAborted();
    throw unreadable(path, cause);
  }
  take(decoder.decode());
  if (rest !== '' || isTooLong) tell(rest, false);
}

function unreadable(path: string, cause: unknown): ToolquakeError {
  if (cause instanceof ToolquakeError) return cause;
  const isMissing = (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  return new ToolquakeError('UNREADABLE', {
    message: isMissing ? `${path} does not exist.` : `${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
    advice: 'Name a journal: what "--journal FILE" of a proxy or of "toolquake simulate" wrote.',
    cause,
  });
}
