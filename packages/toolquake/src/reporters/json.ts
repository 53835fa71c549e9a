/** A digest for machines. The shape is documented in docs/reports.md; `version` grows when a key changes its meaning. */
import type { Measures } from '@toolquake/sdk/core';
import type { Digest } from './journal-digest.js';
import { coverageOf } from './coverage.js';
import type { Cell } from './digest/comparison.js';
import { stateOf } from './digest/rule-book.js';
import type { Tasks } from './digest/task-book.js';
import type { LiveMeasures } from './digest/task-measures.js';
import { nullsFor } from './figures.js';
import { storyOf } from './story.js';

/** JSON text. What is unknown is null, not absent. */
export function renderJson(digest: Digest): string {
  return `${JSON.stringify(reportOf(digest), undefined, 2)}\n`;
}

function reportOf(digest: Digest): object {
  const { runs, calls, comparisons, timelines, groups } = digest;
  const story = storyOf(digest);
  return {
    version: 1,
    story: { ran: story.ran, broke: story.broke, contained: story.contained },
    neverFired: story.neverFired.map(({ id }) => id),
    runs: { ...runs, list: runs.list.map((run) => nullsFor(run)) },
    rules: digest.rules.map((rule) => ({ ...rule, state: stateOf(rule) })),
    coverage: coverageOf(digest),
    calls: callsOf(calls),
    tools: digest.tools.map((tool) => ({ ...tool, latency: nullsFor(tool.latency) })),
    tasks: digest.tasks === undefined ? null : tasksJson(digest.tasks),
    groups: groups.map(({ label, calls: own }) => ({ label, ...callsOf(own) })),
    comparisons: comparisons.map(({ cells, totals, latency, ...about }) => ({
      ...about,
      cells: cells.map(cellOf),
      totals: totals.map(cellOf),
      latency: latency.map((one) => ({ ...one, latency: nullsFor(one.latency) })),
    })),
    sweeps: digest.sweeps,
    timelines: timelines.map(({ points, ...about }) => ({
      ...nullsFor(about),
      points: points.map((point) => ({ ...nullsFor(point), faults: Object.fromEntries(point.faults) })),
    })),
    marks: digest.marks,
    sequences: digest.sequences,
    dataChanges: digest.dataChanges.map((change) => nullsFor(change)),
    control: { ...digest.control, list: digest.control.list.map((one) => nullsFor(one)) },
    problems: digest.problems,
    entries: digest.entries,
    skipped: digest.skipped,
    torn: digest.torn,
  };
}

function tasksJson({ list, overall, byLabel, expectations, deadlines, ...about }: Tasks): object {
  return {
    ...about,
    deadline: deadlineJson(deadlines),
    expectations: expectations.map((one) => nullsFor(one)),
    overall: liveJson(overall),
    byLabel: byLabel.map(({ label, measures }) => ({ label, ...liveJson(measures) })),
    list: list.map(({ exit, ...task }) => ({ ...nullsFor(task), ...liveJson(task), exit: exit === undefined ? null : nullsFor(exit) })),
  };
}

/** One source and one time where all calls were judged by the same; else both are unknown, and the uses tell. */
function deadlineJson(uses: Tasks['deadlines']): object {
  const [only, ...others] = uses;
  const isOne = only !== undefined && others.length === 0;
  return { ms: isOne && only.lowMs === only.highMs ? only.lowMs : null, source: isOne ? only.source : null, uses };
}

function liveJson({ measures, timeToRecover, timeToReact, ...about }: LiveMeasures): object {
  const { calls, failed, operations, unrecovered, loops, wastedCalls } = about;
  return {
    ...nullsFor({ calls, failed, operations, unrecovered, loops, wastedCalls }),
    measures: nullsFor<Measures>(measures),
    timeToRecover: nullsFor(timeToRecover),
    timeToReact: nullsFor(timeToReact),
  };
}

function callsOf({ measures, ...about }: Digest['calls']): object {
  return { ...nullsFor(about), measures: nullsFor<Measures>(measures) };
}

function cellOf({ measures, taskLatency, ...about }: Cell): object {
  return { ...nullsFor(about), measures: nullsFor(measures), taskLatency: nullsFor(taskLatency) };
}
