/** Undoes one step and looks whether the world is as it was: in its time, and without believing what the undo says. */
import type { UndoKind, UndoState } from '../core/undo-step.js';
import { hostMs } from '../workers/host-clock.js';
import type { FaultPoints } from './fault-points.js';
import type { LedgerStep } from './read-ledger.js';

/** The catalogue of ways of undoing, by any names. */
export type UndoKinds = Readonly<Record<string, UndoKind>>;

/** What undoing needs. */
export type UndoOneStepOptions = {
  readonly kinds: UndoKinds;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For the undo, and again for the look afterwards. */
  readonly deadlineMs: number;
  readonly points: FaultPoints;
};

const kindOf = (kinds: UndoKinds, word: string): UndoKind | undefined => Object.values(kinds).find(({ kind }) => kind === word);

/** Never rejects: an undo that fails, hangs or lies is a state of the step. */
export async function undoOneStep(
  { step, undo }: LedgerStep,
  options: UndoOneStepOptions,
): Promise<{ readonly state: UndoState; readonly tookMs: number }> {
  const { kinds, env, deadlineMs, points } = options;
  const startedMs = hostMs();
  const done = (state: UndoState): { state: UndoState; tookMs: number } => ({ state, tookMs: Math.round(hostMs() - startedMs) });
  const kind = kindOf(kinds, undo.kind);
  if (kind === undefined) {
    return done({
      is: 'not-undone',
      why: `no undo "${undo.kind}" in this version: a newer one wrote the ledger. Undo it with that version`,
    });
  }
  points.pass(`undo ${step} before`);
  const undone = await inTime(deadlineMs, (signal) => kind.undo(undo.data, { env, signal }));
  points.pass(`undo ${step} after`);
  return done(await verified(kind, undo.data, options, undone.is === 'failed' ? undone.why : undefined));
}

/** Only looks, changes nothing. */
export async function lookAtStep({ undo }: LedgerStep, options: UndoOneStepOptions): Promise<UndoState> {
  const kind = kindOf(options.kinds, undo.kind);
  return kind === undefined
    ? { is: 'not-undone', why: `no undo "${undo.kind}" in this version` }
    : verified(kind, undo.data, options, undefined);
}

async function verified(
  kind: UndoKind,
  data: LedgerStep['undo']['data'],
  { env, deadlineMs }: UndoOneStepOptions,
  complaint: string | undefined,
): Promise<UndoState> {
  const looked = await inTime(deadlineMs, (signal) => kind.verify(data, { env, signal }));
  const because = complaint === undefined ? '' : `; the undo itself failed: ${complaint}`;
  if (looked.is === 'failed') return { is: 'not-undone', why: `whether it is undone cannot be seen: ${looked.why}${because}` };
  const state = looked.value;
  // The world counts: what somebody else took back before us is undone, though our own undo complained.
  return state.is === 'not-undone' ? { is: 'not-undone', why: `${state.why}${because}` } : state;
}

type Ended<Value> = { readonly is: 'done'; readonly value: Value } | { readonly is: 'failed'; readonly why: string };

async function inTime<Value>(deadlineMs: number, work: (signal: AbortSignal) => Promise<Value>): Promise<Ended<Value>> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Ended<Value>>((resolve) => {
    timer = setTimeout(() => {
      resolve({ is: 'failed', why: `it took longer than ${deadlineMs} ms` });
      controller.abort(new Error(`The deadline of ${deadlineMs} ms is over.`));
    }, deadlineMs);
  });
  const worked = (async (): Promise<Ended<Value>> => {
    try {
      return { is: 'done', value: await work(controller.signal) };
    } catch (error) {
      return { is: 'failed', why: (error instanceof Error ? error.message : String(error)).slice(0, 500) };
    }
  })();
  try {
    return await Promise.race([worked, late]);
  } finally {
    clearTimeout(timer);
  }
}
