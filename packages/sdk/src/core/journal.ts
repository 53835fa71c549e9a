/**
 * The journal: one entry per line (JSONL), one versioned schema for simulator, proxies and in-process use.
 * Every report, plot and exit code is a rendering of it. What an agent sees carries no mark; marks live here only.
 */
import type { CallOutcome } from './call-outcome.js';
import type { BoundaryEntry, ControlEntry, ListedRule } from './control-entry.js';
import type { DataChange } from './data-change.js';
import type { MessageId } from './message.js';
import type { Era } from './session.js';
import type { TransportName } from './fault.js';
import type { Tally } from './metrics.js';
import type { Bounds } from './plan.js';
import type { SketchData } from './sketch.js';

/** Version of the entries below. */
export const JOURNAL_VERSION = 1;

/** Which exchange an entry is about. */
export type ExchangeRef = {
  readonly session: string;
  /** Number of the request in its session, from 1; 0 for a connection. */
  readonly exchange: number;
  readonly method: string;
  readonly tool?: string;
  readonly id?: MessageId;
};

/** The rules of a plan as a start entry lists them. */
export function listedRules(
  rules: readonly { readonly id: string; readonly fault: { readonly type: string }; readonly isEnabled: boolean }[],
): readonly ListedRule[] {
  return rules.map(({ id, fault, isEnabled }) => ({ id, fault: fault.type, ...(isEnabled ? {} : { isEnabled }) }));
}

/** What came of a rule's draw on one exchange. */
export type FaultState = 'delivered' | 'suppressed' | 'not-delivered';

/** What happened in a stretch of time. Latencies are of the calls that were answered in it; absent when there were none. */
export type WindowCounts = {
  readonly tasks: number;
  readonly failedTasks: number;
  /** Requests that went out, retries included, and how many of them were retries. */
  readonly calls: number;
  readonly retries: number;
  readonly failedCalls: number;
  /** Requests that the caller refused itself: limiter, breaker, bulkhead. */
  readonly refused: number;
  /** At the end of the window. */
  readonly inFlight: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
};

/** What a line says. `atMs` is time since the start entry, on the transport's own clock. */
export type EntryBody =
  | {
      readonly v: typeof JOURNAL_VERSION;
      readonly kind: 'start';
      readonly atMs: 0;
      readonly transport: TransportName;
      readonly seed: number;
      readonly rules: readonly ListedRule[];
      readonly target?: string;
      /** Wall-clock start as ISO text; absent in the simulator. */
      readonly startedAt?: string;
      /** Why nothing will be injected although there is a plan. */
      readonly guarded?: string;
      /** The run directory that this run shares with others: tasks of the same name there are one task. */
      readonly group?: string;
      /** The task that this process was started for. */
      readonly task?: string;
      /** When a call is too late by the plan, where the client's own timeout does not show. */
      readonly deadlineMs?: number;
      /** Bounds that the plan expects measures to keep. */
      readonly expect?: Readonly<Record<string, Bounds>>;
    }
  | ({
      readonly kind: 'fault';
      readonly atMs: number;
      readonly rule: string;
      readonly fault: string;
      readonly state: FaultState;
      /** Scope and number of the match: with the seed, all that a draw depends on. */
      readonly scope: string;
      readonly match: number;
      /** Kinds of the effects that were performed. */
      readonly effects?: readonly string[];
      /** The rule or limit that suppressed it. */
      readonly by?: string;
      readonly why?: string;
      /** What a data fault made of the answer. */
      readonly changes?: readonly DataChange[];
    } & ExchangeRef)
  | ({
      readonly kind: 'call';
      readonly atMs: number;
      readonly outcome: CallOutcome;
      readonly latencyMs: number;
      /** The task that the request names. */
      readonly task?: string;
      /** The trace that the request names. */
      readonly trace?: string;
      /** Equal for calls of one tool with the same arguments, within a run or a run directory. */
      readonly operation?: string;
      /** How often the request went on to the server, where that is not once. */
      readonly sends?: number;
      readonly era?: Era;
      /** Rules whose faults were delivered on this call. */
      readonly faults?: readonly string[];
      /** The client gave up for time, and said so: its timeout was `latencyMs`. */
      readonly isTimedOut?: true;
      /** A data fault changed what the caller saw. */
      readonly isAltered?: true;
      /** Did the result keep the output schema that the server listed? Absent without a result or a schema, and where nobody can tell. */
      readonly isConformant?: boolean;
    } & ExchangeRef)
  /** A task as its wrapper saw it; in a file of its own, which needs no start entry. */
  | {
      readonly v: typeof JOURNAL_VERSION;
      readonly kind: 'task';
      readonly atMs: number;
      readonly task: string;
      readonly group: string;
      readonly state: 'started' | 'ended';
      readonly startedAt: string;
      /** The name of the command, without its arguments: they may hold secrets. */
      readonly command: string;
      readonly exitCode?: number;
      readonly signal?: string;
    }
  | ControlEntry
  | BoundaryEntry
  | { readonly kind: 'problem'; readonly atMs: number; readonly message: string }
  /** Something worth knowing happened in the system: a pool ran dry, retries jumped. */
  | { readonly kind: 'mark'; readonly atMs: number; readonly mark: string; readonly where: string; readonly value?: number }
  /** Marks came in an order that has a name, for example of a known way to fail. */
  | {
      readonly kind: 'sequence';
      readonly atMs: number;
      readonly sequence: string;
      readonly marks: readonly string[];
      /** When its first mark was made. */
      readonly sinceMs: number;
    }
  /** The world was changed from outside: a pool was cut, a server crashed, the change was taken back. */
  | {
      readonly kind: 'change';
      readonly atMs: number;
      readonly what: string;
      readonly from: number | string | boolean;
      readonly to: number | string | boolean;
      /** False where the change puts things back to how they were at the start. */
      readonly isDisturbed: boolean;
    }
  /** What happened in the `lastsMs` before `atMs`. */
  | ({ readonly kind: 'window'; readonly atMs: number; readonly lastsMs: number } & WindowCounts)
  /** One level of a sweep through one run, on the way up (the disturbance grows) or down. */
  | {
      readonly kind: 'level';
      readonly atMs: number;
      readonly way: 'up' | 'down';
      readonly what: string;
      readonly value: number;
      /** Share of the tasks of this level that failed, and how many there were. */
      readonly failedShare: number;
      readonly tasks: number;
    }
  /** What came of one simulated run. With `variant`, `point` and `seed` it says which run it was. */
  | {
      readonly kind: 'summary';
      readonly atMs: number;
      readonly scenario: string;
      /** How the system was defended, for example `without` and `with retry budget`. */
      readonly variant: string;
      /** Values of the swept keys. */
      readonly point: Readonly<Record<string, number | string | boolean>>;
      readonly seed: number;
      readonly tally: Tally;
      /** Tasks that ended well in the agent's eyes, on a wrong answer. */
      readonly deceivedTasks: number;
      /** Answers of calls, in milliseconds, by tool. */
      readonly latency: Readonly<Record<string, SketchData>>;
      /** Whole tasks, in milliseconds. */
      readonly taskLatency: SketchData;
      /** Further numbers that the scenario cares about, by name. */
      readonly figures: Readonly<Record<string, number>>;
      /** Share of failed tasks on paper, where there is a formula. */
      readonly onPaper?: number;
      readonly events: number;
    }
  | {
      readonly kind: 'end';
      readonly atMs: number;
      /** Deliveries per rule, rules that never fired included with 0. */
      readonly fired: Readonly<Record<string, number>>;
      readonly calls: number;
    };

/** One line of a journal. `run` tells runs apart whose entries may mix in one file; absent, an entry is of the run that began last. */
export type JournalEntry = EntryBody & { readonly run?: string };

/** Where entries go. A sink must not throw. */
export type JournalSink = (entry: JournalEntry) => void;

/** One line of text, newline included. */
export function journalLine(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * The decisions in a journal without what depends on the clock or the transport, in a canonical order:
 * two transports that met the same calls under the same plan have equal decisions.
 */
export function decisionsOf(entries: Iterable<JournalEntry>): readonly string[] {
  const lines: { key: string; order: number; line: string }[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'fault') continue;
    const { session, exchange, method, tool, id, rule, fault, state, scope, match, effects, by, why, changes } = entry;
    lines.push({
      key: session,
      order: exchange,
      line: JSON.stringify({ session, exchange, method, tool, id, rule, fault, state, scope, match, effects, by, why, changes }),
    });
  }
  lines.sort((a, b) => (a.key === b.key ? a.order - b.order || (a.line < b.line ? -1 : 1) : a.key < b.key ? -1 : 1));
  return lines.map((entry) => entry.line);
}
