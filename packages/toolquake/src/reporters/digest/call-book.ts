/** Calls as they were journalled: by outcome, by tool, by task, in a fixed amount of memory. */
import {
  countCall,
  createSketch,
  DEFAULT_DEADLINE_MS,
  measuresOf,
  startTally,
  type CallOutcome,
  type JournalEntry,
  type Measures,
} from '@toolquake/sdk/core';
import { createBoundedMap } from './bounded-map.js';
import { isAnswered, percentilesOf, type Percentiles } from './percentiles.js';

type Call = Extract<JournalEntry, { kind: 'call' }>;

/** One tool. */
export type ToolRecord = {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  /** Calls that a fault was delivered on, and how many of these came back ok and unchanged. */
  readonly faulted: number;
  readonly altered: number;
  readonly latency: Percentiles;
};

/** All calls of a book. */
export type CallRecordBook = {
  /** Calls that happened: more than are in the journal where only those that met a fault were written. */
  readonly told: number;
  readonly calls: number;
  readonly failed: number;
  readonly altered: number;
  readonly faulted: number;
  /** Met a fault, and still came back ok and unchanged. */
  readonly unharmed: number;
  readonly outcomes: Readonly<Partial<Record<CallOutcome, number>>>;
  /** Tasks that calls named, and those with a call that failed; undefined where no call names its task. */
  readonly tasks: number | undefined;
  readonly hurtTasks: number | undefined;
  /** More tasks were named than can be told apart. */
  readonly hasMoreTasks: boolean;
  /** Only what single calls can tell: what happens in an agent stays unknown. */
  readonly measures: Measures;
};

const MAX_TOOLS = 60;
const MAX_TASKS = 200_000;

/** Collects calls. */
export type CallBook = {
  add(call: Call, run: { readonly number: number; readonly deadlineMs: number | undefined }): void;
  /** What the end of a run says about its calls, and how many of them were seen. */ tell(told: number, seen: number): void;
  summary(): CallRecordBook;
  tools(): readonly ToolRecord[];
};

/** An empty book. */
export function createCallBook(): CallBook {
  const tally = startTally();
  const outcomes: Partial<Record<CallOutcome, number>> = {};
  const isHurtByTask = new Map<string, boolean>();
  let hasMoreTasks = false;
  let unseen = 0;
  let altered = 0;
  let faulted = 0;
  let unharmed = 0;
  const tools = createBoundedMap(MAX_TOOLS, () => ({ calls: 0, failed: 0, faulted: 0, altered: 0, latency: createSketch() }));

  const countTask = (task: string, isFailed: boolean): void => {
    const isHurt = isHurtByTask.get(task);
    if (isHurt === undefined && isHurtByTask.size >= MAX_TASKS) hasMoreTasks = true;
    else if (isHurt !== true) isHurtByTask.set(task, isFailed);
  };

  return {
    add({ outcome, latencyMs, tool, task, faults, isAltered, isConformant }, { number: run, deadlineMs = DEFAULT_DEADLINE_MS }) {
      const isFailed = outcome !== 'ok';
      const isFaulted = faults !== undefined && faults.length > 0;
      countCall(tally, {
        outcome,
        latencyMs,
        deadlineMs,
        isConformant,
        isUsable: undefined,
        isAltered: isAltered === true,
      });
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (isAltered === true) altered++;
      if (isFaulted) faulted++;
      if (isFaulted && !isFailed && isAltered !== true) unharmed++;
      // Every run starts its tasks over.
      if (task !== undefined) countTask(`${run} ${task}`, isFailed);
      const record = tools.at(tool ?? '(no tool)');
      record.calls++;
      if (isAnswered(outcome)) record.latency.add(latencyMs);
      if (isFailed) record.failed++;
      if (isFaulted) record.faulted++;
      if (isAltered === true) record.altered++;
    },
    tell(told, seen) {
      unseen += Math.max(0, told - seen);
    },
    summary() {
      const tasks = isHurtByTask.size === 0 || hasMoreTasks ? undefined : isHurtByTask.size;
      const { seen } = tally.calls;
      // The few calls that met a fault say nothing about the many that did not.
      const measures = unseen > 0 ? measuresOf(startTally()) : measuresOf({ ...tally, tasks: tasks ?? 0 });
      return {
        told: seen + unseen,
        calls: seen,
        failed: seen - (outcomes.ok ?? 0),
        altered,
        faulted,
        unharmed,
        outcomes,
        tasks,
        hurtTasks: tasks === undefined ? undefined : [...isHurtByTask.values()].filter(Boolean).length,
        hasMoreTasks,
        // Operations and how tasks ended are the agent's secret.
        measures: { ...measures, tcaf: undefined, blastRadius: undefined, tcafCompat: undefined },
      };
    },
    tools: () =>
      tools
        .entries()
        .map(([tool, { latency, ...counts }]) => ({ tool, ...counts, latency: percentilesOf(latency) }))
        .sort((a, b) => b.calls - a.calls),
  };
}
