/** Reads a file of limited size, with errors that name it. */
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { nearestWord, ToolquakeError } from '@toolquake/sdk/core';

/** Plans are written by people: a megabyte of rules is a mistake, or an attack. */
const MAX_PLAN_BYTES = 1024 * 1024;

/** The text of a plan file; UTF-8 with or without a byte order mark. Pipes work too. */
export async function readPlanFile(path: string): Promise<string> {
  const bytes = await readBytes(path);
  if (bytes.length > MAX_PLAN_BYTES) {
    throw new ToolquakeError('TOO_LARGE', {
      message: `${path} is larger than ${MAX_PLAN_BYTES / 1024} KiB, too large for a plan.`,
      advice: 'Is it the right file?',
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ToolquakeError('BAD_SYNTAX', {
      message: `${path} is not UTF-8 text.`,
      advice: 'Is it the right file? Save it as UTF-8.',
      cause,
    });
  }
}

async function readBytes(path: string): Promise<Buffer> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const chunks: Buffer[] = [];
    let size = 0;
    // Not by the size that the file states: a device or a pipe states none.
    while (size <= MAX_PLAN_BYTES) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(65_536), 0, 65_536, null);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
    return Buffer.concat(chunks);
  } catch (cause) {
    throw await unreadable(path, cause as NodeJS.ErrnoException);
  } finally {
    await file?.close();
  }
}

async function unreadable(path: string, cause: NodeJS.ErrnoException): Promise<ToolquakeError> {
  if (cause.code === 'ENOENT') {
    const near = await similarFile(path);
    return new ToolquakeError('UNREADABLE', {
      message: `${path} does not exist.`,
      advice: near === undefined ? undefined : `Did you mean "${near}"?`,
      cause,
    });
  }
  const why = cause.code === 'EISDIR' ? 'it is a folder' : cause.code === 'EACCES' ? 'permission denied' : (cause.code ?? cause.message);
  return new ToolquakeError('UNREADABLE', {
    message: `${path} cannot be read: ${why}.`,
    advice: cause.code === 'EISDIR' ? 'Name a file in it.' : undefined,
    cause,
  });
}

async function similarFile(path: string): Promise<string | undefined> {
  try {
    const near = nearestWord(basename(path), await readdir(dirname(path)));
    return near === undefined ? undefined : `${path.slice(0, path.length - basename(path).length)}${near}`;
  } catch {
    // No folder, no advice: the error that we were called for says enough.
    return undefined;
  }
}
