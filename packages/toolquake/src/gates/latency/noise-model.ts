/** Latencies as servers on shared machines have them, made up from a seed: what the gates are tried out on. */
import type { DrawStream } from '@toolquake/sdk/core';
import type { Side } from './block-order.js';

/** The noise of a server and its host. Factors are on latency; sigma is of its logarithm. */
export type NoiseModel = {
  /** Spread of ordinary calls. */
  readonly sigma: number;
  /** How much of a call's deviation the next one keeps. */
  readonly correlation: number;
  /** Share of calls that meet a collection or a cold path, and how many times slower those are. */
  readonly slowShare: number;
  readonly slowFactor: number;
  /** How far the machine speeds up and slows down during a run. */
  readonly drift: number;
};

/** Three servers: the usual one, a quiet one, and one that few would like to own. */
export const NOISE = {
  usual: { sigma: 0.35, correlation: 0.3, slowShare: 0.03, slowFactor: 4, drift: 0.15 },
  quiet: { sigma: 0.1, correlation: 0.3, slowShare: 0.01, slowFactor: 3, drift: 0.05 },
  heavy: { sigma: 0.6, correlation: 0.3, slowShare: 0.08, slowFactor: 6, drift: 0.15 },
} as const satisfies Record<string, NoiseModel>;

/** A change of the candidate: every call slower by a factor, and a further share of slow calls. */
export type Change = { readonly factor: number; readonly moreSlowCalls: number };

/** No change. */
export const UNCHANGED: Change = { factor: 1, moreSlowCalls: 0 };

/** A source of latencies of one run, in the order of its calls. `progress` runs from 0 to 1 over the run. */
export type LatencySource = (side: Side, change: Change, progress: number) => number;

/** Normal numbers from a keyed stream, one after the other. */
export function normalNumbers(stream: DrawStream): () => number {
  let ordinal = 0;
  return () => {
    const radius = Math.sqrt(-2 * Math.log(1 - stream.draw(ordinal, 0)));
    return radius * Math.cos(2 * Math.PI * stream.draw(ordinal++, 1));
  };
}

/** Starts a run. Its host is faster or slower than others by `hostSigma`; both sides of an interleaved comparison share one run. */
export function startRun(model: NoiseModel, hostSigma: number, stream: DrawStream): LatencySource {
  const normal = normalNumbers(stream);
  const host = hostSigma * normal();
  const phase = stream.draw(0, 2);
  const fresh = Math.sqrt(1 - model.correlation ** 2);
  // What one call leaves to the next (caches, a collector about to run) is a server's own.
  const deviations = { baseline: normal(), candidate: normal() };
  let call = 0;
  return (side, { factor, moreSlowCalls }, progress) => {
    const deviation = model.correlation * deviations[side] + fresh * normal();
    deviations[side] = deviation;
    const drift = 1 + model.drift * Math.sin(2 * Math.PI * (progress + phase));
    const isSlow = stream.draw(++call, 3) < model.slowShare + moreSlowCalls;
    return factor * drift * (isSlow ? model.slowFactor : 1) * Math.exp(host + model.sigma * deviation);
  };
}
