/** Runs a scenario: all variants, points and seeds, on all cores, and sums them up. */
import { createCatalogue, KNOWN_SEQUENCES, meanInterval, ToolquakeError, type JournalEntry, type JsonObject } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { readScenario } from '../config/load-scenario.js';
import type { ScenarioReport, ScenarioRow, SeedFigure } from '../reporters/scenario.js';
import { FIGURE_NAMES, figureOf } from '../simulator/figures-of-run.js';
import { sweepProblems, type Scenario, type Variant } from '../simulator/scenario.js';
import { openJournal } from './journal-file.js';
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
  const sums = new Map<string, RowSum>();
  const journal = options.journalPath === undefined ? undefined : openJournal(options.journalPath, () => {});
  const write = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) {
      const entry = JSON.parse(line) as JournalEntry;
      journal?.append(entry);
      options.onEntry?.(entry);
    }
    await journal?.drain();
    const failure = journal?.failure();
    if (failure !== undefined) throw failure;
  };
  try {
    await doJobs({
      source: scenario.source,
      jobs,
      keepsLines: true,
      everyCall: options.everyCall,
      threads: options.threads ?? threadsFor(jobs.length),
      signal: options.signal,
      onProgress: options.onProgress,
      // Every call of many runs does not fit into memory: such journals are written as they come.
      onLine: options.everyCall && journal !== undefined ? (line) => write([line]) : undefined,
      async onOutcome(outcome, job) {
        addTo(sums, job, outcome);
        await write(outcome.lines);
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
    rules: rulesOf(scenario.source),
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

function rulesOf(source: JsonObject): readonly { id: string; fault: string }[] {
  const plan = source['plan'] as { rules?: readonly { id: string; fault: string; enabled?: boolean }[] } | undefined;
  return (plan?.rules ?? []).filter(({ enabled }) => enabled !== false).map(({ id, fault }) => ({ id, fault }));
}

type Level = JournalEntry & { kind: 'level' };
type RowSum = { readonly job: ScenarioJob; readonly outcomes: Pick<ScenarioOutcome, 'summary' | 'fired'>[]; readonly levels: Level[] };

function addTo(sums: Map<string, RowSum>, job: ScenarioJob, { summary, fired, lines }: ScenarioOutcome): void {
  const key = JSON.stringify([job.variant, job.point]);
  let sum = sums.get(key);
  if (sum === undefined) sums.set(key, (sum = { job, outcomes: [], levels: [] }));
  sum.outcomes.push({ summary, fired });
  for (const line of lines) if (line.startsWith('{"kind":"level"')) sum.levels.push(JSON.parse(line) as Level);
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
      return { figure, max, min, value, isHeld: value !== undefined && value <= (max ?? Infinity) && value >= (min ?? -Infinity) };
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

function levelsOf(levels: readonly Level[]): ScenarioRow['levels'] {
  const values = [...new Set(levels.map(({ value }) => value))];
  const figure = (value: number, way: 'up' | 'down'): SeedFigure =>
    meanInterval(levels.filter((one) => one.value === value && one.way === way).map(({ failedShare }) => failedShare));
  return values.map((value) => ({ value, up: figure(value, 'up'), down: figure(value, 'down') }));
}
