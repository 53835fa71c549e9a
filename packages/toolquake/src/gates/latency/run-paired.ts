/** The paired gate at work: measures each tool of two targets in turns, twice where the first look is suspicious. */
import type { Side } from './block-order.js';
import { detectableEffect } from './detectable-effect.js';
import { chanceText, NOTHING_KNOWN, ratioText, shareText, sideFigures, type LatencyReport, type ToolLatency } from './latency-report.js';
import { CallFailed, measureBlocks, warmUp, type BenchCall, type Caller, type MeasureOptions } from './measure.js';
import {
  blockLogRatios,
  isSuspicious,
  pairedFigures,
  slowdownsOf,
  type Block,
  type PairedFigures,
  type PairedSettings,
} from './paired-gate.js';
import { holm } from './rank-tests.js';

/** What is compared, and how. */
export type PairedRun = MeasureOptions & {
  readonly calls: readonly BenchCall[];
  readonly callers: Readonly<Record<Side, Caller>>;
  readonly settings: PairedSettings;
  readonly warmUpCalls: number;
  /** Of the draws behind the detectable effect. */
  readonly seed: number;
};

/** Noisier than this, a comparison that found nothing has not looked. */
export const MAX_DETECTABLE = 0.5;

/** With more tools than this, the chance of any false alarm is what counts: Holm's correction, 5 % for all together. */
const MANY_TOOLS = 20;
const FAMILY = 0.05;

type Measured = {
  readonly call: BenchCall;
  readonly blocks: readonly Block[];
  readonly figures: PairedFigures;
  readonly isSecondLook: boolean;
  readonly calls: number;
};

/** Measures and judges. Ends early, with the verdict `aborted`, when a call fails. */
export async function runPaired(run: PairedRun): Promise<LatencyReport> {
  const measured: Measured[] = [];
  for (const call of run.calls) {
    try {
      measured.push(await measureTool(call, run));
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      return { gate: 'paired', tools: [...judge(measured, run), abortedTool(error)], caveats: [] };
    }
  }
  return { gate: 'paired', tools: judge(measured, run), caveats: [] };
}

async function measureTool(call: BenchCall, run: PairedRun): Promise<Measured> {
  const { callers, settings, warmUpCalls } = run;
  for (const side of ['baseline', 'candidate'] as const) await warmUp(call, callers[side], warmUpCalls, side, run);
  const stage = (number: number, blocks: number): Promise<readonly Block[]> =>
    measureBlocks(call, callers, { blocks, callsPerBlock: settings.callsPerBlock, stage: number }, run);
  const look = await stage(1, settings.first.blocks);
  const figures = pairedFigures(look);
  const calls = settings.first.blocks * settings.callsPerBlock;
  if (!isSuspicious(figures, settings)) return { call, blocks: look, figures, isSecondLook: false, calls };
  // Fresh calls only: what raised the suspicion may not count as its proof.
  const fresh = await stage(2, settings.second.blocks);
  const allCalls = calls + settings.second.blocks * settings.callsPerBlock;
  return { call, blocks: fresh, figures: pairedFigures(fresh), isSecondLook: true, calls: allCalls };
}

function judge(measured: readonly Measured[], run: PairedRun): readonly ToolLatency[] {
  const settings = measured.length > MANY_TOOLS ? correctedForMany(measured, run.settings) : () => run.settings;
  return measured.map((tool, index) => judgeTool(tool, settings(index), run));
}

/** Two tests per tool, so the smaller chance counts twice; a tool that the first look passed is a test without a finding. */
function correctedForMany(measured: readonly Measured[], settings: PairedSettings): (index: number) => PairedSettings {
  const chances = measured.map(({ figures, isSecondLook }) =>
    isSecondLook ? Math.min(1, 2 * Math.min(figures.shiftChance, figures.tailChance)) : 1,
  );
  const stands = holm(chances, FAMILY);
  return (index) => ({ ...settings, second: { ...settings.second, alpha: stands[index] === true ? settings.second.alpha : 0 } });
}

function judgeTool({ call, blocks, figures, isSecondLook, calls }: Measured, settings: PairedSettings, run: PairedRun): ToolLatency {
  const slowdowns = isSecondLook ? slowdownsOf(figures, settings) : [];
  const detectable = detectableEffect(blockLogRatios(blocks), run.settings, run.seed);
  const verdict = slowdowns.length > 0 ? 'slower' : detectable > MAX_DETECTABLE ? 'inconclusive' : 'passed';
  const found = slowdowns.map((slowdown) =>
    slowdown === 'shift'
      ? `every second block is at least ${ratioText(figures.ratio)} times slower (${chanceText(figures.shiftChance)})`
      : `more very slow calls, P95 ${ratioText(figures.p95Ratio)} times higher (${chanceText(figures.tailChance)})`,
  );
  const sight = `this comparison sees slowdowns of ${shareText(detectable)} and more`;
  const why =
    verdict === 'slower'
      ? found.join('; ')
      : verdict === 'inconclusive'
        ? `too noisy to tell: ${sight}; a quieter machine or more calls help`
        : `${isSecondLook ? 'a first suspicion was not confirmed' : 'no sign of a slowdown'}; ${sight}`;
  return {
    tool: call.tool,
    verdict,
    why,
    baseline: sideFigures(blocks.flatMap((block) => block.baseline)),
    candidate: sideFigures(blocks.flatMap((block) => block.candidate)),
    ratio: figures.ratio,
    interval: figures.interval,
    p95Ratio: figures.p95Ratio,
    detectable,
    calls,
    failedSide: undefined,
  };
}

/** A tool whose calls fail. */
export function abortedTool({ tool, side, message }: CallFailed): ToolLatency {
  return {
    tool,
    verdict: 'aborted',
    why: `a call to the ${side} failed, and how fast a failure comes is no latency: ${message}`,
    ...NOTHING_KNOWN,
    failedSide: side,
  };
}
