/** Lines of a sample file, sorted into runs and tools. */
import type { HistoryRun } from './judge-history.js';
import type { RunStart, SampleFileLine } from './sample-line.js';

/** A run as it was captured. */
export type CapturedRun = {
  readonly start: RunStart;
  /** Latencies by tool. Of a comparison, those of the candidate: that is the build of the day. */
  readonly latencies: ReadonlyMap<string, readonly number[]>;
  readonly calibration: readonly number[];
  /** False: interrupted; what is there still counts. */
  readonly isComplete: boolean;
};

/** The runs of a file, in its order; runs of several processes may be mixed line by line. */
export function runsOf(lines: readonly SampleFileLine[]): readonly CapturedRun[] {
  const runs = new Map<string, { start: RunStart; latencies: Map<string, number[]>; calibration: number[]; isComplete: boolean }>();
  for (const line of lines) {
    if (line.kind === 'start') {
      runs.set(line.run, { start: line, latencies: new Map(), calibration: [], isComplete: false });
      continue;
    }
    const run = runs.get(line.run);
    if (run === undefined) continue;
    if (line.kind === 'end') run.isComplete = true;
    else if (line.side === 'calibration') run.calibration.push(line.latencyMs);
    else if (line.side === 'candidate') {
      const known = run.latencies.get(line.tool);
      if (known === undefined) run.latencies.set(line.tool, [line.latencyMs]);
      else known.push(line.latencyMs);
    }
  }
  return [...runs.values()];
}

/** The runs that a candidate can be held against: whole, on the same class of machine, since the last change of level. */
export function historyOf(
  runs: readonly CapturedRun[],
  call: { readonly tool: string; readonly key: string },
  runner: string,
): readonly HistoryRun[] {
  const comparable = runs.filter(
    ({ start, isComplete }) =>
      isComplete && start.runner === runner && start.calls.some(({ tool, key }) => tool === call.tool && key === call.key),
  );
  const lastChange = comparable.findLastIndex(({ start }) => start.changePoint !== undefined);
  return comparable.slice(Math.max(0, lastChange)).flatMap(({ latencies, calibration }) => {
    const latenciesMs = latencies.get(call.tool) ?? [];
    return latenciesMs.length === 0 ? [] : [{ latenciesMs, calibrationMs: calibration }];
  });
}
