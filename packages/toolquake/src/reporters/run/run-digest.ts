/**
 * The journal of an experiment, reduced to what a report shows: in bounded memory, entry by entry, in whatever order they
 * come. Figures are counted here from what was done and seen; what the verdict says is kept beside them, and compared.
 */
import type { Phase, Verdict } from '../../core/experiment.js';
import type { RunEntry } from '../../core/run-entry.js';
import type { Sample } from '../../core/sample.js';
import { addToSample, clipped, createBoundedMap, type Sample as Kept } from '../digest/bounded-map.js';
import { disagreementsOf } from './disagreements.js';
import { createFaultBook, notUndone, type ActionRecord, type UndoRecord } from './fault-book.js';
import { createEventReader, type RunEvent } from './run-events.js';
import { createMomentsBook } from './moments-book.js';
import { callsOf, figuresOf, type Disagreement, type RunFigures, type RunMoments } from './run-figures.js';
import { createSeriesBook, type LaneTotals, type ProbeTotals, type SeriesPoint } from './series-book.js';
import { createSteadyBook, ruleText, type SteadyRecord } from './steady-book.js';
import { createVerdictBook } from './verdict-book.js';

type Entry<Kind extends RunEntry['kind']> = Extract<RunEntry, { kind: Kind }>;
type Plain<Kind extends RunEntry['kind']> = Omit<Entry<Kind>, 'kind'>;

/** What the first entry says. */
export type RunAbout = Plain<'experiment'>;

/** A stretch of the life of a run. */
export type PhaseRecord = { readonly phase: Phase; readonly fromMs: number; readonly toMs: number };

/** A tripwire that ended the run. */
export type TripRecord = {
  readonly atMs: number;
  readonly rule: string;
  readonly value: number | null;
  readonly origin: string;
  readonly why: string;
  /** It saw too few samples to say anything. */
  readonly isBlind: boolean;
};

/** A number that was read again and again. */
export type ReadingRecord = {
  readonly name: string;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly low: number;
  readonly high: number;
};

/** The first of a list, and how long it was. */
export type Some<Value> = { readonly list: readonly Value[]; readonly count: number };

/** See the module comment. */
export type RunDigest = {
  readonly about: RunAbout | undefined;
  readonly build: string | undefined;
  readonly phases: readonly PhaseRecord[];
  readonly preconditions: Some<Plain<'precondition'>>;
  readonly actions: readonly ActionRecord[];
  readonly undos: readonly UndoRecord[];
  readonly points: readonly SeriesPoint[];
  readonly lanes: Readonly<Record<'control' | 'faulted', LaneTotals>>;
  readonly probes: ProbeTotals;
  readonly tasks: { readonly tasks: number; readonly failed: number; readonly attempts: number };
  readonly process: { readonly pids: number; readonly restarts: number | undefined; readonly wasGone: boolean };
  readonly host: { readonly memory: number; readonly cpu: number } | undefined;
  readonly readings: readonly ReadingRecord[];
  /** What the proxy of the run counted last. */
  readonly delivered: { readonly calls: number; readonly delivered: number } | undefined;
  readonly steady: readonly SteadyRecord[];
  readonly trips: Some<TripRecord>;
  /** Why it was ended early, besides tripwires. */
  readonly stops: Some<Plain<'stop'>>;
  readonly alerts: Some<Plain<'alert'>>;
  readonly findings: Some<Plain<'finding'>>;
  readonly notes: Some<Plain<'note'>>;
  readonly verdict: Plain<'verdict'> | undefined;
  /** What is worth a line, in the order of the journal. */
  readonly events: Some<RunEvent>;
  readonly moments: RunMoments;
  readonly figures: RunFigures;
  readonly disagreements: readonly Disagreement[];
  /** Those that the rest of the journal leaves open, the likeliest first. */
  readonly openVerdicts: readonly Verdict[];
  readonly lastMs: number;
  readonly entries: number;
  readonly skipped: Some<{ readonly where: string; readonly problem: string }>;
  readonly isTorn: boolean;
};

/** Takes a journal in. */
export type RunDigester = {
  add(entry: RunEntry): void;
  /** A line that is no entry. */
  skip(line: { readonly where: string; readonly problem: string }): void;
  /** The last line has no end: the run was killed while it wrote. */
  tear(): void;
  result(): RunDigest;
};

const MAX_LISTED = 60;
const MAX_PHASES = 20;
const MAX_EVENTS = 200;
/** Of them, what only comes and goes: however often it does, there is room for what was done. */
const MAX_CHANGES = 120;
const MAX_READINGS = 12;

const keep = <Value>(): Kept<Value> => ({ values: [], seen: 0 });
const some = <Value>({ values, seen }: Kept<Value>): Some<Value> => ({ list: [...values], count: seen });

/** Every text short enough to be read. */
function short<Value extends object>(value: Value): Value {
  const entries = Object.entries(value).map(([key, one]: [string, unknown]) => [key, typeof one === 'string' ? clipped(one) : one]);
  // The same keys with the same kinds of values, which Object.fromEntries cannot tell.
  return Object.fromEntries(entries) as Value;
}

/** An empty digest. */
export function createRunDigest(): RunDigester {
  const [series, steady, faults] = [createSeriesBook(), createSteadyBook(), createFaultBook()];
  let about: RunAbout | undefined;
  let build: string | undefined;
  let verdict: Plain<'verdict'> | undefined;
  const phases: { phase: Phase; fromMs: number }[] = [];
  const [preconditions, alerts] = [keep<Plain<'precondition'>>(), keep<Plain<'alert'>>()];
  const [trips, findings, notes] = [keep<TripRecord>(), keep<Plain<'finding'>>(), keep<Plain<'note'>>()];
  const [readEvent, events] = [createEventReader(), keep<RunEvent>()];
  const stops = keep<Plain<'stop'>>();
  const skipped = keep<{ where: string; problem: string }>();
  const tasks = { tasks: 0, failed: 0, attempts: 0 };
  const process = { lastPid: 0, pids: 0, first: undefined as number | undefined, last: undefined as number | undefined, wasGone: false };
  let host: { memory: number; cpu: number } | undefined;
  const readings = createBoundedMap<{ count: number; first: number; last: number; low: number; high: number }>(MAX_READINGS, () => ({
    count: 0,
    first: 0,
    last: 0,
    low: Infinity,
    high: -Infinity,
  }));
  let delivered: RunDigest['delivered'];
  const [moments, verdicts] = [createMomentsBook(), createVerdictBook()];
  let [lastMs, entries, changes, isTorn] = [0, 0, 0, false];

  const addSample = (sample: Sample): void => {
    switch (sample.source) {
      case 'call':
        return series.addCall(sample);
      case 'probe':
        return series.addProbe(sample);
      case 'task':
        tasks.tasks++;
        tasks.attempts += sample.attempts;
        if (!sample.isDone) tasks.failed++;
        return;
      case 'process':
        if (sample.pid === 0) process.wasGone = true;
        else if (sample.pid !== process.lastPid) {
          process.pids++;
          process.lastPid = sample.pid;
        }
        process.first ??= sample.restarts;
        process.last = sample.restarts ?? process.last;
        return;
      case 'host':
        host = { memory: Math.max(host?.memory ?? 0, sample.memory), cpu: Math.max(host?.cpu ?? 0, sample.cpu) };
        return;
      case 'reading': {
        const one = readings.at(sample.name);
        if (one.count++ === 0) one.first = sample.value;
        one.last = sample.value;
        one.low = Math.min(one.low, sample.value);
        one.high = Math.max(one.high, sample.value);
        return;
      }
      case 'faults':
        delivered = {
          calls: Math.max(delivered?.calls ?? 0, sample.calls),
          delivered: Math.max(delivered?.delivered ?? 0, sample.delivered),
        };
    }
  };

  const addSteady = ({ atMs, phase, isSteady, rules }: Entry<'steady'>): void => {
    series.addSteady(atMs, isSteady);
    for (const rule of rules) steady.add(phase, rule);
  };

  const take = (entry: RunEntry): void => {
    switch (entry.kind) {
      case 'experiment': {
        const given = withoutKind(entry);
        about = { ...short(given), actions: given.actions.slice(0, MAX_LISTED).map(short) };
        return faults.plan(given.actions);
      }
      case 'build':
        build = clipped(entry.build);
        return;
      case 'phase':
        if (phases.length < MAX_PHASES) phases.push({ phase: entry.phase, fromMs: entry.atMs });
        return;
      case 'precondition':
        return addToSample(preconditions, short(withoutKind(entry)), MAX_LISTED);
      case 'action':
        return faults.addAction(entry);
      case 'undo':
        return faults.addUndo(entry);
      case 'sample':
        return addSample(entry.sample);
      case 'steady':
        return addSteady(entry);
      case 'trip': {
        const { atMs, rule, origin, why } = entry;
        return addToSample(
          trips,
          short({ atMs, rule: ruleText(rule), value: rule.value, origin, why, isBlind: rule.state === 'few' }),
          MAX_LISTED,
        );
      }
      case 'stop':
        return addToSample(stops, short(withoutKind(entry)), MAX_LISTED);
      case 'alert':
        return addToSample(alerts, short(withoutKind(entry)), MAX_LISTED);
      case 'finding':
        return addToSample(findings, short(withoutKind(entry)), MAX_LISTED);
      case 'note':
        return addToSample(notes, short(withoutKind(entry)), MAX_LISTED);
      case 'verdict':
        verdict = short(withoutKind(entry));
    }
  };

  return {
    add(entry) {
      entries++;
      lastMs = Math.max(lastMs, entry.atMs);
      const event = readEvent(entry);
      if (event !== undefined) {
        const isChange = entry.kind === 'sample' || entry.kind === 'steady' || entry.kind === 'note';
        if (isChange) changes++;
        addToSample(events, event, isChange && changes > MAX_CHANGES ? 0 : MAX_EVENTS);
      }
      // Only the first of them says what the run is about.
      if (entry.kind === 'experiment' && about !== undefined) return;
      moments.add(entry);
      verdicts.add(entry);
      take(entry);
    },
    skip: ({ where, problem }) => addToSample(skipped, short({ where, problem }), 20),
    tear() {
      isTorn = true;
    },
    result() {
      const lanes = series.lanes();
      const undos = faults.undos();
      const afterMs = phases.find(({ phase }) => phase === 'after')?.fromMs;
      const left = new Set(notUndone(undos).map(({ id }) => id));
      const actions = faults
        .actions()
        .map((one) => (left.has(one.id) ? { ...one, offMs: undefined } : { ...one, offMs: one.offMs ?? afterMs }));
      const when = moments.result({ actions, undos, told: verdict });
      const rules = steady.list();
      const figures = figuresOf(
        when,
        callsOf(
          lanes,
          delivered,
          actions.map(({ blast }) => blast),
          verdict?.faultedCalls,
        ),
      );
      const open = verdicts.result({ actions, undos, moments: when, figures, steady: rules });
      return {
        about,
        build,
        phases: phases.map(({ phase, fromMs }, index) => ({ phase, fromMs, toMs: Math.max(fromMs, phases[index + 1]?.fromMs ?? lastMs) })),
        preconditions: some(preconditions),
        actions,
        undos,
        points: series.points(),
        lanes,
        probes: series.probes(),
        tasks: { ...tasks },
        process: { pids: process.pids, restarts: restartsOf(process), wasGone: process.wasGone },
        host,
        readings: readings.entries().map(([name, one]) => ({ name, ...one })),
        delivered,
        steady: rules,
        trips: some(trips),
        stops: some(stops),
        alerts: some(alerts),
        findings: some(findings),
        notes: some(notes),
        verdict,
        events: some(events),
        moments: when,
        figures,
        disagreements: disagreementsOf(verdict, figures, open),
        openVerdicts: open.verdicts,
        lastMs,
        entries,
        skipped: some(skipped),
        isTorn,
      };
    },
  };
}

function withoutKind<Value extends { readonly kind: string }>({ kind: _kind, ...rest }: Value): Omit<Value, 'kind'> {
  return rest;
}

function restartsOf({ first, last }: { readonly first: number | undefined; readonly last: number | undefined }): number | undefined {
  return first === undefined || last === undefined ? undefined : Math.max(0, last - first);
}
