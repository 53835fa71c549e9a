/** The smallest slowdown that a paired gate would have seen, given how noisy the blocks were. */
import { keyedRandom, type DrawStream } from '@toolquake/sdk/core';
import { medianOf } from './order-statistics.js';
import type { PairedSettings } from './paired-gate.js';
import { wilcoxonUpperTail } from './rank-tests.js';

/** Runs of the gate per question; common draws make the answer steady, and 200 place it within a few points. */
const TRIALS = 200;
const POWER = 0.8;
/** A gate that sees only more than this is blind; no need to know how blind. */
const MAX_LOG_RATIO = Math.log(11);

/**
 * As a share (0.18: slower by 18 %): what both stages catch in 80 % of runs, by drawing blocks again from those that were seen
 * (their own shift taken out) and asking the real tests. What the tail test would catch besides is left out, so this is rather
 * too large than too small. Infinity: not even eleven times slower would be seen.
 */
export function detectableEffect(logRatios: readonly number[], settings: PairedSettings, seed = 1): number {
  const middle = medianOf(logRatios);
  // Residuals are a little smaller than the noise they come from.
  const scale = Math.sqrt(logRatios.length / Math.max(1, logRatios.length - 1));
  const residuals = logRatios.map((value) => (value - middle) * scale);
  const trials = Array.from({ length: TRIALS }, (_, trial) => {
    const stream = keyedRandom(seed).stream('detectable-effect', String(trial));
    return { first: drawn(residuals, settings.first.blocks, stream, 0), second: drawn(residuals, settings.second.blocks, stream, 1) };
  });
  const power = (shift: number): number =>
    trials.filter(({ first, second }) => isSeen(first, shift, settings.first) && isSeen(second, shift, settings.second)).length / TRIALS;
  if (power(MAX_LOG_RATIO) < POWER) return Infinity;
  let low = 0;
  let high = MAX_LOG_RATIO;
  while (high - low > 0.002) {
    const shift = (low + high) / 2;
    if (power(shift) < POWER) low = shift;
    else high = shift;
  }
  return Math.expm1(high);
}

function drawn(residuals: readonly number[], count: number, stream: DrawStream, stage: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => {
    const residual = residuals[Math.floor(stream.draw(index, 2 * stage) * residuals.length)]!;
    // The same block may be drawn twice. A hair of difference keeps equals, which no measurement has, out of the ranks.
    return residual + 1e-9 * stream.draw(index, 2 * stage + 1);
  });
}

function isSeen(residuals: readonly number[], shift: number, stage: { readonly alpha: number; readonly minRatio: number }): boolean {
  const logRatios = residuals.map((value) => value + shift);
  return wilcoxonUpperTail(logRatios) < stage.alpha && medianOf(logRatios) >= Math.log(stage.minRatio);
}
