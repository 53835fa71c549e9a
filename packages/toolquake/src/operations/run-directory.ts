/**
 * A run directory: proxies that share it each write a journal of their own there, and `report` reads them as one.
 * No two processes share a file, so nothing can mix, whoever is killed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import { ownOperationKey, sharedOperationKey } from './operation-key.js';

/** The variables by which a task reaches the proxies that are started below it. */
export const RUN_DIRECTORY_VARIABLE = 'TOOLQUAKE_RUN_DIR';
/** See above: the name of the task. */
export const TASK_VARIABLE = 'TOOLQUAKE_TASK';

/** Where a live run writes, and what it shares with others. */
export type JournalPlace = {
  readonly path: string | undefined;
  /** Undefined where nothing is written. */
  readonly operationKey: Uint8Array | undefined;
  /** For the start entry. */
  readonly shared: { readonly group?: string; readonly task?: string };
};

/** Finds the place: the file that was named, else a new file in the run directory, else none. */
export function journalPlace(options: {
  readonly journalPath?: string | undefined;
  readonly runDirectory?: string | undefined;
  readonly transport: string;
  readonly target?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}): JournalPlace {
  const { journalPath, env } = options;
  if (journalPath !== undefined && options.runDirectory !== undefined) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: '--journal and --run-dir were both given: a run has one journal.',
      advice: 'Leave out --journal; the run directory gets a file of its own for every process.',
    });
  }
  const directory = options.runDirectory ?? nonEmpty(env[RUN_DIRECTORY_VARIABLE]);
  if (directory === undefined)
    return { path: journalPath, operationKey: journalPath === undefined ? undefined : ownOperationKey(), shared: {} };
  const task = nonEmpty(env[TASK_VARIABLE]);
  const file = fileIn(directory, options.target ?? options.transport);
  return {
    path: journalPath ?? file,
    operationKey: sharedOperationKey(directory),
    shared: { group: groupOf(directory), ...(task === undefined ? {} : { task }) },
  };
}

/** A path in a run directory that no other process uses. Makes the directory. */
export function fileIn(directory: string, name: string): string {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw new ToolquakeError('NOT_WRITABLE', {
      message: `The run directory ${directory} cannot be made: ${cause instanceof Error ? cause.message : String(cause)}.`,
      advice: 'Name a folder that you may write to.',
      cause,
    });
  }
  const safe = name.replaceAll(/[^\w.-]+/g, '_').slice(0, 80);
  // A process id may come again, in another container even at the same time.
  return join(directory, `${safe}-${process.pid}-${randomBytes(3).toString('hex')}.jsonl`);
}

/** What journals of one run directory have in common, also after it was moved. */
export function groupOf(directory: string): string {
  const path = resolve(directory);
  return `${basename(path)}-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`;
}

/** The journals in a run directory, in the order of their names. */
export function journalsIn(directory: string): readonly string[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  if (names.length === 0) {
    throw new ToolquakeError('UNREADABLE', {
      message: `There is no journal in ${directory}.`,
      advice: 'A run directory holds the .jsonl files that proxies with "--run-dir" and "toolquake task" wrote.',
    });
  }
  return names.sort().map((name) => join(directory, name));
}

const nonEmpty = (text: string | undefined): string | undefined => (text === undefined || text === '' ? undefined : text);
