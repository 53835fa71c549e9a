/** Runs a plan over several seeds and ways of defending, a slice at a time: journals keep up and Ctrl-C is heard. */
import { setImmediate } from 'node:timers/promises';
import {
  chanceInterval,
  meanInterval,
  measuresOf,
  mergeTally,
  startTally,
  ToolquakeError,
  wilsonInterval,
  type Era,
  type JournalEntry,
  type JournalSink,
  type Plan,
} from '@toolquake/sdk/core';
import type { SimulationReport, SimulationRow } from '../reporters/simulation.js';
import { HEADLINE_RESILIENCE, type Resilience } from '../simulator/agent.js';
import { createSimulation, type RandomName, type Simulation, type SimulationResult } from '../simulator/simulation.js';
import { openJournal, type JournalFile } from './journal-file.js';
import { realClock } from '@toolquake/sdk/interceptors';

/** Which rows to simulate. */
export type Defence = 'on' | 'off' | 'both';

/** What is simulated. */
export type RowsOptions = {
  readonly subject: string;
  readonly plan: Plan;
  readonly seed: number;
  readonly seeds: number;
  readonly random: RandomName;
  readonly tasks: number;
  readonly fanout: number;
  readonly defence: Defence;
  readonly era?: Era;
  readonly journalPath?: string | undefined;
  /** Hears every entry, in order: for renderings beside the table. */
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
  /** Expected blast radius of independent failures, where the plan is that simple. */
  readonly analytic?: ((resilience: Resilience | undefined) => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Share of the work that is done. */
  readonly onProgress?: ((done: number) => void) | undefined;
  readonly tell: (line: string) => void;
};

/** Events between two looks at the clock: some ten milliseconds. */
const SLICE_EVENTS = 20_000;

/** Real time between two looks at the world outside, also across runs: short runs must not pay for a look each. */
const LOOK_EVERY_MS = 50;

const ROWS: readonly { readonly name: string; readonly defence: Defence; readonly resilience: Resilience | undefined }[] = [
  { name: 'no resilience', defence: 'off', resilience: undefined },
  { name: 'with resilience', defence: 'on', resilience: HEADLINE_RESILIENCE },
];

/** Simulates every row with the same seeds, so that rows differ by the defence alone. */
export async function simulateRows(options: RowsOptions): Promise<SimulationReport> {
  const { plan, defence, journalPath } = options;
  checkSeeds(options);
  const wanted = ROWS.filter((row) => defence === 'both' || defence === row.defence);
  // A journal that breaks ends the run with an error, which is all there is to tell.
  const journal = journalPath === undefined ? undefined : openJournal(journalPath, () => {});
  const { onEntry } = options;
  const sink = onEntry === undefined ? journal?.append : both(journal?.append, onEntry);
  const lookUp = createLookUp(options.signal);
  const rows: SimulationRow[] = [];
  try {
    for (const [index, { name, resilience }] of wanted.entries()) {
      const results: SimulationResult[] = [];
      while (results.length < options.seeds) {
        const seed = options.seed + results.length;
        const tellProgress = (done: number): void =>
          options.onProgress?.((index + (results.length + done) / options.seeds) / wanted.length);
        tellProgress(0);
        const onPaper = options.analytic?.(resilience);
        const run = createSimulation({ ...options, seed, resilience, label: name, scenario: options.subject, onPaper, journal: sink });
        results.push(await finished(run, { lookUp, tellProgress, journal }));
      }
      rows.push(rowOf(name, resilience, results, options));
    }
  } finally {
    await journal?.close();
  }
  const { subject, seed, seeds, random, tasks, fanout } = options;
  const rules = plan.rules.filter(({ isEnabled }) => isEnabled).map(({ id, fault }) => ({ id, fault: fault.type }));
  return { subject, seed, seeds, random, tasks, fanout, rules, rows, expected: plan.expect.measures };
}

const both =
  (first: JournalSink | undefined, second: JournalSink): JournalSink =>
  (entry) => {
    first?.(entry);
    second(entry);
  };

/** Seeds beyond the exact integers would be the same seed over and over. */
function checkSeeds({ seed, seeds }: RowsOptions): void {
  const highest = Number.MAX_SAFE_INTEGER - (seeds - 1);
  if (seed <= highest) return;
  throw new ToolquakeError('OUT_OF_RANGE', {
    message: `There are no ${seeds} seeds from ${seed} on: the largest seed is ${Number.MAX_SAFE_INTEGER}.`,
    advice: `The nearest allowed value for this many seeds is --seed ${highest}.`,
  });
}

/** Lets timers and signals through when it is time, and throws when we are to stop. */
function createLookUp(signal: AbortSignal | undefined): () => Promise<void> {
  let lastMs = realClock.nowMs();
  return async () => {
    if (realClock.nowMs() - lastMs < LOOK_EVERY_MS) return;
    await setImmediate();
    signal?.throwIfAborted();
    lastMs = realClock.nowMs();
  };
}

async function finished(
  run: Simulation,
  world: { lookUp: () => Promise<void>; tellProgress: (done: number) => void; journal: JournalFile | undefined },
): Promise<SimulationResult> {
  for (;;) {
    const result = run.run(SLICE_EVENTS);
    await world.journal?.drain();
    const failure = world.journal?.failure();
    if (failure !== undefined) throw failure;
    world.tellProgress(run.progress());
    await world.lookUp();
    if (result !== undefined) return result;
  }
}

function rowOf(
  name: string,
  resilience: Resilience | undefined,
  results: readonly SimulationResult[],
  options: RowsOptions,
): SimulationRow {
  const tally = startTally({ knowsExecutions: true });
  for (const result of results) mergeTally(tally, result.tally);
  const perSeed = meanInterval(results.map((result) => result.tally.failedTasks / result.tally.tasks));
  // Seeds that all agree (often: on zero) say nothing about their spread; the number of tasks does.
  const isTelling = perSeed.interval !== undefined && perSeed.interval.low < perSeed.interval.high;
  const expected = options.analytic?.(resilience);
  const firedInAll = (id: string): number => results.reduce((sum, { fired }) => sum + (fired.get(id) ?? 0), 0);
  return {
    name,
    tally,
    measures: measuresOf(tally),
    blastRadius: { mean: perSeed.mean, interval: isTelling ? perSeed.interval : wilsonInterval(tally.failedTasks, tally.tasks) },
    analytic: expected === undefined ? undefined : { blastRadius: expected, interval: chanceInterval(expected, tally.tasks) },
    fired: Object.fromEntries(options.plan.rules.map(({ id }) => [id, firedInAll(id)])),
    stuckSeeds: results.filter(({ openBreakers }) => openBreakers.length > 0).length,
    deceivedTasks: results.reduce((sum, { deceivedTasks }) => sum + deceivedTasks, 0),
    virtualMs: results.reduce((sum, { virtualMs }) => sum + virtualMs, 0),
  };
}
