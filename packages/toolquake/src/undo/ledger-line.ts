/** The lines of a ledger. Each carries a checksum of itself, so that a line that was cut or changed is never acted on. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import type { UndoneBy, UndoState, UndoStep } from '../core/undo-step.js';
import { readOwner, type Owner } from './owner.js';

/** The lock on the server that a run holds. */
export type LedgerLock = { readonly directory: string; readonly token: number };

/** What a line says. */
export type LedgerLine =
  | {
      readonly kind: 'open';
      readonly run: string;
      readonly runner: Owner;
      readonly startedAt: string;
      readonly deadlineMs: number;
      readonly lock?: LedgerLock | undefined;
    }
  /** A warden watches from now on. */
  | { readonly kind: 'watch'; readonly warden: Owner }
  | { readonly kind: 'intent'; readonly step: number; readonly action: string; readonly name: string; readonly undo: UndoStep }
  | { readonly kind: 'applied'; readonly step: number }
  /** Somebody undoes in the place of the runner, which may apply nothing any more. */
  | { readonly kind: 'takeover'; readonly by: UndoneBy; readonly why: string }
  | {
      readonly kind: 'outcome';
      readonly step: number;
      readonly by: UndoneBy;
      readonly state: UndoState;
      readonly tookMs: number;
      /** The runner may still be in the middle of applying it, so it is looked at again when that is over. */
      readonly isProvisional?: true | undefined;
    }
  | { readonly kind: 'close'; readonly by: UndoneBy };

/** What reading a line gave. `torn`: cut short by a kill, so its promise was never made. `damaged`: changed afterwards. */
export type ReadLine =
  | { readonly is: 'line'; readonly line: LedgerLine }
  | { readonly is: 'torn' }
  | { readonly is: 'damaged'; readonly why: string };

const VERSION = 1;
const UNDOERS: readonly string[] = ['runner', 'warden', 'sweep', 'person'] satisfies readonly UndoneBy[];
const CHECKED = /^(\{.*),"sum":"([0-9a-f]{16})"\}$/;

const sumOf = (body: string): string => createHash('sha256').update(body).digest('hex').slice(0, 16);

/** The text of a line, with its end. */
export function ledgerLineText(line: LedgerLine): string {
  const body = JSON.stringify({ v: VERSION, ...line });
  return `${body.slice(0, -1)},"sum":"${sumOf(body)}"}\n`;
}

/** Reads one line without its end. Never throws. */
export function readLedgerLine(text: string): ReadLine {
  const [, head, sum] = CHECKED.exec(text) ?? [];
  // A line that was cut lost its checksum, which stands last.
  if (head === undefined) return text.endsWith('"}') ? { is: 'damaged', why: 'its checksum is missing' } : { is: 'torn' };
  const body = `${head}}`;
  if (sumOf(body) !== sum) return { is: 'damaged', why: 'its checksum is wrong' };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { is: 'damaged', why: 'it is not JSON' };
  }
  if (!isObject(value)) return { is: 'damaged', why: 'it is not an object' };
  if (value['v'] !== VERSION) return { is: 'damaged', why: `it was written by another version (${String(value['v']).slice(0, 20)})` };
  const line = lineOf(value);
  return line === undefined
    ? { is: 'damaged', why: `its kind is not known (${String(value['kind']).slice(0, 40)})` }
    : { is: 'line', line };
}

function lineOf(value: JsonObject): LedgerLine | undefined {
  const { kind, step, run, action, name, undo, by, why, deadlineMs, startedAt } = value;
  switch (kind) {
    case 'open': {
      const runner = readOwner(value['runner']);
      const lock = lockOf(value['lock']);
      if (runner === undefined || !isText(run) || !isCount(deadlineMs) || !isText(startedAt)) return undefined;
      return { kind, run, runner, deadlineMs, startedAt, ...(lock === undefined ? {} : { lock }) };
    }
    case 'watch': {
      const warden = readOwner(value['warden']);
      return warden === undefined ? undefined : { kind, warden };
    }
    case 'intent':
      if (!isCount(step) || !isText(action) || !isText(name) || !isObject(undo) || !isText(undo['kind'])) return undefined;
      return isObject(undo['data']) ? { kind, step, action, name, undo: { kind: undo['kind'], data: undo['data'] } } : undefined;
    case 'applied':
      return isCount(step) ? { kind, step } : undefined;
    case 'takeover':
      return isUndoer(by) && isText(why) ? { kind, by, why } : undefined;
    case 'outcome': {
      const state = stateOf(value['state']);
      if (!isCount(step) || !isUndoer(by) || state === undefined) return undefined;
      const tookMs = Number(value['tookMs']) || 0;
      return { kind, step, by, state, tookMs, ...(value['isProvisional'] === true ? { isProvisional: true as const } : {}) };
    }
    case 'close':
      return isUndoer(by) ? { kind, by } : undefined;
    default:
      return undefined;
  }
}

function stateOf(value: unknown): UndoState | undefined {
  if (!isObject(value)) return undefined;
  const { is, proof, why } = value;
  if ((is === 'undone' || is === 'gone') && isText(proof)) return { is, proof };
  return is === 'not-undone' && isText(why) ? { is, why } : undefined;
}

function lockOf(value: unknown): LedgerLock | undefined {
  if (!isObject(value)) return undefined;
  const { directory, token } = value;
  return isText(directory) && isCount(token) ? { directory, token } : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isUndoer = (value: unknown): value is UndoneBy => UNDOERS.includes(value as string);
