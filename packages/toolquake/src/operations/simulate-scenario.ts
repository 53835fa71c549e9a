/** Runs a scenario: all variants, points and seeds, on all cores, and sums them up. */
import {
  createCatalogue,
  KNOWN_SEQUENCES,
  meanInterval,
  ToolquakeError,
  type Catalogue,
  type JournalEntry,
  type JsonObject,
} from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { readScenario } from '../config/load-scenario.js';
import type { ScenarioReport, ScenarioRow, SeedFigure } from '../reporters/scenario.js';
import { checkTopology } from '../simulator/check-topology.js';
import { FIGURE_NAMES, figureOf } from '../simulator/figures-of-run.js';
import { sweepProblems, type Scenario, type Variant } from '../simulator/scenario.js';
import { withSettings } from '../simulator/settings.js';
import { openJournal } from './journal-file.js';
import type { LevelEntry } from '../simulator/watch.js';
import { jobsOf, type ScenarioJob, type ScenarioOutcome } from './scenario-jobs.js';
import { doJobs, threadsFor } from './scenario-pool.js';
import { parseSweeps } from './parse-sweeps.js';

/** What is asked for. */
export type SimulateScenarioOptions = {
  /** For messages. */
  readonly path: string;
  readonly text: string;
  readonly sweep?: string | undefined;
  /** Only this variant. */
  readonly variant?: string | undefined;
  readonly seed?: number | undefined;
  readonly seeds?: number | undefined;
  readonly threads?: number | undefined;
  readonly journalPath?: string | undefined;
  readonly everyCall: boolean;
  /** Hears every entry, in order: for renderings beside the table. */
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((share: number) => void) | undefined;
};

/** Lines of a journal between two looks at whether they are written. */
const MAX_UNWRITTEN = 10_000;

/** Loads, runs and sums up. Throws a `ToolquakeError` before anything was started when something is wrong with the input. */
export async function runSimulateScenario(options: SimulateScenarioOptions): Promise<ScenarioReport> {
  const catalogue = createCatalogue(faults);
  const scenario = only(readScenario(options.path, options.text, catalogue), options.variant);
  const sweeps = options.sweep === undefined ? scenario.sweeps : parseSweeps(options.sweep);
  refuse(sweepProblems(scenario, sweeps, catalogue));
  const count = options.seeds ?? scenario.seeds;
  const first = options.seed ?? Number(scenario.source['seed'] ?? 0);
  if (first > Number.MAX_SAFE_INTEGER - count) {
    throw new ToolquakeError('OUT_OF_RANGE', {
      message: `There are no ${count} seeds from ${first} on.`,
      advice: `The largest seed is ${Number.MAX_SAFE_INTEGER}.`,
    });
  }
  const jobs = jobsOf(scenario, sweeps, { first, count });
  const rules = checkTogether(scenario.source, jobs, first, catalogue);
  const sums = new Map<string, RowSum>();
  const journal = options.journalPath === undefined ? undefined : openJournal(options.journalPath, () => {});
  const take = (entry: JournalEntry): void => {
    journal?.append(entry);
    options.onEntry?.(entry);
  };
  const drain = async (): Promise<void> => {
    await journal?.drain();
    const failure = journal?.failure();
    if (failure !== undefined) throw failure;
  };
  const isHeard = journal !== undefined || options.onEntry !== undefined;
  try {
    await doJobs({
      source: scenario.source,
      jobs,
      keepsEntries: isHeard,
      everyCall: isHeard && options.everyCall,
      threads: threadsFor(jobs.length, options.threads),
      signal: options.signal,
      onProgress: options.onProgress,
      // Every call of many runs does not fit into memory: such journals are written as they come.
      onEntry: options.everyCall && isHeard ? take : undefined,
      onPause: drain,
      async onOutcome(outcome, job) {
        addTo(sums, job, outcome);
        for (const [index, entry] of outcome.entries.entries()) {
          take(entry);
          // The file keeps only so much in memory, and drops the rest.
          if (index % MAX_UNWRITTEN === MAX_UNWRITTEN - 1) await drain();
        }
        await drain();
      },
    });
  } finally {
    await journal?.close();
  }
  return {
    scenario: scenario.name,
    title: scenario.title,
    about: scenario.about,
    seed: first,
    seeds: count,
    show: scenario.show,
    rules,
    rows: [...sums.values()].map((sum) => rowOf(sum, scenario.variants, options.sweep === undefined)),
    events: [...sums.values()].reduce((all, { outcomes }) => all + outcomes.reduce((so, { summary }) => so + summary.events, 0), 0),
  };
}

function only(scenario: Scenario, variant: string | undefined): Scenario {
  if (variant === undefined) return scenario;
  const names = scenario.variants.map(({ name }) => name);
  const found = scenario.variants.filter(({ name }) => name === variant);
  if (found.length > 0) return { ...scenario, variants: found };
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `There is no variant "${variant}" in ${scenario.name}.`,
    advice: `Variants: ${names.map((name) => `"${name}"`).join(', ')}.`,
  });
}

function refuse(problems: ReturnType<typeof sweepProblems>): void {
  const [problem] = problems;
  if (problem === undefined) return;
  throw new ToolquakeError(problem.code, { message: `--sweep ${problem.key}: ${problem.message}`, advice: problem.advice });
}

/** Settings that are fine one by one may contradict each other. The answer is every rule that is on in any of the runs. */
function checkTogether(source: JsonObject, jobs: readonly ScenarioJob[], first: number, catalogue: Catalogue): ScenarioReport['rules'] {
  const rules = new Map<string, string>();
  for (const { variant, point, settings, seed } of jobs) {
    // All seeds share their settings.
    if (seed !== first) continue;
    const { topology, problems } = checkTopology(withSettings(source, settings), catalogue);
    const [problem] = problems;
    if (problem !== undefined) {
      const values = Object.entries(point).map(([key, value]) => `${key}=${value}`);
      const message = `${[`Variant "${variant}"`, ...values].join(', ')}: ${problem.message}`;
      throw new ToolquakeError(problem.code, { message, advice: problem.advice });
    }
    for (const { id, fault, isEnabled } of topology?.plan.rules ?? []) if (isEnabled) rules.set(id, fault.type);
  }
  return [...rules].map(([id, fault]) => ({ id, fault }));
}

type RowSum = { readonly job: ScenarioJob; readonly outcomes: Pick<ScenarioOutcome, 'summary' | 'fired'>[]; readonly levels: LevelEntry[] };

function addTo(sums: Map<string, RowSum>, job: ScenarioJob, { summary, fired, levels }: ScenarioOutcome): void {
  const key = JSON.stringify([job.variant, job.point]);
  let sum = sums.get(key);
  if (sum === undefined) sums.set(key, (sum = { job, outcomes: [], levels: [] }));
  sum.outcomes.push({ summary, fired });
  sum.levels.push(...levels);
}

function rowOf({ job, outcomes, levels }: RowSum, variants: readonly Variant[], isAsShipped: boolean): ScenarioRow {
  const { gates = [], isExpectedToHold = true } = variants.find(({ name }) => name === job.variant) ?? {};
  const figures = Object.fromEntries(
    FIGURE_NAMES.map((name): [string, SeedFigure] => {
      const values = outcomes.map(({ summary }) => figureOf(summary, name)).filter((value) => value !== undefined);
      return [name, meanInterval(values)];
    }),
  );
  const ids = Object.keys(outcomes[0]?.fired ?? {});
  return {
    variant: job.variant,
    point: job.point,
    figures,
    onPaper: outcomes[0]?.summary.onPaper,
    gates: gates.map(({ figure, max, min }) => {
      const value = figures[figure]?.mean;
      // A run without the figure keeps no promise about it: a mean over those that recovered says nothing of those that did not.
      const isThere = outcomes.every(({ summary }) => figureOf(summary, figure) !== undefined);
      const isHeld = isThere && value !== undefined && value <= (max ?? Infinity) && value >= (min ?? -Infinity);
      return { figure, max, min, value: isThere ? value : undefined, isHeld };
    }),
    // What a file expects of its variants says nothing about values that somebody else put in.
    isExpectedToHold: isAsShipped ? isExpectedToHold : undefined,
    sequences: Object.fromEntries(
      KNOWN_SEQUENCES.map(({ name }) => [name, outcomes.filter(({ summary }) => (summary.figures[name] ?? 0) > 0).length]),
    ),
    levels: levelsOf(levels),
    fired: Object.fromEntries(ids.map((id) => [id, outcomes.reduce((so, { fired }) => so + (fired[id] ?? 0), 0)])),
  };
}

function levelsOf(levels: readonly LevelEntry[]): ScenarioRow['levels'] {
  const values = [...new Set(levels.map(({ value }) => value))];
  const figure = (value: number, way: 'up' | 'down'): SeedFigure =>
    // A level in which no task ended has no share, least of all a good one.
    meanInterval(levels.filter((one) => one.value === value && one.way === way && one.tasks > 0).map(({ failedShare }) => failedShare));
  return values.map((value) => ({ value, up: figure(value, 'up'), down: figure(value, 'down') }));
}
