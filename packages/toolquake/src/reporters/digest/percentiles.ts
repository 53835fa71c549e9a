/** Latencies as a report shows them. */
import { createSketch, type CallOutcome, type Sketch } from '@toolquake/sdk/core';

/** In milliseconds, within 1 %; undefined while nothing was counted. */
export type Percentiles = {
  readonly count: number;
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
  readonly max: number | undefined;
};

/** Only an answer has a latency: a call that hung lasts as long as somebody's patience. It counts as failed. */
export function isAnswered(outcome: CallOutcome): boolean {
  return outcome !== 'no-answer' && outcome !== 'cancelled' && outcome !== 'disconnected';
}

/** The percentiles of a sketch. */
export function percentilesOf(sketch: Sketch = createSketch()): Percentiles {
  return { count: sketch.count, p50: sketch.quantile(0.5), p95: sketch.quantile(0.95), p99: sketch.quantile(0.99), max: sketch.max };
}
