/** Asks whether a write that nobody answered for happened, and says how far the answer can be trusted. */
import type { Clock } from '../core/clock.js';
import type { CallFailure } from './call-failure.js';
import { within } from './deadline.js';
import type { Operation } from './operation.js';
import type { ReadBack } from './tool-contract.js';

/** `isFinal`: nothing is on its way any more, so what did not happen will not. */
export type Finding<Result> = { readonly said: ReadBack<Result>; readonly isFinal: boolean };

const UNKNOWN = { said: { happened: 'unknown' }, isFinal: false } as const;

/** Undefined when the contract has nobody to ask. */
export async function askReadBack<Result>(
  { contract, call, key, deadline }: Operation<Result>,
  failure: CallFailure,
  sentAtMs: number,
  clock: Clock,
): Promise<Finding<Result> | undefined> {
  if (contract.kind !== 'write' || contract.readBack === undefined) return undefined;
  const { readBack, landsWithinMs = Number.POSITIVE_INFINITY } = contract;
  const { signal } = deadline;
  const isOpen = failure.executed === 'maybe-later';
  const waitMs = isOpen ? sentAtMs + landsWithinMs - clock.nowMs() : 0;
  const canWait = waitMs < deadline.leftMs();
  // Where the moment of truth lies beyond the deadline, an early "yes" is still worth asking for.
  if (waitMs > 0 && canWait) await pause(waitMs, { clock, signal });
  const finish = await within((own) => readBack({ call, key, signal: own }), deadline.leftMs(), { clock, signal });
  return finish.how === 'done' ? { said: finish.value, isFinal: canWait } : UNKNOWN;
}

/** Waits; ends early when the caller loses interest. */
export async function pause(ms: number, how: { readonly clock: Clock; readonly signal: AbortSignal | undefined }): Promise<void> {
  await within(() => new Promise<never>(() => {}), ms, how);
}
