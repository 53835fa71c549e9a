/** One line of a journal from outside: checked once, trusted afterwards. */
import { JOURNAL_VERSION, sketchFromJSON, startTally, type JournalEntry } from '@toolquake/sdk/core';
import { flag, listOf, number, object, oneOf, optional, recordOf, scalar, shaped, share, text, time, type Check } from './entry-checks.js';

/** An entry, or what is wrong with the line. Kinds of a later version are `unknown`: readers pass over them. */
export type LineReading =
  | { readonly is: 'entry'; readonly entry: JournalEntry }
  | { readonly is: 'unknown' }
  | { readonly is: 'bad'; readonly problem: string }
  | { readonly is: 'other-version'; readonly problem: string };

const sketch: Check = (value) => {
  try {
    sketchFromJSON(value);
    return true;
  } catch {
    return false;
  }
};

/** Whatever a tally has: numbers where it has numbers, in both layers. */
const tally: Check = shaped(
  Object.fromEntries(
    Object.entries(startTally()).map(([key, value]) => [
      key,
      typeof value === 'object'
        ? shaped(Object.fromEntries(Object.keys(value).map((inner) => [inner, time])))
        : typeof value === 'number'
          ? time
          : flag,
    ]),
  ),
);

const exchange = { session: text, exchange: number, method: text, tool: optional(text) };

/** What the digest relies on, by kind. More keys than these do no harm. */
const SHAPES: { readonly [Kind in JournalEntry['kind']]: Readonly<Record<string, Check>> } = {
  start: {
    transport: text,
    seed: number,
    rules: listOf(shaped({ id: text, fault: text })),
    target: optional(text),
    startedAt: optional(text),
    guarded: optional(text),
    group: optional(text),
    task: optional(text),
    deadlineMs: optional(time),
    expect: optional(recordOf(shaped({ min: optional(number), max: optional(number) }))),
  },
  fault: {
    ...exchange,
    rule: text,
    fault: text,
    state: oneOf('delivered', 'suppressed', 'not-delivered'),
    by: optional(text),
    why: optional(text),
    changes: optional(listOf(shaped({ path: text }))),
  },
  call: {
    ...exchange,
    outcome: oneOf('ok', 'tool-error', 'rpc-error', 'http-error', 'disconnected', 'no-answer', 'cancelled'),
    latencyMs: number,
    task: optional(text),
    trace: optional(text),
    operation: optional(text),
    sends: optional(time),
    era: optional(text),
    faults: optional(listOf(text)),
    isConformant: optional(flag),
    isTimedOut: optional(flag),
  },
  task: {
    task: text,
    group: text,
    state: oneOf('started', 'ended'),
    startedAt: text,
    command: text,
    exitCode: optional(time),
    signal: optional(text),
  },
  control: {
    what: oneOf('inject', 'clear', 'clear-all', 'expire', 'reload', 'kill', 'revive'),
    by: oneOf('admin', 'program', 'time'),
    added: optional(listOf(shaped({ id: text, fault: text }))),
    removed: optional(listOf(text)),
    lastsMs: optional(time),
    seed: optional(number),
  },
  boundary: { task: text, state: oneOf('started', 'ended'), outcome: optional(oneOf('ok', 'failed')) },
  problem: { message: text },
  mark: { mark: text, where: text, value: optional(number) },
  sequence: { sequence: text, marks: listOf(text), sinceMs: time },
  change: { what: text, from: scalar, to: scalar, isDisturbed: flag },
  window: {
    lastsMs: time,
    tasks: time,
    failedTasks: time,
    calls: time,
    retries: time,
    failedCalls: time,
    refused: time,
    inFlight: time,
    p50Ms: optional(time),
    p99Ms: optional(time),
  },
  level: { way: oneOf('up', 'down'), what: text, value: number, failedShare: share, tasks: time },
  summary: {
    scenario: text,
    variant: text,
    point: recordOf(scalar),
    seed: number,
    tally,
    deceivedTasks: time,
    latency: recordOf(sketch),
    taskLatency: sketch,
    figures: recordOf(number),
    onPaper: optional(share),
    events: number,
  },
  end: { fired: recordOf(time), calls: time },
};

/** Reads one line. Never throws. */
export function readEntry(line: string): LineReading {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { is: 'bad', problem: 'it is not JSON' };
  }
  if (!object(value)) return { is: 'bad', problem: 'it is not a JSON object' };
  const entry = value as Record<string, unknown>;
  const kind = entry['kind'];
  if (typeof kind !== 'string') return { is: 'bad', problem: 'it has no "kind"' };
  if ((kind === 'start' || kind === 'task') && entry['v'] !== JOURNAL_VERSION) {
    return { is: 'other-version', problem: `it is a journal of version ${JSON.stringify(entry['v']) ?? '(none)'}, not ${JOURNAL_VERSION}` };
  }
  if (!Object.hasOwn(SHAPES, kind)) return { is: 'unknown' };
  if (!optional(text)(entry['run'])) return { is: 'bad', problem: `its "run" is not the name of a run` };
  if (!time(entry['atMs'])) return { is: 'bad', problem: `its "atMs" is not a time` };
  for (const [key, check] of Object.entries(SHAPES[kind as JournalEntry['kind']])) {
    if (!check(entry[key])) {
      return {
        is: 'bad',
        problem: entry[key] === undefined ? `a "${kind}" entry needs "${key}"` : `its "${key}" is not what a "${kind}" entry has`,
      };
    }
  }
  return { is: 'entry', entry: value as JournalEntry };
}
