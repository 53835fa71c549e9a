/** How often each gate is wrong: gates judge made-up servers of which we know whether they changed. */
import { keyedRandom, wilsonInterval, type Interval, type DrawStream } from '@toolquake/sdk/core';
import { blockOrder } from './block-order.js';
import { historyFigures, runLevel, type RunLevel } from './history-gate.js';
import { startRun, UNCHANGED, type Change, type NoiseModel } from './noise-model.js';
import { medianOf } from './order-statistics.js';
import { blockLogRatios, isSuspicious, PAIRED, pairedFigures, slowdownsOf, type Block, type PairedSettings } from './paired-gate.js';
import { mannWhitneyUpperTail, wilcoxonUpperTail } from './rank-tests.js';
import { MAX_P95_RATIO, p95RatioOf } from './ratio-gate.js';

/** One comparison of a made-up server: fails or not, and the calls it took per side. */
type Trial = (setting: { readonly model: NoiseModel; readonly change: Change; readonly stream: (name: string) => DrawStream }) => {
  readonly hasFailed: boolean;
  readonly calls: number;
};

const runOf = (model: NoiseModel, hostSigma: number, stream: DrawStream, change: Change, calls: number): Float64Array => {
  const next = startRun(model, hostSigma, stream);
  const latencies = new Float64Array(calls);
  for (let call = 0; call < calls; call++) latencies[call] = next('candidate', change, call / calls);
  return latencies;
};

/** Blocks of two sides that share machine and drift. */
function blocksOf(model: NoiseModel, stream: DrawStream, change: Change, blocks: number, callsPerBlock: number): readonly Block[] {
  const next = startRun(model, 0, stream);
  return Array.from({ length: blocks }, (_, index) => {
    const block = { baseline: [] as number[], candidate: [] as number[] };
    for (const side of blockOrder(index, callsPerBlock))
      block[side].push(next(side, side === 'candidate' ? change : UNCHANGED, index / blocks));
    return block;
  });
}

const ratioTrial = (baselineCalls: number, calls: number, hostSigma: number): Trial => {
  return ({ model, change, stream }) => {
    const baseline = runOf(model, hostSigma, stream('baseline'), UNCHANGED, baselineCalls);
    const candidate = runOf(model, hostSigma, stream('candidate'), change, calls);
    return { hasFailed: p95RatioOf(baseline, candidate) > MAX_P95_RATIO, calls };
  };
};

const interleavedRatioTrial: Trial = ({ model, change, stream }) => {
  const blocks = blocksOf(model, stream('blocks'), change, 20, 5);
  return { hasFailed: pairedFigures(blocks).p95Ratio > MAX_P95_RATIO, calls: 100 };
};

const storedRankTrial: Trial = ({ model, change, stream }) => {
  const baseline = runOf(model, 0.15, stream('baseline'), UNCHANGED, 100);
  const candidate = runOf(model, 0.15, stream('candidate'), change, 100);
  const isLarge = medianOf(candidate) >= 1.1 * medianOf(baseline);
  return { hasFailed: isLarge && mannWhitneyUpperTail(baseline, candidate) < 0.01, calls: 100 };
};

const historyTrial = (hostSigma: number): Trial => {
  return ({ model, change, stream }) => {
    const level = (name: string, what: Change): RunLevel => runLevel(runOf(model, hostSigma, stream(name), what, 100));
    const history = Array.from({ length: 20 }, (_, index) => level(`run ${index}`, UNCHANGED));
    const figures = historyFigures(history, level('candidate', change));
    return { hasFailed: figures?.median.isSlower === true || figures?.p90.isSlower === true, calls: 100 };
  };
};

const oneStageTrial: Trial = ({ model, change, stream }) => {
  const logRatios = blockLogRatios(blocksOf(model, stream('blocks'), change, 20, 5));
  return { hasFailed: wilcoxonUpperTail(logRatios) < 0.01 && medianOf(logRatios) >= Math.log(1.1), calls: 100 };
};

const twoStageTrial = (settings: PairedSettings): Trial => {
  const { first, second, callsPerBlock } = settings;
  return ({ model, change, stream }) => {
    const look = blocksOf(model, stream('first'), change, first.blocks, callsPerBlock);
    if (!isSuspicious(pairedFigures(look), settings)) return { hasFailed: false, calls: first.blocks * callsPerBlock };
    const fresh = blocksOf(model, stream('second'), change, second.blocks, callsPerBlock);
    return { hasFailed: slowdownsOf(pairedFigures(fresh), settings).length > 0, calls: (first.blocks + second.blocks) * callsPerBlock };
  };
};

const secondStage = (change: Partial<PairedSettings['second']>): PairedSettings => ({ ...PAIRED, second: { ...PAIRED.second, ...change } });

/** Every gate that is tried, in the order of the table. The names say what differs. */
const TRIALS: Readonly<Record<string, Trial>> = {
  'ratio: P95 > 1.5, 100 against 20 calls, same host': ratioTrial(100, 20, 0),
  'ratio, hosts differ by 15 %': ratioTrial(100, 20, 0.15),
  'ratio, hosts differ by 25 %': ratioTrial(100, 20, 0.25),
  'ratio, 100 against 100 calls, interleaved': interleavedRatioTrial,
  'Mann-Whitney p < .01 and 10 %, stored run, 15 %': storedRankTrial,
  'history: 20 runs, hosts differ by 15 %': historyTrial(0.15),
  'history, calibrated (hosts differ by 4.5 %)': historyTrial(0.045),
  'paired, one stage of 20 blocks': oneStageTrial,
  'paired, two stages, alpha .01': twoStageTrial(secondStage({ alpha: 0.01 })),
  'paired, two stages, alpha .002 (default)': twoStageTrial(PAIRED),
  'paired, two stages, alpha .0005, 100 blocks': twoStageTrial(secondStage({ alpha: 0.0005, blocks: 100 })),
};

/** How many gates are tried. */
export const GATE_COUNT: number = Object.keys(TRIALS).length;

/** What happens to the candidate, in the order of the columns. */
export const CHANGES: Readonly<Record<string, Change>> = {
  'no change': UNCHANGED,
  'x1.3': { factor: 1.3, moreSlowCalls: 0 },
  'x1.5': { factor: 1.5, moreSlowCalls: 0 },
  x2: { factor: 2, moreSlowCalls: 0 },
  '+10 % slow calls': { factor: 1, moreSlowCalls: 0.1 },
};

/** How often a gate failed in one column. */
export type GateRate = {
  readonly failed: number;
  readonly trials: number;
  readonly share: number;
  readonly interval: Interval | undefined;
};

/** A row of the table: by column, and what a clean run costs. */
export type GateRates = { readonly gate: string; readonly rates: Readonly<Record<string, GateRate>>; readonly callsWhenUnchanged: number };

/** Rare alarms need many trials to be told apart. */
const CLEAN_TRIALS = 4;

/** Tries every gate on every change, four times as often where nothing changed. The same seed gives the same table. */
export function* simulateGates(options: {
  readonly model: NoiseModel;
  readonly trials: number;
  readonly seed: number;
}): Generator<GateRates> {
  for (const [gate, trial] of Object.entries(TRIALS)) {
    const rates: Record<string, GateRate> = {};
    let callsWhenUnchanged = 0;
    for (const [name, change] of Object.entries(CHANGES)) {
      const trials = options.trials * (change === UNCHANGED ? CLEAN_TRIALS : 1);
      const outcomes = Array.from({ length: trials }, (_, number) => {
        const stream = (part: string): DrawStream => keyedRandom(options.seed).stream(gate, `${name}/${number}/${part}`);
        return trial({ model: options.model, change, stream });
      });
      const failed = outcomes.filter(({ hasFailed }) => hasFailed).length;
      rates[name] = { failed, trials, share: failed / trials, interval: wilsonInterval(failed, trials) };
      if (change === UNCHANGED) callsWhenUnchanged = outcomes.reduce((sum, { calls }) => sum + calls, 0) / trials;
    }
    yield { gate, rates, callsWhenUnchanged };
  }
}
