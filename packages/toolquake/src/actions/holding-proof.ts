/** Whether held sessions have used up a pool, in figures and words. Pure. */
import type { EffectProof } from '../core/prepared-action.js';
import { isWaiting, type Holding } from '../workers/holding-book.js';

/** Whether every session has come once, let in or not. */
export const hasTried = (holding: Holding | undefined): boolean =>
  holding !== undefined && holding.open + holding.refused >= holding.wanted;

/** Sessions that are all served as if they were alone have exhausted nothing. */
export function holdingProof(holding: Holding | undefined): EffectProof {
  if (holding === undefined) return { isInEffect: false, proof: 'no session is open yet' };
  const { wanted, open, refused, ends, waiting, aloneMs, p95Ms } = holding;
  const { rejected = 0, empty = 0, timeout = 0, error = 0, broken = 0 } = ends;
  const refusals = rejected + error + broken;
  const isSlow = p95Ms !== null && isWaiting(p95Ms, aloneMs);
  const shown = (ms: number | null): string => (ms === null ? 'n/a' : `${Math.round(ms)} ms`);
  const words = [
    `${open} of ${wanted} sessions are open`,
    ...(waiting > 0 || isSlow ? [`${waiting} calls wait, p95 ${shown(p95Ms)} against ${shown(aloneMs)} alone`] : []),
    ...(refusals > 0 ? [`${refusals} were refused or failed`] : []),
    ...(timeout > 0 ? [`${timeout} were given up`] : []),
    ...(empty > 0 ? [`${empty} were answered with nothing, as if there were nothing`] : []),
  ];
  const hasBitten = waiting > 0 || isSlow || refusals + timeout + empty + refused > 0;
  return { isInEffect: open > 0 && hasTried(holding) && hasBitten, proof: words.join('; ') };
}
