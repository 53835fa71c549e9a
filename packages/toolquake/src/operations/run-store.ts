/** Runs on disk, below `.toolquake/runs/`: one folder each, which nobody ever changes once the run is over. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { suggest, ToolquakeError } from '@toolquake/sdk/core';
import type { Acknowledgement, RunSummary } from '../core/run-summary.js';
import { summaryOf } from './run-summary.js';

/** Names in the folder of a run. */
export const RUN_FILES = {
  text: 'experiment.yaml',
  journal: 'journal.jsonl',
  ledger: 'ledger.jsonl',
  stop: 'stop',
  acknowledgements: 'acknowledgements.jsonl',
} as const;

/** The folder that holds the runs of a project. */
export const runsFolder = (root: string): string => join(root, '.toolquake', 'runs');

const RUN_ID = /^\d{8}-\d{6}-[a-z0-9-]{1,64}-[0-9a-f]{4}$/;

/** `20261119-014312-block-database-3f9a`: sorts by time, and is said aloud. */
export function newRunId(experiment: string, now: Date): string {
  const [day = '', clock = ''] = now.toISOString().slice(0, 19).split('T');
  return `${day.replaceAll('-', '')}-${clock.replaceAll(':', '')}-${experiment.slice(0, 64)}-${randomBytes(2).toString('hex')}`;
}

/** A run that begins. */
export type CreatedRun = { readonly runId: string; readonly folder: string; readonly journal: string; readonly ledger: string };

/** Makes the folder of a run, with the experiment as it is now. Refuses a folder that exists. */
export function createRun(root: string, runId: string, text: string): CreatedRun {
  if (!RUN_ID.test(runId)) throw new ToolquakeError('BAD_ARGUMENT', { message: `"${runId}" is no id of a run.` });
  const folder = join(runsFolder(root), runId);
  try {
    mkdirSync(runsFolder(root), { recursive: true });
    mkdirSync(folder);
    writeFileSync(join(folder, RUN_FILES.text), text, { flag: 'wx' });
  } catch (cause) {
    throw notWritable(folder, cause);
  }
  return { runId, folder, journal: join(folder, RUN_FILES.journal), ledger: join(folder, RUN_FILES.ledger) };
}

/** Every run, oldest first. Folders of others, empty ones and torn journals are passed over. */
export async function listRuns(root: string): Promise<readonly RunSummary[]> {
  const summaries: RunSummary[] = [];
  for (const runId of runIds(root)) {
    const summary = await summaryIn(root, runId);
    if (summary !== undefined) summaries.push(summary);
  }
  return summaries;
}

/** One run with where its files are. */
export type StoredRun = {
  readonly summary: RunSummary;
  readonly folder: string;
  readonly journal: string;
  /** The experiment as it was; undefined when the file is gone. */
  readonly text: string | undefined;
};

/** The run of an id or of the beginning of one; `last` is the newest. */
export async function readRun(root: string, idOrPrefix: string): Promise<StoredRun> {
  const known = runIds(root);
  const found = idOrPrefix === 'last' ? known.slice(-1) : known.filter((id) => id.startsWith(idOrPrefix));
  const [runId] = known.includes(idOrPrefix) ? [idOrPrefix] : found;
  if (runId === undefined) {
    const advice = known.length === 0 ? 'There are no runs here yet.' : suggest(idOrPrefix, known.slice(-5).toReversed());
    throw new ToolquakeError('BAD_ARGUMENT', { message: `There is no run "${idOrPrefix}" in ${runsFolder(root)}.`, advice });
  }
  if (found.length > 1 && runId !== idOrPrefix) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `"${idOrPrefix}" is the beginning of ${found.length} runs.`,
      advice: `Say more of it: ${found.slice(-5).join(', ')}.`,
    });
  }
  const summary = await summaryIn(root, runId);
  const folder = join(runsFolder(root), runId);
  if (summary === undefined) {
    throw new ToolquakeError('UNREADABLE', {
      message: `Run ${runId} has no journal: it ended before it began.`,
      advice: `Look into ${folder}. "toolquake leftovers" says whether it left anything behind.`,
    });
  }
  const text = join(folder, RUN_FILES.text);
  return { summary, folder, journal: join(folder, RUN_FILES.journal), text: existsSync(text) ? readFileSync(text, 'utf8') : undefined };
}

/** Writes down that a person read what a run found. The journal stays as it is. */
export async function acknowledgeRun(root: string, idOrPrefix: string, who: string, why: string, now: Date): Promise<RunSummary> {
  const { summary, folder } = await readRun(root, idOrPrefix);
  for (const [name, text] of [
    ['who', who],
    ['why', why],
  ] as const) {
    if (text.trim() === '') throw new ToolquakeError('BAD_ARGUMENT', { message: `An acknowledgement needs to say ${name}.` });
  }
  const acknowledged: Acknowledgement = { who, why, at: now.toISOString() };
  try {
    appendFileSync(join(folder, RUN_FILES.acknowledgements), `${JSON.stringify(acknowledged)}\n`);
  } catch (cause) {
    throw notWritable(folder, cause);
  }
  return { ...summary, acknowledged };
}

/** Names of folders that are ours; ids sort by time. */
function runIds(root: string): readonly string[] {
  try {
    return readdirSync(runsFolder(root), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && RUN_ID.test(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ToolquakeError('UNREADABLE', { message: `${runsFolder(root)} cannot be read: ${(error as Error).message}.`, cause: error });
  }
}

async function summaryIn(root: string, runId: string): Promise<RunSummary | undefined> {
  const folder = join(runsFolder(root), runId);
  const journal = join(folder, RUN_FILES.journal);
  if (!existsSync(journal)) return undefined;
  const summary = await summaryOf(runId, journal);
  return summary === undefined ? undefined : { ...summary, acknowledged: lastAcknowledgement(join(folder, RUN_FILES.acknowledgements)) };
}

function lastAcknowledgement(path: string): Acknowledgement | undefined {
  if (!existsSync(path)) return undefined;
  for (const line of readFileSync(path, 'utf8').trimEnd().split('\n').toReversed()) {
    try {
      const { who, why, at } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (typeof who === 'string' && typeof why === 'string' && typeof at === 'string') return { who, why, at };
    } catch {
      // A torn line acknowledges nothing; an earlier one may.
    }
  }
  return undefined;
}

function notWritable(folder: string, cause: unknown): ToolquakeError {
  return new ToolquakeError('NOT_WRITABLE', {
    message: `The run cannot be written to ${folder}: ${cause instanceof Error ? cause.message : String(cause)}.`,
    advice: 'Make the folder writable, or work in another one.',
    cause,
  });
}
