/** A known request with a known answer, as a file holds it. A canary may be one of them. */
import type { Canary } from '../../core/expectation.js';

/** One fixture. */
export type Fixture = Canary & {
  readonly asks: 'tool' | 'prompt' | 'resource';
  readonly owner: string | undefined;
  /** Name and version of the server that was recorded. */
  readonly recordedFrom: string | undefined;
};
