/** The verdict of a run, its figures and its findings: pure, and from the journal alone. Asked twice, it says the same. */
import type { Experiment, Verdict } from '../core/experiment.js';
import { FINDINGS, type RunEntry } from '../core/run-entry.js';
import { SIGNALS, type SteadyRule } from '../core/sample.js';
import { firedAlerts } from './expected-alert.js';
import type { FindingEntry } from './finding.js';
import * as catalogue from './findings/index.js';
import { readHistory, type RunHistory } from './history.js';
import { reachedLimit } from './limits.js';
import { describeReading, rulesOf } from './steady-state.js';

/** The last entry of a journal. */
export type VerdictEntry = Extract<RunEntry, { readonly kind: 'verdict' }>;

/** What came of a run. */
export type Judgement = { readonly verdict: VerdictEntry; readonly findings: readonly FindingEntry[] };

type Reason = readonly [verdict: Verdict, why: string];
type Question = (history: RunHistory, experiment: Experiment, findings: readonly FindingEntry[]) => Reason | undefined;

const contradicting = new Set(Object.values(catalogue).flatMap((finding) => (finding.contradicts ? [finding.name] : [])));

/** P1 before P2, and then in the order of their table. */
const RANKS: readonly string[] = Object.entries(FINDINGS)
  .toSorted(([, [one]], [, [other]]) => one.localeCompare(other))
  .map(([name]) => name);

/** Something of ours is still out there: nothing is worse, and nothing hides it. */
const undoFailed: Question = ({ undos }) => {
  const left = undos.filter((one) => one.state === 'not-undone');
  return (
    left[0] && [
      'undo-failed',
      `${left.length === 1 ? 'One change is' : `${left.length} changes are`} not undone: ${left[0].name}: ${left[0].proof}`,
    ]
  );
};

/** Limits that were reached before enough calls were hit ended a run that had not said anything yet. */
const stopped: Question = ({ stops, trips, calls, isCallsOnly }, { dose, limits }) => {
  const trip = trips.find((one) => one.rule.state !== 'few');
  if (trip !== undefined) return ['aborted', `A tripwire stopped the run: ${trip.why}`];
  const stop = stops[0];
  if (stop === undefined) return undefined;
  const counts = { calls: calls.faulted + calls.control, faulted: calls.faulted };
  const isLimit = !stop.isAsked && reachedLimit(limits, counts, stop.atMs) !== undefined;
  const isEarly = isLimit && isCallsOnly && calls.faulted > 0 && calls.faulted < dose.minFaulted;
  if (isEarly) return ['inconclusive', `${stop.why} Only ${calls.faulted} calls had been hit then, and ${dose.minFaulted} are needed.`];
  return ['aborted', `The run was stopped: ${stop.why}`];
};

/** The run ended before anything was to be injected. */
const notBegun: Question = ({ unmet, isDryRun, undoMs, actions, entries }) => {
  if (unmet[0] !== undefined) return ['inconclusive', `Nothing was injected: ${unmet[0].name}: ${unmet[0].detail}`];
  if (undoMs !== undefined || (actions.size > 0 && !isDryRun)) return undefined;
  for (const { id, detail = '' } of actions.values()) return ['not-injected', `A dry run: "${id}" cannot be done: ${detail}`];
  const look = entries.findLast((entry) => entry.kind === 'steady' && entry.phase === 'before');
  const rule = look?.kind === 'steady' ? look.rules.find((one) => one.state !== 'holds') : undefined;
  if (rule !== undefined) return ['inconclusive', `The baseline is invalid, so nothing was injected: ${describeReading(rule)}.`];
  if (isDryRun) return ['inconclusive', 'A dry run: nothing was injected.'];
  return ['inconclusive', 'The baseline is invalid, so nothing was injected: it was not steady for a whole window.'];
};

/** What was found contradicts the hypothesis; the worst is told. */
const violated: Question = (_history, _experiment, findings) => {
  const rank = (one: FindingEntry): number => RANKS.indexOf(one.name);
  const [first] = findings.filter((one) => contradicting.has(one.name)).toSorted((one, other) => rank(one) - rank(other));
  return first && ['violated', `${first.name}: ${first.detail}`];
};

/** An effect that nobody saw, or that hit nobody, proves nothing about how the system bears it. */
const notInjected: Question = ({ actions, calls, idleRules, isInjected, hitsCalls }, experiment) => {
  for (const { id, action } of experiment.actions) {
    const entry = actions.get(id);
    if (entry?.state === 'in-effect' || entry?.state === 'ended-early') continue;
    return ['not-injected', `The effect of "${id}" (${action}) was not seen: ${entry?.detail ?? 'it was not begun'}`];
  }
  if (hitsCalls && calls.faulted === 0) return ['not-injected', 'Not one call was hit.'];
  if (idleRules[0] !== undefined)
    return ['not-injected', `${idleRules.length === 1 ? 'A rule' : `${idleRules.length} rules`} hit not one call: ${idleRules.join(', ')}`];
  return isInjected ? undefined : ['not-injected', 'No effect was seen.'];
};

/** A window that reaches back before the fault may hold nothing else. */
function isSeenDuring(
  { entries, faultOnMs = 0, undoMs = Number.POSITIVE_INFINITY }: RunHistory,
  { signal, lane, name }: SteadyRule,
): boolean {
  const { source } = SIGNALS[signal];
  return entries.some((entry) => {
    if (entry.kind !== 'sample' || entry.sample.source !== source || entry.sample.atMs < faultOnMs || entry.sample.atMs > undoMs)
      return false;
    const { sample } = entry;
    if (sample.source === 'call') return lane === undefined || sample.lane === lane;
    return sample.source !== 'reading' || sample.name === name;
  });
}

/** Too little was seen to say that all is well. */
const unknown: Question = (history, experiment) => {
  const { actions, calls, entries, faultOnMs, recoveredMs, healedMs } = history;
  const { minFaulted } = experiment.dose;
  if (calls.faulted < minFaulted) return ['inconclusive', `Only ${calls.faulted} calls were hit, and ${minFaulted} are needed.`];
  const over = [...actions.values()].find(({ state }) => state === 'ended-early');
  if (over !== undefined)
    return ['inconclusive', `The effect of "${over.id}" (${over.action}) did not last: ${over.detail ?? 'it was gone'}`];
  if (history.samples('probe', faultOnMs).length === 0) return ['inconclusive', 'No probe looked at the target from the fault on.'];
  const looks = entries.filter((entry) => entry.kind === 'steady');
  const during = looks.filter((look) => look.phase === 'during');
  for (const [index, rule] of rulesOf(experiment, 'during').entries()) {
    const readings = during.flatMap((look) => look.rules[index] ?? []);
    const last = readings.at(-1);
    if (last === undefined) return ['inconclusive', `During the fault, nobody looked at ${rule.signal}.`];
    // What held while the fault was young, and was silent at its end, says nothing about the time between.
    if (last.state === 'silent' || !readings.some((one) => one.state === 'holds'))
      return ['inconclusive', `During the fault, ${describeReading(last)}.`];
    if (!isSeenDuring(history, rule))
      return ['inconclusive', `During the fault, nothing new was seen of ${rule.signal}: what held was seen before it.`];
  }
  const blind = history.trips[0];
  if (blind !== undefined) return ['inconclusive', `A tripwire could not see enough: ${blind.why}`];
  if (experiment.mustSelfHeal && healedMs === undefined) return ['inconclusive', 'Whether it recovered under the fault could not be told.'];
  const end = history.recovering.at(-1)?.rules.find((one) => one.state !== 'holds');
  if (recoveredMs === undefined)
    return [
      'inconclusive',
      `Whether it recovered could not be told: ${end === undefined ? 'it was not steady for a whole window' : describeReading(end)}.`,
    ];
  return undefined;
};

/** In this order the worst is told. A violation outranks what proves too little: it needs no more samples to be one. */
const questions: readonly Question[] = [undoFailed, stopped, notBegun, violated, notInjected, unknown];

/** Milliseconds between two moments; null where one of them is not known. */
const between = (fromMs: number | undefined, toMs: number | undefined): number | null =>
  fromMs === undefined || toMs === undefined ? null : Math.max(0, toMs - fromMs);

/** Was anything seen to break? Where nothing was, nothing was repaired, and a repair in no time would flatter. */
function sawFailure(history: RunHistory): boolean {
  const { faultOnMs, undoMs, endMs, entries } = history;
  const untilMs = undoMs ?? endMs;
  return (
    history.samples('probe', faultOnMs, untilMs).some((probe) => !probe.isUp) ||
    history.samples('call', faultOnMs, untilMs).some((call) => call.end !== 'ok') ||
    entries.some((entry) => entry.kind === 'steady' && entry.atMs >= (faultOnMs ?? 0) && entry.rules.some((rule) => rule.state === 'fails'))
  );
}

/** Judges a journal. */
export function judge(entries: readonly RunEntry[], experiment: Experiment): Judgement {
  const history = readHistory(entries, experiment);
  const { endMs: atMs, faultOnMs, faultOffMs, healedMs, recoveredMs, calls, stops } = history;
  const findings = Object.values(catalogue).flatMap(({ name, find }): FindingEntry[] => {
    const detail = find(history, experiment);
    return detail === undefined ? [] : [{ kind: 'finding', atMs, name, detail }];
  });
  let reason: Reason = ['held', `What must stay true did: "${experiment.question}"`];
  for (const question of questions) {
    const found = question(history, experiment, findings);
    if (found === undefined) continue;
    reason = found;
    break;
  }
  const hasRules = rulesOf(experiment, 'after').length > 0;
  const isRepaired = experiment.mustSelfHeal && hasRules && sawFailure(history);
  return {
    findings,
    verdict: {
      kind: 'verdict',
      atMs,
      verdict: reason[0],
      why: reason[1],
      faultedCalls: calls.faulted,
      controlCalls: calls.control,
      mttdMs: between(faultOnMs, firedAlerts(history)[0]?.atMs),
      mttrMs: isRepaired ? between(faultOnMs, healedMs) : null,
      recoveryMs: hasRules ? between(faultOffMs, recoveredMs) : null,
      isStopped: stops.some((one) => one.isAsked),
    },
  };
}
