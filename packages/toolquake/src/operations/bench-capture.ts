/** Measures one target, for later: raw latencies into a file of runs. */
import { arch, availableParallelism, platform } from 'node:os';
import { canonicalJson } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { sideFigures, type SideFigures } from '../gates/latency/latency-report.js';
import { measureRun, warmUp, type BenchCall, type LatencySample, type MeasureOptions } from '../gates/latency/measure.js';
import type { RunStart } from '../gates/latency/sample-line.js';
import { redactValue } from '../recordings/redact.js';
import type { TargetDefinition } from '../targets/target.js';
import { withBenchTargets } from './bench-target.js';
import { calibrate, CALIBRATION_CALLS } from './calibration.js';
import { runName } from './recording-file.js';
import { openSamples } from './sample-file.js';

/** What one run measures, and how. */
export type RunOptions = {
  readonly target: TargetDefinition;
  readonly calls: readonly BenchCall[];
  readonly iterations: number;
  readonly paceMs: number;
  readonly warmUpCalls: number;
  readonly isCalibrated: boolean;
  /** Where raw latencies go, when they are kept. */
  readonly samplesPath: string | undefined;
  /** Machines of one class; this machine's own unless told otherwise. */
  readonly runner: string | undefined;
  readonly changePoint: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (share: number) => void;
  readonly tell: (line: string) => void;
};

/** A run that was measured. */
export type MeasuredRun = {
  readonly latencies: ReadonlyMap<string, readonly number[]>;
  readonly calibration: readonly number[];
  readonly tools: readonly { readonly tool: string; readonly figures: SideFigures }[];
};

/** Runs on machines like this one can be compared. */
export const runnerClass = (): string => `${platform()}-${arch()}-${availableParallelism()}`;

/** Two calls with one key are the same call. */
export const callKeyOf = ({ arguments: given }: BenchCall): string => canonicalJson(redactValue(given));

/** The start of a run's lines. Arguments that held a secret are not written down. */
export function runStart(
  options: Pick<RunOptions, 'calls' | 'paceMs' | 'runner' | 'changePoint'>,
  target: string,
): Omit<RunStart, 'v' | 'kind'> {
  return {
    run: runName(),
    startedAt: new Date().toISOString(),
    target,
    runner: options.runner ?? runnerClass(),
    calls: options.calls.map((call) => ({
      tool: call.tool,
      key: callKeyOf(call),
      ...(redactValue(call.arguments) === call.arguments ? { arguments: call.arguments } : {}),
    })),
    paceMs: options.paceMs,
    ...(options.changePoint === undefined ? {} : { changePoint: options.changePoint }),
  };
}

/** Measures a target, and keeps the latencies. Rejects with `CallFailed` when a call fails; what was measured until then stays. */
export async function measureTarget(options: RunOptions): Promise<MeasuredRun> {
  const { target, calls, iterations, warmUpCalls, isCalibrated, samplesPath, signal, onProgress, tell } = options;
  const file = samplesPath === undefined ? undefined : openSamples(samplesPath, runStart(options, target.name), tell);
  const total = calls.length * (iterations + warmUpCalls) + (isCalibrated ? CALIBRATION_CALLS : 0);
  let done = 0;
  const how: MeasureOptions = {
    clock: realClock,
    paceMs: options.paceMs,
    signal,
    onSample: (sample: LatencySample) => file?.add(sample),
    onCall: () => onProgress(++done / total),
  };
  let isComplete = false;
  try {
    const calibration = isCalibrated ? await calibrate(options, how) : [];
    const latencies = await withBenchTargets([target], options, async ([open]) => {
      const measured = new Map<string, readonly number[]>();
      for (const call of calls) {
        await warmUp(call, open!.caller, warmUpCalls, 'candidate', how);
        measured.set(call.tool, await measureRun(call, open!.caller, iterations, 'candidate', how));
      }
      return measured;
    });
    isComplete = true;
    const tools = [...latencies].map(([tool, values]) => ({ tool, figures: sideFigures(values)! }));
    return { latencies, calibration, tools };
  } finally {
    await file?.close(isComplete);
  }
}
