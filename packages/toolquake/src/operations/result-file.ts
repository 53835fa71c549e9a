/** Where a result goes: to stdout, or with `--out` to a file. */
import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';

/** A place for one result. */
export type ResultFile = { write(text: string): void };

/** Looks at the place for a result before the work starts, so that a wrong path costs nothing. Without a path it is `stdout`. */
export function openResult(path: string | undefined, stdout: { write(text: string): unknown }): ResultFile {
  if (path === undefined) return { write: (text) => void stdout.write(text) };
  const refused = (cause: unknown): ToolquakeError =>
    new ToolquakeError('NOT_WRITABLE', {
      message: `The result cannot be written to ${path}: ${cause instanceof Error ? cause.message : String(cause)}.`,
      advice: 'Name a file in an existing folder that you may write to.',
      cause,
    });
  try {
    const existing = statSync(path, { throwIfNoEntry: false });
    if (existing?.isDirectory() === true) throw new Error('it is a folder');
    accessSync(existing === undefined ? dirname(path) : path, constants.W_OK);
  } catch (cause) {
    throw refused(cause);
  }
  return {
    write(text) {
      try {
        writeFileSync(path, text);
      } catch (cause) {
        throw refused(cause);
      }
    },
  };
}
