/** Compares two targets, or a target with what was captured before, by the gate that was asked for. */
import { realClock } from '@toolquake/sdk/interceptors';
import { ToolquakeError } from '@toolquake/sdk/core';
import { judgeByHistory } from '../gates/latency/judge-history.js';
import type { LatencyReport, ToolLatency } from '../gates/latency/latency-report.js';
import { CallFailed, measureRun, warmUp, type BenchCall, type LatencySample, type MeasureOptions } from '../gates/latency/measure.js';
import { PAIRED, type PairedSettings } from '../gates/latency/paired-gate.js';
import { judgeByRatio } from '../gates/latency/ratio-gate.js';
import type { LatencyResult } from '../gates/latency/render-latency.js';
import { abortedTool, runPaired } from '../gates/latency/run-paired.js';
import { historyOf, type CapturedRun } from '../gates/latency/sample-book.js';
import type { TargetDefinition } from '../targets/target.js';
import { callKeyOf, measureTarget, runnerClass, runStart, type RunOptions } from './bench-capture.js';
import { withBenchTargets } from './bench-target.js';
import { openSamples } from './sample-file.js';

/** Stage two of 500 calls per side at .0005: for when the slowest calls are what matters. */
const THOROUGH: PairedSettings = { ...PAIRED, second: { ...PAIRED.second, blocks: 100, alpha: 0.0005 } };

/** Two targets that both run now. */
export type LiveComparison = Omit<RunOptions, 'target' | 'isCalibrated' | 'changePoint'> & {
  readonly baseline: TargetDefinition;
  readonly candidate: TargetDefinition;
  readonly gate: 'paired' | 'ratio';
  readonly isThorough: boolean;
  readonly maxRatio: number;
  readonly seed: number;
};

/** Measures both and judges. A failing call is a result (`aborted`); a target that cannot be reached is an error. */
export async function compareTargets(options: LiveComparison): Promise<LatencyResult> {
  const { baseline, candidate, samplesPath, signal, onProgress, tell } = options;
  const start = runStart({ ...options, changePoint: undefined }, `${candidate.name} against ${baseline.name}`);
  const file = samplesPath === undefined ? undefined : openSamples(samplesPath, start, tell);
  let isComplete = false;
  try {
    const report = await withBenchTargets([baseline, candidate], options, async ([first, second]) => {
      const callers = { baseline: first!.caller, candidate: second!.caller };
      const how: MeasureOptions = {
        clock: realClock,
        paceMs: options.paceMs,
        signal,
        onSample: (sample: LatencySample) => file?.add(sample),
        onCall: progressOf(options, onProgress),
      };
      return options.gate === 'paired'
        ? runPaired({
            ...how,
            calls: options.calls,
            callers,
            settings: settingsOf(options),
            warmUpCalls: options.warmUpCalls,
            seed: options.seed,
          })
        : ratioOfRuns(options, callers, how);
    });
    isComplete = report.tools.every(({ verdict }) => verdict !== 'aborted');
    return { ...report, baseline: baseline.name, candidate: candidate.name };
  } finally {
    await file?.close(isComplete);
  }
}

const settingsOf = ({ isThorough }: LiveComparison): PairedSettings => (isThorough ? THOROUGH : PAIRED);

/** How many calls there will be is known only when the last first look is over: the bar says how far the worst case is. */
function progressOf(options: LiveComparison, onProgress: (share: number) => void): () => void {
  const { first, second, callsPerBlock } = settingsOf(options);
  const perSide = options.gate === 'ratio' ? options.iterations : (first.blocks + second.blocks) * callsPerBlock;
  const total = 2 * options.calls.length * (perSide + options.warmUpCalls);
  let done = 0;
  return () => onProgress(Math.min(1, ++done / total));
}

const RATIO_CAVEAT =
  'the ratio gate fails about every tenth clean build and misses more than half of the builds that are half as fast again ("toolquake bench simulate-gates").';
const APART_CAVEAT =
  'baseline and candidate were measured at different times, so that a slower machine looks like a slower build; two targets side by side do not have this problem.';

async function ratioOfRuns(
  { calls, iterations, warmUpCalls, maxRatio }: LiveComparison,
  callers: Parameters<typeof runPaired>[0]['callers'],
  how: MeasureOptions,
): Promise<LatencyReport> {
  const tools: ToolLatency[] = [];
  try {
    for (const call of calls) {
      const latencies: number[][] = [];
      for (const side of ['baseline', 'candidate'] as const) {
        await warmUp(call, callers[side], warmUpCalls, side, how);
        latencies.push([...(await measureRun(call, callers[side], iterations, side, how))]);
      }
      tools.push(judgeByRatio(call.tool, latencies[0]!, latencies[1]!, maxRatio));
    }
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    tools.push(abortedTool(error));
  }
  return { gate: 'ratio', tools, caveats: [RATIO_CAVEAT] };
}

/** A target and earlier runs of it. */
export type StoredComparison = Omit<RunOptions, 'isCalibrated' | 'changePoint'> & {
  /** For messages. */
  readonly baselinePath: string;
  readonly runs: readonly CapturedRun[];
  readonly gate: 'ratio' | 'history';
  readonly maxRatio: number;
};

/** Measures the target and holds it against what was captured. */
export async function compareWithStored(options: StoredComparison): Promise<LatencyResult> {
  const { calls, baselinePath, target, gate, maxRatio } = options;
  const runner = options.runner ?? runnerClass();
  const names = { baseline: baselinePath, candidate: target.name };
  const history = new Map(calls.map((call) => [call.tool, storedRuns(call, runner, options)]));
  const isCalibrated =
    gate === 'history' && [...history.values()].some((runs) => runs.some(({ calibrationMs }) => calibrationMs.length > 0));
  try {
    const { latencies, calibration } = await measureTarget({ ...options, isCalibrated, changePoint: undefined });
    const tools = calls.map(({ tool }) => {
      const earlier = history.get(tool)!;
      const candidateMs = latencies.get(tool)!;
      return gate === 'ratio'
        ? judgeByRatio(tool, earlier.at(-1)!.latenciesMs, candidateMs, maxRatio)
        : judgeByHistory(tool, earlier, { latenciesMs: candidateMs, calibrationMs: calibration });
    });
    return { gate, tools, caveats: gate === 'ratio' ? [RATIO_CAVEAT, APART_CAVEAT] : [APART_CAVEAT], ...names };
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return { gate, tools: [abortedTool(error)], caveats: [], ...names };
  }
}

/** Earlier runs of a call. The history wants the same class of machine; the ratio gate takes the last run from anywhere. */
function storedRuns(call: BenchCall, runner: string, { runs, gate, baselinePath }: StoredComparison): ReturnType<typeof historyOf> {
  const wanted = { tool: call.tool, key: callKeyOf(call) };
  const found = gate === 'history' ? historyOf(runs, wanted, runner) : runs.flatMap((run) => historyOf([run], wanted, run.start.runner));
  if (found.length > 0 || gate === 'history') return found;
  const known = [...new Set(runs.flatMap(({ start }) => start.calls.map(({ tool, key }) => `${tool} ${key}`)))];
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${baselinePath} has no whole run of ${call.tool} with these arguments.`,
    advice: `It has: ${known.slice(0, 10).join(', ')}.`,
  });
}
