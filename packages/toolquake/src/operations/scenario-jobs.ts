/** The runs of a scenario: every variant at every swept point with every seed, and how one of them is done. */
import { createCatalogue, type JournalEntry, type JournalSink, type JsonObject } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { checkTopology } from '../simulator/check-topology.js';
import { blastRadiusOnPaper } from '../simulator/on-paper.js';
import { createPlane, type PlaneRun, type Summary } from '../simulator/plane.js';
import { pointsOf, type Scenario, type Sweep } from '../simulator/scenario.js';
import { withSettings, type Settings } from '../simulator/settings.js';
import type { SettingValue, Topology } from '../simulator/topology.js';
import type { LevelEntry } from '../simulator/watch.js';

/** One run to be done. Plain data: it can be sent to another thread. */
export type ScenarioJob = {
  readonly variant: string;
  readonly point: Readonly<Record<string, SettingValue>>;
  readonly settings: Settings;
  readonly seed: number;
};

/** What came of it. */
export type ScenarioOutcome = {
  readonly summary: Summary;
  readonly fired: Readonly<Record<string, number>>;
  readonly levels: readonly LevelEntry[];
  /** The journal, when it was asked for. */
  readonly entries: readonly JournalEntry[];
};

/** All runs, in the order of the journal and of the table. */
export function jobsOf(
  scenario: Scenario,
  sweeps: readonly Sweep[],
  seeds: { readonly first: number; readonly count: number },
): readonly ScenarioJob[] {
  return scenario.variants.flatMap(({ name, set }) =>
    pointsOf(sweeps).flatMap((point) =>
      Array.from({ length: seeds.count }, (_, index): ScenarioJob => ({
        variant: name,
        point,
        // What is swept wins over what the variant says: it was asked for last.
        settings: { ...set, ...point },
        seed: seeds.first + index,
      })),
    ),
  );
}

/** Prepares runs of one scenario; the topology of the last job is kept, because many seeds share it. */
export function createJobRunner(source: JsonObject): {
  start(
    job: ScenarioJob,
    options: { readonly keepsEntries: boolean; readonly everyCall: boolean; readonly onEntry?: JournalSink | undefined },
  ): {
    readonly run: PlaneRun;
    outcome(summary: Summary): ScenarioOutcome;
  };
} {
  const catalogue = createCatalogue(faults);
  let last: { readonly key: string; readonly topology: Topology } | undefined;

  const topologyOf = ({ settings }: ScenarioJob): Topology => {
    const key = JSON.stringify(settings);
    if (last?.key === key) return last.topology;
    const { topology, problems } = checkTopology(withSettings(source, settings), catalogue);
    // Every setting was checked by itself; together they can still contradict each other.
    if (topology === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
    last = { key, topology };
    return topology;
  };

  return {
    start(job, { keepsEntries, everyCall, onEntry }) {
      const topology = topologyOf(job);
      const entries: JournalEntry[] = [];
      const keep: JournalSink = (entry) => void entries.push(entry);
      const run = createPlane({
        topology,
        seed: job.seed,
        variant: job.variant,
        point: job.point,
        onPaper: blastRadiusOnPaper(topology),
        // Nobody to hear it: then nothing is even made for a journal.
        journal: keepsEntries ? (onEntry ?? keep) : undefined,
        everyCall,
      });
      return { run, outcome: (summary) => ({ summary, fired: run.fired(), levels: run.levels, entries }) };
    },
  };
}
