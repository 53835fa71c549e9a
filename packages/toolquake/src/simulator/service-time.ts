/** How long work takes: draws from the usual distributions. */
import type { DrawStream } from '@toolquake/sdk/core';
import type { Spread } from './topology-fields.js';

/** Draws one duration after the other. */
export type Sampler = () => number;

/** Standard normal quantile of 0.99. */
const Z99 = 2.3263478740408408;

/** A sampler over its own stream, so that no other draw depends on how often it is asked. */
export function createSampler(spread: Spread, stream: DrawStream): Sampler {
  let ordinal = 0;
  switch (spread.kind) {
    case 'fixed':
      return () => spread.ms;
    case 'uniform':
      return () => spread.fromMs + (spread.toMs - spread.fromMs) * stream.draw(++ordinal, 0);
    case 'exponential':
      return () => -spread.meanMs * Math.log(1 - stream.draw(++ordinal, 0));
    case 'lognormal': {
      const sigma = Math.log(spread.p99Ms / spread.medianMs) / Z99;
      return () => {
        ordinal++;
        // Box-Muller; 1 - u keeps the logarithm away from 0.
        const radius = Math.sqrt(-2 * Math.log(1 - stream.draw(ordinal, 0)));
        return spread.medianMs * Math.exp(sigma * radius * Math.cos(2 * Math.PI * stream.draw(ordinal, 1)));
      };
    }
  }
}

/** What 99 % of draws are not faster than; for fixed and uniform ones, what no draw is faster than. */
export function fastestMs(spread: Spread): number {
  switch (spread.kind) {
    case 'fixed':
      return spread.ms;
    case 'uniform':
      return spread.fromMs;
    case 'exponential':
      return 0.01005 * spread.meanMs;
    case 'lognormal':
      return (spread.medianMs * spread.medianMs) / spread.p99Ms;
  }
}
