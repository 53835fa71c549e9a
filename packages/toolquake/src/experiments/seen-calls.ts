/** The calls of a stretch of a run that say something about the system, not about what we did to single calls. Pure. */
import type { CallEnd, Sample } from '../core/sample.js';
import type { RunHistory } from './history.js';

/** How one call ended: of the load, or the canary of a probe. */
export type SeenCall = { readonly atMs: number; readonly end: CallEnd };

type Call = Extract<Sample, { readonly source: 'call' }>;

/** Where single calls are hit, only calls that were not count: neither the faulted lane nor canaries that went through the same proxy. */
export function seenCalls(history: RunHistory, fromMs: number, untilMs?: number): readonly SeenCall[] {
  const isOurs = (call: Call): boolean => !history.isCallsOnly || call.lane === 'control';
  const calls = history.samples('call', fromMs, untilMs).filter(isOurs);
  const canaries = history.isCallsOnly
    ? []
    : history.samples('probe', fromMs, untilMs).flatMap(({ atMs, canary }) => (canary === undefined ? [] : [{ atMs, end: canary }]));
  return [...calls, ...canaries];
}

/** The share of calls that ended in one way; 0 of none. */
export const shareOf = (calls: readonly SeenCall[], end: CallEnd): number =>
  calls.length === 0 ? 0 : calls.filter((call) => call.end === end).length / calls.length;

/** `7 of 40 calls (17.5 %)`. */
export const shareText = (part: number, all: number): string =>
  `${part} of ${all} calls (${all === 0 ? 'n/a' : `${Number(((part / all) * 100).toFixed(1))} %`})`;
