/**
 * A journal in a fixed amount of memory: feed it entries one by one, in order, and ask for the result at the end.
 * Every rendering (console, JSON, Markdown, JUnit, HTML) is made from the result alone.
 */
import { assertNever, type JournalEntry } from '@toolquake/sdk/core';
import { clipped, createBoundedMap, createCounter, type TextCount } from './digest/bounded-map.js';
import { createCallBook, type CallRecordBook, type ToolRecord } from './digest/call-book.js';
import { createComparisonBook, type Comparison, type Point } from './digest/comparison.js';
import { createControlBook, type ControlRecords } from './digest/control-book.js';
import { createDataChangeBook, type DataChangeRecord } from './digest/data-change-book.js';
import {
  createMomentBook,
  startHappenings,
  type Happenings,
  type HappeningsOfRun,
  type MarkRecord,
  type SequenceRecord,
} from './digest/happenings.js';
import { createRuleBook, type RuleRecord, type RunRules } from './digest/rule-book.js';
import { createRunBook, type GrowingRun, type Runs } from './digest/run-book.js';
import { createSweepBook, type Sweep } from './digest/sweep.js';
import { createTaskBook, type Tasks } from './digest/task-book.js';
import { createTimeline, type Timeline, type TimelinePoint } from './digest/timeline.js';

/** Calls of all runs of one label. */
export type GroupRecord = { readonly label: string; readonly calls: CallRecordBook };

/** Runs laid over one another. What happened is told of the first of them. */
export type TimelineRecord = {
  readonly label: string;
  readonly variant: string | undefined;
  readonly point: Point | undefined;
  readonly runs: number;
  readonly seed: number;
  readonly lastMs: number;
  readonly points: readonly TimelinePoint[];
} & Happenings;

/** A line that was left out. */
export type SkippedLine = { readonly where: string; readonly problem: string };

/** Everything that renderings need. */
export type Digest = {
  readonly entries: number;
  readonly runs: Runs;
  readonly rules: readonly RuleRecord[];
  readonly calls: CallRecordBook;
  readonly tools: readonly ToolRecord[];
  /** Tasks of live runs, and what they measure; undefined where there was no live call. */
  readonly tasks: Tasks | undefined;
  readonly groups: readonly GroupRecord[];
  readonly timelines: readonly TimelineRecord[];
  /** Timelines that there was no room for. */
  readonly moreTimelines: number;
  readonly comparisons: readonly Comparison[];
  readonly sweeps: readonly Sweep[];
  readonly marks: readonly MarkRecord[];
  readonly sequences: readonly SequenceRecord[];
  readonly dataChanges: readonly DataChangeRecord[];
  /** What was done to runs while they went on. */
  readonly control: ControlRecords;
  readonly problems: readonly TextCount[];
  /** Lines that are no entry: the first ones, and how many. */
  readonly skipped: { readonly count: number; readonly first: readonly SkippedLine[] };
  /** Last lines of runs that were killed while writing them. */
  readonly torn: number;
};

/** A digest that grows. */
export type JournalDigest = {
  /** The next entry. What belongs to no run that was started and has not ended is refused with false. */
  add(entry: JournalEntry): boolean;
  skip(line: SkippedLine): void;
  tear(): void;
  result(): Digest;
};

const MAX_GROUPS = 24;
const MAX_TIMELINES = 48;
const MAX_LEVELS_PER_RUN = 1000;
const MAX_SKIPPED = 20;
const MAX_OPEN = 64;

type OpenRun = {
  readonly id: string | undefined;
  readonly record: GrowingRun;
  readonly rules: RunRules;
  readonly timeline: Timeline;
  readonly happenings: HappeningsOfRun;
  readonly delivered: Map<string, number>;
  readonly levels: Extract<JournalEntry, { kind: 'level' }>[];
  readonly moments: Extract<JournalEntry, { kind: 'mark' | 'sequence' }>[];
  summary: Extract<JournalEntry, { kind: 'summary' }> | undefined;
};

type GrowingTimeline = Omit<TimelineRecord, 'runs' | 'points' | 'lastMs'> & { runs: number; lastMs: number; timeline: Timeline };

/** An empty digest. */
export function createDigest(): JournalDigest {
  const runs = createRunBook();
  const rules = createRuleBook();
  const calls = createCallBook();
  const groups = createBoundedMap(MAX_GROUPS, createCallBook);
  const comparisons = createComparisonBook();
  const sweeps = createSweepBook();
  const moments = createMomentBook();
  const dataChanges = createDataChangeBook();
  const control = createControlBook();
  const problems = createCounter(50);
  const tasks = createTaskBook();
  const timelines = new Map<string, GrowingTimeline>();
  const fullTimelines = new Set<string>();
  const skipped: { count: number; first: SkippedLine[] } = { count: 0, first: [] };
  let torn = 0;
  let entries = 0;
  /** Two processes may write one file: runs may overlap. */
  let open: OpenRun[] = [];

  const close = (run: OpenRun): void => {
    const { record, summary } = run;
    run.rules.close();
    const label = summary === undefined ? record.label : clipped(summary.variant);
    for (const level of run.levels) sweeps.add(label, level);
    for (const moment of run.moments) {
      if (moment.kind === 'mark') moments.addMark(label, moment);
      else moments.addSequence(label, record.number, moment);
    }
    keepTimeline(run, label);
  };

  const keepTimeline = ({ record, timeline, happenings, summary }: OpenRun, label: string): void => {
    const { disturbances, moments: labels } = happenings.result();
    const { calls: ownCalls, windows } = timeline.parts;
    if (ownCalls === undefined && windows === undefined && disturbances.length === 0 && labels.length === 0) return;
    // Live runs each have a time of their own; simulated ones of the same kind differ by their seed alone.
    const key = JSON.stringify([label, summary?.scenario, summary?.point, record.transport === 'simulator' ? 0 : record.number]);
    const held = timelines.get(key);
    if (held !== undefined) {
      held.runs++;
      held.lastMs = Math.max(held.lastMs, record.lastMs);
      held.timeline.merge(timeline);
    } else if (timelines.size < MAX_TIMELINES) {
      const { seed, lastMs } = record;
      const about = { label, variant: summary?.variant, point: summary?.point, runs: 1, seed, lastMs };
      timelines.set(key, { ...about, disturbances, moments: labels, timeline });
    } else if (fullTimelines.size < 10_000) fullTimelines.add(key);
  };

  const start = (entry: Extract<JournalEntry, { kind: 'start' }>): void => {
    const record = runs.start(entry);
    tasks.addRun(entry, record);
    open.push({
      id: entry.run,
      record,
      rules: rules.addRun(entry.rules),
      timeline: createTimeline(),
      happenings: startHappenings(),
      delivered: new Map(),
      levels: [],
      moments: [],
      summary: undefined,
    });
    // More than a few at a time are no overlap but killed runs.
    if (open.length > MAX_OPEN) abandon(open.shift()!);
  };

  const abandon = (run: OpenRun): void => {
    rules.addDeliveries(run.delivered);
    close(run);
  };

  const addToRun = (run: OpenRun, entry: Exclude<JournalEntry, { kind: 'start' | 'task' }>): void => {
    const { record } = run;
    record.lastMs = Math.max(record.lastMs, entry.atMs);
    switch (entry.kind) {
      case 'fault':
        rules.addFault(entry);
        if (entry.state !== 'delivered') return;
        run.delivered.set(entry.rule, (run.delivered.get(entry.rule) ?? 0) + 1);
        run.timeline.addFault(entry);
        return dataChanges.add(entry);
      case 'call':
        record.calls++;
        calls.add(entry, record);
        tasks.addCall(entry, record);
        groups.at(record.label).add(entry, record);
        if (entry.era !== undefined) runs.seeEra(entry.era);
        return run.timeline.addCall(entry);
      case 'control':
        run.rules.change(entry);
        return run.happenings.addControl(entry.atMs, control.addControl(entry, record));
      case 'boundary':
        tasks.addBoundary(entry, record);
        return run.happenings.addControl(entry.atMs, control.addBoundary(entry, record));
      case 'problem':
        return problems.add(entry.message);
      case 'mark':
      case 'sequence':
        if (run.moments.length < MAX_LEVELS_PER_RUN) run.moments.push(entry);
        return entry.kind === 'mark' ? run.happenings.addMark(entry) : run.happenings.addSequence(entry);
      case 'change':
        return run.happenings.addChange(entry);
      case 'window':
        return run.timeline.addWindow(entry);
      case 'level':
        if (run.levels.length < MAX_LEVELS_PER_RUN) run.levels.push(entry);
        return;
      case 'summary':
        run.summary = entry;
        return comparisons.add(entry);
      case 'end':
        calls.tell(entry.calls, record.calls);
        if (record.calls > 0) groups.at(record.label).tell(entry.calls, record.calls);
        record.calls = Math.max(record.calls, entry.calls);
        rules.addDeliveries(Object.entries(entry.fired));
        runs.end(record);
        open = open.filter((one) => one !== run);
        return close(run);
      default:
        return assertNever(entry);
    }
  };

  return {
    add(entry) {
      entries++;
      if (entry.kind === 'start') start(entry);
      else if (entry.kind === 'task') tasks.addTask(entry);
      else {
        // An entry that does not say whose it is goes to the latest.
        const run = entry.run === undefined ? open.at(-1) : open.findLast(({ id }) => id === entry.run);
        if (run === undefined) return false;
        addToRun(run, entry);
      }
      return true;
    },
    skip(line) {
      skipped.count++;
      if (skipped.first.length < MAX_SKIPPED) skipped.first.push(line);
    },
    tear() {
      torn++;
    },
    result() {
      for (const run of open.splice(0)) abandon(run);
      return {
        entries,
        runs: runs.result(),
        rules: rules.list(),
        calls: calls.summary(),
        tools: calls.tools(),
        tasks: tasks.result(),
        groups: groups.entries().map(([label, book]) => ({ label, calls: book.summary() })),
        timelines: [...timelines.values()].map(({ timeline, ...about }) => ({ ...about, points: timeline.points() })),
        moreTimelines: fullTimelines.size,
        comparisons: comparisons.list(),
        sweeps: sweeps.list(),
        marks: moments.marks(),
        sequences: moments.sequences(),
        dataChanges: dataChanges.list(),
        control: control.result(),
        problems: problems.list(),
        skipped,
        torn,
      };
    },
  };
}
