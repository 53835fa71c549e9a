/** What a ledger says: which steps are open, who watched, and whether somebody else took over. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { ToolquakeError } from '@toolquake/sdk/core';
import type { UndoneBy, UndoOutcome, UndoStep } from '../core/undo-step.js';
import { readLedgerLine, type LedgerLine, type LedgerLock } from './ledger-line.js';
import type { Owner } from './owner.js';

/** `open`: it may have been applied. `provisional`: undone, but the runner may still have been applying it. */
export type LedgerStepState = 'open' | 'provisional' | 'closed';

/** One change, as far as the ledger knows. */
export type LedgerStep = {
  readonly step: number;
  readonly action: string;
  readonly name: string;
  readonly undo: UndoStep;
  readonly isApplied: boolean;
  readonly state: LedgerStepState;
  readonly outcome: UndoOutcome | undefined;
};

/** See the module comment. */
export type LedgerContent = {
  readonly run: string | undefined;
  readonly runner: Owner | undefined;
  readonly startedAt: string | undefined;
  readonly deadlineMs: number;
  readonly lock: LedgerLock | undefined;
  readonly warden: Owner | undefined;
  /** In the order in which they were intended. */
  readonly steps: readonly LedgerStep[];
  readonly takeover: { readonly by: UndoneBy; readonly why: string } | undefined;
  readonly isClosed: boolean;
  /** What cannot be known any more. Empty unless somebody changed the file. */
  readonly damage: readonly string[];
  /** Nothing is open, nothing is provisional, nothing is unknown. */
  readonly isClean: boolean;
};

/** Far more than any run writes. */
const MAX_BYTES = 16 * 1024 * 1024;
const DEFAULT_DEADLINE_MS = 5000;

type Book = {
  open?: Extract<LedgerLine, { kind: 'open' }>;
  warden?: Owner;
  takeover?: { by: UndoneBy; why: string };
  isClosed: boolean;
  readonly steps: Map<number, LedgerStep>;
  readonly damage: string[];
};

/** Reads the text of a ledger. Never throws: what makes no sense is told as damage. */
export function parseLedger(text: string): LedgerContent {
  const book: Book = { isClosed: false, steps: new Map(), damage: [] };
  text.split('\n').forEach((line, index) => {
    if (line === '') return;
    const read = readLedgerLine(line);
    if (read.is === 'damaged') book.damage.push(`line ${index + 1}: ${read.why}`);
    if (read.is === 'line') note(book, read.line, index + 1);
  });
  if (book.open === undefined && book.steps.size > 0) book.damage.push('its first line is missing');
  const missing = firstMissing(book.steps);
  if (missing !== undefined) book.damage.push(`step ${missing} is missing`);
  const steps = [...book.steps.values()].sort((one, other) => one.step - other.step);
  return {
    run: book.open?.run,
    runner: book.open?.runner,
    startedAt: book.open?.startedAt,
    deadlineMs: book.open?.deadlineMs ?? DEFAULT_DEADLINE_MS,
    lock: book.open?.lock,
    warden: book.warden,
    steps,
    takeover: book.takeover,
    isClosed: book.isClosed,
    damage: book.damage,
    isClean: book.damage.length === 0 && steps.every(({ state }) => state === 'closed'),
  };
}

/** Of the numbers up to the highest. A file may name any number, so they are not counted up to it. */
function firstMissing(steps: ReadonlyMap<number, LedgerStep>): number | undefined {
  for (let step = 1; step <= steps.size; step++) if (!steps.has(step)) return step;
  return undefined;
}

function note(book: Book, line: LedgerLine, at: number): void {
  const known = 'step' in line ? book.steps.get(line.step) : undefined;
  switch (line.kind) {
    case 'open':
      if (book.open === undefined) book.open = line;
      else book.damage.push(`line ${at}: a second run begins`);
      return;
    case 'watch':
      book.warden = line.warden;
      return;
    case 'takeover':
      book.takeover ??= { by: line.by, why: line.why };
      return;
    case 'close':
      book.isClosed = true;
      return;
    case 'intent':
      if (known !== undefined || line.step < 1) return void book.damage.push(`line ${at}: step ${line.step} makes no sense here`);
      book.steps.set(line.step, { ...line, isApplied: false, state: 'open', outcome: undefined });
      return;
    case 'applied':
      if (known === undefined) return void book.damage.push(`line ${at}: step ${line.step} was applied and never intended`);
      // Also after an outcome: the change was made when the undo was already over, so it must be undone again.
      book.steps.set(line.step, { ...known, isApplied: true, state: 'open' });
      return;
    case 'outcome': {
      if (known === undefined) return void book.damage.push(`line ${at}: step ${line.step} was undone and never intended`);
      const { action, name } = known;
      const outcome = { step: line.step, action, name, state: line.state, tookMs: line.tookMs, by: line.by };
      const state = line.state.is === 'not-undone' ? 'open' : line.isProvisional === true ? 'provisional' : 'closed';
      book.steps.set(line.step, { ...known, state, outcome });
    }
  }
}

/**
 * Reads a ledger from disk. What it says is done with our rights, so one that others own or may write to is refused;
 * a link in its place as well.
 */
export function readLedger(path: string): LedgerContent {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw new Error('it is no file');
    if (process.getuid !== undefined && status.uid !== process.getuid()) throw new Error(`it belongs to another user (${status.uid})`);
    if ((status.mode & 0o022) !== 0) throw new Error('other users may write to it');
    if (status.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return parseLedger(readFileSync(descriptor, 'utf8'));
  } catch (cause) {
    throw new ToolquakeError('UNREADABLE', {
      message: `The ledger ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
      advice: 'What it was to undo is not known. Look what the run changed, put it back by hand, then run "toolquake undo RUN --forget".',
      cause,
    });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
