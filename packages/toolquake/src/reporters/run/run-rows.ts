/** The tables of a report, as words: the same rows in every format. */
import { duration, figure, grouped, percent } from '../figures.js';
import { adviceFor, findingMeaning } from './finding-advice.js';
import type { RunDigest, Some } from './run-digest.js';
import { timeText } from './run-story.js';
import type { SteadyRecord } from './steady-book.js';

/** One table. `words` are the columns that are read, not compared. `bad` tells which rows are in need of attention. */
export type RunTable = {
  readonly id: string;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly words: readonly number[];
  readonly isBad?: (row: number) => boolean;
  /** Rows that there is no room for. */
  readonly more?: number;
};

/** A number with its four leading digits. */
export const plain = (value: number | null | undefined): string =>
  value === null || value === undefined ? 'n/a' : String(Number(value.toPrecision(4)));

const more = <Value>({ list, count }: Some<Value>): number => count - list.length;

/** What was done: actions, and from when to when. */
export function actionsTable({ actions }: RunDigest): RunTable {
  return {
    id: 'actions',
    title: 'What was done',
    head: ['id', 'action', 'hits', 'state', 'from', 'seen', 'until', 'what'],
    rows: actions.map(({ id, action, blast, state, onMs, seenMs, offMs, about, detail }) => [
      id,
      action,
      blast,
      state,
      duration(onMs),
      duration(seenMs),
      duration(offMs),
      detail === undefined || detail === about ? about : `${about}${about === '' || about.endsWith('.') ? '' : '.'} Seen: ${detail}`.trim(),
    ]),
    words: [1, 2, 3, 7],
    isBad: (row) => actions[row]?.seenMs === undefined,
  };
}

/** The proof that everything is as before. */
export function undoTable({ undos }: RunDigest): RunTable {
  return {
    id: 'undo',
    title: 'Undo proof',
    head: ['change', 'state', 'by', 'at', 'took', 'proof'],
    rows: undos.map(({ name, state, by, atMs, tookMs, proof }) => [name, state, by, duration(atMs), duration(tookMs), proof]),
    words: [1, 2, 5],
    isBad: (row) => undos[row]?.state === 'not-undone',
  };
}

/** What must be true before anything is done. */
export function preconditionsTable({ preconditions }: RunDigest): RunTable {
  return {
    id: 'preconditions',
    title: 'Preconditions',
    head: ['precondition', 'met', 'seen'],
    rows: preconditions.list.map(({ name, isMet, detail }) => [name, isMet ? 'yes' : 'no', detail]),
    words: [1, 2],
    isBad: (row) => preconditions.list[row]?.isMet === false,
    more: more(preconditions),
  };
}

/** Both lanes side by side. */
export function lanesTable({ lanes }: RunDigest): RunTable {
  const seen = (['control', 'faulted'] as const).filter((lane) => lanes[lane].calls > 0);
  return {
    id: 'lanes',
    title: 'Calls: control against faulted',
    head: ['lane', 'calls', 'failed', 'errors', 'rejected', 'timeouts', 'empty', 'wrong', 'broken', 'p50', 'p95', 'p99'],
    rows: seen.map((lane) => {
      const { calls, failed, ends, latency } = lanes[lane];
      return [
        lane,
        grouped(calls),
        percent(failed / calls),
        ...(['error', 'rejected', 'timeout', 'empty', 'wrong', 'broken'] as const).map((end) => grouped(ends[end] ?? 0)),
        duration(latency.p50),
        duration(latency.p95),
        duration(latency.p99),
      ];
    }),
    words: [],
  };
}

/** What else was seen: probes, operations, process, host, readings. */
export function seenTable({ probes, tasks, process, host, readings, delivered }: RunDigest): RunTable {
  const rows: (readonly string[])[] = [];
  if (probes.probes > 0) {
    const reasons = probes.reasons.slice(0, 4).map(({ text, count }) => `${text} (${grouped(count)})`);
    rows.push([
      'probes from outside',
      `${grouped(probes.probes)}, ${grouped(probes.down)} down, p95 ${duration(probes.latency.p95)}`,
      reasons.join('; '),
    ]);
  }
  if (tasks.tasks > 0)
    rows.push([
      'operations',
      `${grouped(tasks.tasks)}, ${percent(tasks.failed / tasks.tasks)} failed`,
      `${figure(tasks.attempts / tasks.tasks, 2)} calls for each, retries included`,
    ]);
  if (delivered !== undefined)
    rows.push([
      'proxy of the run',
      `${grouped(delivered.delivered)} of ${grouped(delivered.calls)} calls hit`,
      'as counted by the proxy, last reading',
    ]);
  if (process.pids > 0 || process.wasGone)
    rows.push([
      'process',
      `${grouped(process.pids)} seen, ${process.restarts === undefined ? 'restarts n/a' : `${grouped(process.restarts)} restarts`}`,
      process.wasGone ? 'was gone for a while' : 'was there all the time',
    ]);
  if (host !== undefined) rows.push(['this host', `memory ${percent(host.memory)}, processors ${percent(host.cpu)}`, 'at most']);
  for (const { name, first, last, low, high, count } of readings)
    rows.push([
      `reading ${name}`,
      `${plain(first)} → ${plain(last)}`,
      `from ${plain(low)} to ${plain(high)} in ${grouped(count)} readings`,
    ]);
  return { id: 'seen', title: 'What else was seen', head: ['source', 'figures', 'more'], rows, words: [1, 2] };
}

/** Rules of the steady state by phase. */
export function steadyTable({ steady }: RunDigest): RunTable {
  const valueText = ({ last, low, high }: SteadyRecord): string =>
    `${plain(last.value)}${low === high ? '' : ` (${plain(low)} to ${plain(high)})`}`;
  return {
    id: 'steady',
    title: 'Steady state, rule by rule',
    head: ['phase', 'rule', 'holds', 'fails', 'too few', 'silent', 'last value (range)'],
    rows: steady.map((one) => [
      one.phase,
      one.rule,
      grouped(one.states.holds),
      grouped(one.states.fails),
      grouped(one.states.few),
      grouped(one.states.silent),
      valueText(one),
    ]),
    words: [1],
    isBad: (row) => (steady[row]?.states.fails ?? 0) > 0,
  };
}

/** Alerts as they arrived. */
export function alertsTable({ alerts, moments }: RunDigest): RunTable {
  return {
    id: 'alerts',
    title: 'Alerts',
    head: ['at', 'after the fault', 'state', 'reason', 'rule', 'on the way'],
    rows: alerts.list.map(({ atMs, state, reason, rule, sentAtMs }) => [
      duration(atMs),
      moments.begunMs === undefined || atMs < moments.begunMs ? 'n/a' : duration(atMs - moments.begunMs),
      state,
      reason,
      rule,
      sentAtMs === undefined ? 'n/a' : duration(Math.max(0, atMs - sentAtMs)),
    ]),
    words: [2, 3, 4],
    more: more(alerts),
  };
}

/** What ended the run early: tripwires, people, limits. */
export function tripsTable({ trips, stops }: RunDigest): RunTable {
  return {
    id: 'trips',
    title: 'What ended it',
    head: ['at', 'what', 'value', 'why', 'from'],
    rows: [
      ...trips.list.map(({ atMs, rule, value, why, origin }) => [duration(atMs), rule, plain(value), why, origin]),
      ...stops.list.map(({ atMs, why, isAsked }) => [duration(atMs), isAsked ? 'asked to stop' : 'stopped by itself', '', why, '']),
    ],
    words: [1, 3, 4],
    isBad: () => true,
    more: more(trips) + more(stops),
  };
}

/** What was found, with what to do. */
export function findingsTable({ findings }: RunDigest): RunTable {
  return {
    id: 'findings',
    title: 'Findings',
    head: ['finding', 'priority', 'what was seen', 'what to do'],
    rows: findings.list.map(({ name, detail }) => [name, findingMeaning(name).priority, detail, adviceFor(name)]),
    words: [1, 2, 3],
    isBad: (row) => findingMeaning(findings.list[row]?.name ?? 'steady-violated').priority === 'P1',
    more: more(findings),
  };
}

/** The verdict's figures beside those that were counted again. */
export function figuresTable({ verdict, figures }: RunDigest): RunTable {
  const rows: readonly (readonly [string, string, string])[] = [
    ['MTTD: fault on to alert', timeText(figures.mttdMs), timeText(verdict?.mttdMs)],
    ['MTTR: fault on to steady again by itself', timeText(figures.mttrMs), timeText(verdict?.mttrMs)],
    ['recovery: fault off to steady again', timeText(figures.recoveryMs), timeText(verdict?.recoveryMs)],
    ['faulted calls', grouped(figures.faultedCalls), verdict === undefined ? 'n/a' : grouped(verdict.faultedCalls)],
    ['control calls', grouped(figures.controlCalls), verdict === undefined ? 'n/a' : grouped(verdict.controlCalls)],
  ];
  return { id: 'figures', title: 'Figures', head: ['figure', 'counted from the journal', 'as the verdict says'], rows, words: [] };
}

/** Lines for people, and what could not be read. */
export function notesTable({ notes, skipped }: RunDigest): RunTable {
  return {
    id: 'notes',
    title: 'Notes',
    head: ['at', 'note'],
    rows: [
      ...notes.list.map(({ atMs, text }) => [duration(atMs), text]),
      ...skipped.list.map(({ where, problem }) => ['', `${where} was left out: ${problem}`]),
    ],
    words: [1],
    more: more(notes) + more(skipped),
  };
}
