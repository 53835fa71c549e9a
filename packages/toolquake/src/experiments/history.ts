/** What a journal says, put in order for verdict and findings. Pure, and from the journal alone. */
import type { Experiment } from '../core/experiment.js';
import type { RunEntry } from '../core/run-entry.js';
import type { Lane, Sample } from '../core/sample.js';
import { looksOf, provenSteadySinceMs, rulesOf, type SteadyLook } from './steady-state.js';

type Kind<One extends RunEntry['kind']> = Extract<RunEntry, { readonly kind: One }>;
type Seen<One extends Sample['source']> = Extract<Sample, { readonly source: One }>;

/** See the module comment. Moments that did not come are undefined. */
export type RunHistory = {
  readonly entries: readonly RunEntry[];
  readonly isDryRun: boolean;
  readonly beforeMs: number | undefined;
  /** The first action that hits somebody was about to begin; where none does, the first. */
  readonly faultOnMs: number | undefined;
  /** Undoing began. */
  readonly undoMs: number | undefined;
  /** Everything was undone. */
  readonly faultOffMs: number | undefined;
  readonly endMs: number;
  readonly stops: readonly Kind<'stop'>[];
  readonly trips: readonly Kind<'trip'>[];
  readonly alerts: readonly Kind<'alert'>[];
  readonly undos: readonly Kind<'undo'>[];
  readonly unmet: readonly Kind<'precondition'>[];
  /** The last state of each action that was begun. */
  readonly actions: ReadonlyMap<string, Kind<'action'>>;
  /** An effect was seen, and calls were hit where calls were to be hit: what went wrong has to do with it. */
  readonly isInjected: boolean;
  /** Single calls are hit, and nothing else: then the faulted lane shows our faults, and only the control lane the system. */
  readonly isCallsOnly: boolean;
  /** Single calls are hit, whatever else is. */
  readonly hitsCalls: boolean;
  readonly calls: { readonly faulted: number; readonly control: number };
  /** Rules that were injected and hit nobody, where anybody counted. */
  readonly idleRules: readonly string[];
  /** From one moment on, and before another. */
  samples<One extends Sample['source']>(source: One, fromMs?: number, untilMs?: number): readonly Seen<One>[];
  /** When it was steady again under the fault, and after it; undefined where it was not. */
  readonly healedMs: number | undefined;
  readonly recoveredMs: number | undefined;
  /** The looks at the rules for recovery: under the fault, where the system has to heal itself, and after it. */
  readonly healing: readonly SteadyLook[];
  readonly recovering: readonly SteadyLook[];
  /** It was watched after the undo for as long as that takes. */
  readonly isWatchedToEnd: boolean;
};

const isKind =
  <One extends RunEntry['kind']>(kind: One) =>
  (entry: RunEntry): entry is Kind<One> =>
    entry.kind === kind;

/**
 * Calls by lane: as callers saw them, and as the proxy of the run counted them, for callers that are not ours. Where lanes are
 * `blurred` every call of the fault is in the faulted lane, and only what counted the rules' hits knows how many there were.
 */
function countCalls(samples: readonly Sample[], isBlurred: boolean): RunHistory['calls'] {
  const of = (lane: Lane): number => samples.filter((one) => one.source === 'call' && one.lane === lane).length;
  let passed = 0;
  let delivered = 0;
  for (const one of samples) {
    if (one.source !== 'faults') continue;
    passed = Math.max(passed, one.calls);
    delivered = Math.max(delivered, one.delivered);
  }
  const hasLoad = samples.some((one) => one.source === 'call');
  return { faulted: isBlurred ? delivered : Math.max(of('faulted'), delivered), control: hasLoad ? of('control') : passed - delivered };
}

/** Rules that no count was ever above 0 for. */
function idleRules(samples: readonly Sample[]): readonly string[] {
  const most = new Map<string, number>();
  for (const one of samples) {
    if (one.source !== 'faults') continue;
    for (const [id, count] of Object.entries(one.hits ?? {})) most.set(id, Math.max(most.get(id) ?? 0, count));
  }
  return [...most].flatMap(([id, count]) => (count === 0 ? [id] : []));
}

/** Reads a journal. What verdict and findings said themselves is left out: so both can be made again and again. */
export function readHistory(all: readonly RunEntry[], experiment: Experiment): RunHistory {
  const entries = all.filter((entry) => entry.kind !== 'finding' && entry.kind !== 'verdict');
  const header = entries.find(isKind('experiment'));
  const samples = entries.filter(isKind('sample')).map((entry) => entry.sample);
  const phaseMs = (phase: Kind<'phase'>['phase']): number | undefined =>
    entries.find((one) => one.kind === 'phase' && one.phase === phase)?.atMs;
  const actions = new Map(entries.filter(isKind('action')).map((entry) => [entry.id, entry]));
  const blasts = new Map(header?.actions.map((one) => [one.id, one.blast]) ?? []);
  const begun = entries.filter(isKind('action')).filter((one) => one.state === 'applying');
  const faultOnMs = (begun.find((one) => blasts.get(one.id) !== 'none') ?? begun[0])?.atMs;
  const undoMs = phaseMs('undo');
  const lastUndoMs = entries.findLast(isKind('undo'))?.atMs;
  const faultOffMs = phaseMs('after') ?? lastUndoMs ?? undoMs;
  const stops = entries.filter(isKind('stop'));
  const trips = entries.filter(isKind('trip'));
  // A tripwire may be quicker than the look at the effect: then it is the proof.
  const wasSeen = ({ state }: Kind<'action'>): boolean =>
    state === 'in-effect' || state === 'ended-early' || (state === 'applied' && trips.length > 0);
  const effective = [...actions.values()].filter(wasSeen);
  const blastsOf = (wanted: string): boolean => [...blasts.values()].includes(wanted);
  const hitsCalls = blastsOf('calls');
  const isCallsOnly = hitsCalls && !blastsOf('server');
  // A whole server is hit besides, or the rules are in a place where nobody can tell which call they hit.
  const calls = countCalls(samples, hitsCalls && (!isCallsOnly || experiment.front === undefined));
  const rules = rulesOf(experiment, 'after');
  // By their place in the journal: two things of one moment have an order there.
  const placeOf = (phase: Kind<'phase'>['phase']): number => entries.findIndex((one) => one.kind === 'phase' && one.phase === phase);
  const [undoPlace, afterPlace] = [placeOf('undo'), placeOf('after')];
  const healing = looksOf(undoPlace === -1 ? entries : entries.slice(0, undoPlace), 'after', faultOnMs ?? 0);
  const recovering = afterPlace === -1 ? [] : looksOf(entries.slice(afterPlace), 'after', 0);
  return {
    entries,
    isDryRun: header?.isDryRun === true,
    beforeMs: phaseMs('before'),
    faultOnMs,
    undoMs,
    faultOffMs,
    endMs: entries.reduce((latest, entry) => Math.max(latest, entry.atMs), 0),
    stops,
    trips,
    alerts: entries.filter(isKind('alert')),
    undos: [...new Map(entries.filter(isKind('undo')).map((one) => [`${one.id}\n${one.name}`, one])).values()],
    unmet: entries.filter(isKind('precondition')).filter((one) => !one.isMet),
    actions,
    isInjected: effective.some((one) => blasts.get(one.id) !== 'calls' || calls.faulted > 0),
    isCallsOnly,
    hitsCalls,
    calls,
    idleRules: idleRules(samples),
    samples: (source, fromMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY) =>
      samples.filter((one): one is Seen<typeof source> => one.source === source && one.atMs >= fromMs && one.atMs < untilMs),
    healedMs: faultOnMs === undefined ? undefined : provenSteadySinceMs(healing, rules, faultOnMs),
    recoveredMs: provenSteadySinceMs(recovering, rules, faultOffMs ?? 0),
    healing,
    recovering,
    isWatchedToEnd: phaseMs('after') !== undefined && stops.length === 0,
  };
}
