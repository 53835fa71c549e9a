/** Everything that signals know at one moment, before it is written in one format or another. */
import type { OperationBook } from './operation-book.js';
import type { PoolFigures } from '../core/pool-figures.js';
import type { ProcessFigures } from './process-figures.js';

/** See the module comment. */
export type SignalState = {
  readonly book: OperationBook;
  readonly sessions: { readonly active: number; readonly total: number; readonly seconds: number; readonly ended: number };
  readonly inFlight: number;
  readonly problems: number;
  readonly uptimeSeconds: number;
  readonly process: ProcessFigures | undefined;
  readonly growthPerHour: number | undefined;
  readonly pools: ReadonlyMap<string, PoolFigures>;
};
