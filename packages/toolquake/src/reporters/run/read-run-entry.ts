/** One line of the journal of an experiment, from outside: checked once, trusted afterwards. */
import { JOURNAL_VERSION } from '@toolquake/sdk/core';
import { PHASES, VERDICTS } from '../../core/experiment.js';
import { FINDINGS, type RunEntry } from '../../core/run-entry.js';
import { SIGNALS, type Sample } from '../../core/sample.js';
import { flag, listOf, number, object, oneOf, optional, shaped, share, text, time, type Check } from '../digest/entry-checks.js';

/** An entry, or what is wrong with the line. Kinds of a later version are `unknown`: readers pass over them. */
export type RunLineReading =
  | { readonly is: 'entry'; readonly entry: RunEntry }
  | { readonly is: 'unknown' }
  | { readonly is: 'bad' | 'other-version'; readonly problem: string };

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const countsByName: Check = (value) => object(value) && Object.values(value as object).every(time);

const lane = oneOf('control', 'faulted');
const end = oneOf('ok', 'error', 'rejected', 'timeout', 'empty', 'wrong', 'broken');

const SAMPLES: { readonly [Source in Sample['source']]: Readonly<Record<string, Check>> } = {
  probe: {
    isUp: flag,
    reason: orNull(text),
    step: orNull(text),
    totalMs: time,
    healthStatus: optional(number),
    healthReason: optional(text),
    canary: optional(end),
  },
  call: { lane, tool: text, end, ms: time, detail: optional(text) },
  task: { isDone: flag, attempts: time, ms: time },
  process: { pid: time, uptimeMs: time, restarts: optional(time), processes: optional(time) },
  host: { memory: share, cpu: share },
  reading: { name: text, value: number },
  faults: { calls: time, delivered: time, hits: optional(countsByName) },
};

const sample: Check = (value) => {
  if (!object(value)) return false;
  const source = (value as { source?: unknown }).source;
  if (typeof source !== 'string' || !Object.hasOwn(SAMPLES, source)) return false;
  return shaped({ atMs: time, ...SAMPLES[source as Sample['source']] })(value);
};

const phase = oneOf(...PHASES);
const rule = shaped({
  signal: oneOf(...Object.keys(SIGNALS)),
  lane: optional(lane),
  name: optional(text),
  bound: text,
  windowMs: optional(time),
  value: orNull(number),
  samples: time,
  state: oneOf('holds', 'fails', 'few', 'silent'),
});

/** What reports rely on, by kind. More keys than these do no harm. */
const SHAPES: { readonly [Kind in RunEntry['kind']]: Readonly<Record<string, Check>> } = {
  experiment: {
    run: text,
    experiment: text,
    question: text,
    owner: optional(text),
    target: text,
    environment: text,
    startedAt: text,
    stage: number,
    stages: number,
    dose: number,
    seed: number,
    planDigest: text,
    faultDigest: text,
    isDryRun: flag,
    monitorEveryMs: time,
    recoverWithinMs: time,
    actions: listOf(shaped({ id: text, action: text, blast: text, about: text })),
  },
  build: { build: text },
  phase: { phase },
  precondition: { name: text, isMet: flag, detail: text },
  action: {
    id: text,
    action: text,
    state: oneOf('applying', 'applied', 'in-effect', 'not-in-effect', 'ended-early', 'failed'),
    detail: optional(text),
  },
  undo: {
    id: text,
    name: text,
    state: oneOf('undone', 'gone', 'not-undone'),
    proof: text,
    tookMs: time,
    by: oneOf('runner', 'warden', 'sweep', 'person'),
  },
  sample: { sample },
  steady: { phase, isSteady: flag, rules: listOf(rule) },
  trip: { rule, origin: text, why: text },
  stop: { why: text, isAsked: flag },
  alert: { state: oneOf('firing', 'resolved'), reason: text, rule: text, sentAtMs: optional(number) },
  finding: { name: oneOf(...Object.keys(FINDINGS)), detail: text },
  note: { text },
  verdict: {
    verdict: oneOf(...VERDICTS),
    why: text,
    faultedCalls: time,
    controlCalls: time,
    mttdMs: orNull(number),
    mttrMs: orNull(number),
    recoveryMs: orNull(number),
    isStopped: flag,
  },
};

/** Reads one line. Never throws. */
export function readRunEntry(line: string): RunLineReading {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { is: 'bad', problem: 'it is not JSON' };
  }
  return checkRunEntry(value);
}

/** Looks at one entry that was parsed already. Never throws. */
export function checkRunEntry(value: unknown): RunLineReading {
  if (!object(value)) return { is: 'bad', problem: 'it is not a JSON object' };
  const entry = value as Record<string, unknown>;
  const kind = entry['kind'];
  if (typeof kind !== 'string') return { is: 'bad', problem: 'it has no "kind"' };
  if (kind === 'experiment' && entry['v'] !== JOURNAL_VERSION) {
    return { is: 'other-version', problem: `it is a journal of version ${JSON.stringify(entry['v']) ?? '(none)'}, not ${JOURNAL_VERSION}` };
  }
  if (!Object.hasOwn(SHAPES, kind)) return { is: 'unknown' };
  if (!time(entry['atMs'])) return { is: 'bad', problem: `its "atMs" is not a time` };
  for (const [key, check] of Object.entries(SHAPES[kind as RunEntry['kind']])) {
    if (check(entry[key])) continue;
    const problem = entry[key] === undefined ? `a "${kind}" entry needs "${key}"` : `its "${key}" is not what a "${kind}" entry has`;
    return { is: 'bad', problem };
  }
  return { is: 'entry', entry: value as RunEntry };
}
