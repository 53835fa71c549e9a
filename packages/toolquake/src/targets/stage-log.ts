/** Which stage took how long: what the waterfall of a probe is drawn from. */
import type { Clock } from '@toolquake/sdk/core';
import type { Stage, StageTiming } from '../core/connection.js';

/** Times from the moment that it was made. */
export type StageLog = {
  readonly timings: readonly StageTiming[];
  nowMs(): number;
  /** Also notes a stage that failed: how long it took to fail is what one wants to see. */
  time<Result>(stage: Stage, work: () => Promise<Result>, detail?: string): Promise<Result>;
  add(stage: Stage, startMs: number, detail?: string): void;
};

/** More than any probe has; a bench of a thousand calls must not keep them all here. */
const MAX_TIMINGS = 200;

/** Starts counting. */
export function createStageLog(clock: Clock): StageLog {
  const timings: StageTiming[] = [];
  const originMs = clock.nowMs();
  const nowMs = (): number => clock.nowMs() - originMs;
  const add = (stage: Stage, startMs: number, detail?: string): void => {
    if (timings.length >= MAX_TIMINGS) return;
    timings.push({ stage, startMs, durationMs: nowMs() - startMs, ...(detail === undefined ? {} : { detail }) });
  };
  return {
    timings,
    nowMs,
    add,
    async time(stage, work, detail) {
      const startMs = nowMs();
      try {
        return await work();
      } finally {
        add(stage, startMs, detail);
      }
    },
  };
}
