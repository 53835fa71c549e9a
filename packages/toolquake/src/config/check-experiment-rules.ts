/** What is wrong with a rule of an experiment, of its steady state or of a tripwire: nobody could answer it, or its answer is known before. */
import { pathText, suggest, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { Action } from '../actions/action.js';
import type { Experiment } from '../core/experiment.js';
import { SIGNALS, type Sample, type SignalName, type SignalQuery, type SteadyPhase, type SteadyRule } from '../core/sample.js';
import { timeWord } from '../core/time-word.js';
import type { ConfiguredTarget } from './configured-target.js';
import type { Settings } from './experiment-settings.js';

/** What is known besides the experiment. `target` is undefined when it was not found: then nothing is said about it again. */
export type ExperimentSurroundings = {
  readonly settings: Settings;
  readonly actions: readonly Action[];
  readonly target: ConfiguredTarget | undefined;
};

/** Takes a problem: where, what, and what to do. */
export type Report = (path: PlanPath, message: string, advice?: string) => void;

const STEADY_PHASES = ['before', 'during', 'after'];
/** Too few samples stretch a window to this many times its length, and no further. */
const STRETCH = 4;
/** Process and host are looked at so often. */
const SAMPLER_MS = 1000;

/** Every problem of every rule of the file. */
export function checkRules(reader: ValueReader, report: Report, experiment: Experiment, around: ExperimentSurroundings): void {
  const { settings } = around;
  const rulesOf = (key: string): readonly Settings[] => (settings[key] ?? []) as readonly Settings[];

  if (settings['steady'] !== undefined && experiment.steady.length === 0)
    report(['steady'], 'is empty: nothing would have to stay true.', 'Leave it out for the usual rules.');
  rulesOf('steady').forEach((rule, index) => {
    const path = ['steady', index];
    checkBound(reader, rule, path, ['atLeast', 'atMost', 'equals']);
    checkPhases(reader, rule, path);
    checkLane(report, experiment.steady[index]!, path);
    checkBrought(report, experiment.steady[index]!, path, experiment, around);
    checkQuery(report, experiment.steady[index]!, path, experiment, around);
    checkReach(report, rule, path);
  });
  if (settings['steady'] !== undefined) checkCover(report, experiment);
  rulesOf('rollback_on').forEach((rule, index) => {
    const path = ['rollback_on', index];
    checkBound(reader, rule, path, ['above', 'below']);
    checkQuery(report, experiment.rollbackOn[index]!, path, experiment, around);
    checkReach(report, rule, path);
    checkPatience(report, experiment, experiment.rollbackOn[index]!.forMs, [...path, 'for']);
  });
  if (experiment.rollbackOn.length === 0) {
    report(
      [],
      'has no tripwire: the engine would never stop by itself.',
      'For example: rollback_on: [{ signal: outage_seconds, above: 300 }]',
    );
  }
}

/** Sources that actions bring themselves. */
export const broughtBy = (actions: readonly Action[]): ReadonlySet<Sample['source']> =>
  new Set(actions.flatMap(({ brings }) => brings ?? []));

/** How long all of them take. */
export const timeOf = (actions: Experiment['actions']): number => actions.reduce((sum, { forMs }) => sum + forMs, 0);

function checkBound(reader: ValueReader, rule: Settings, path: PlanPath, words: readonly string[]): void {
  const given = words.filter((word) => rule[word] !== undefined);
  if (given.length === 1) return;
  const which = words.map((word) => `"${word}"`).join(' or ');
  const message = given.length === 0 ? `needs ${which}.` : `has ${given.length} bounds: ${given.join(' and ')}.`;
  reader.report(
    path,
    given.length === 0 ? 'MISSING_KEY' : 'IMPOSSIBLE',
    `${pathText(path)} ${message}`,
    given.length === 0 ? undefined : 'Write two rules.',
  );
}

function checkPhases(reader: ValueReader, rule: Settings, path: PlanPath): void {
  const given = (rule['in'] as readonly string[] | undefined) ?? STEADY_PHASES;
  given.forEach((word, index) => void reader.word(word, [...path, 'in', index], STEADY_PHASES));
  if (given.length === 0) reader.report([...path, 'in'], 'IMPOSSIBLE', `${pathText(path)}.in is empty: the rule would never count.`);
}

/** What never happens, or always does, decides nothing: a percentage in the place of a share is the usual reason. */
function checkReach(report: Report, rule: Settings, path: PlanPath): void {
  const signal = rule['signal'] as SignalName;
  if (signal === 'reading') return;
  const { unit, source } = SIGNALS[signal];
  const isShare = unit === 'share';
  // How the tripwire of an action on a host that others keep busy is switched off.
  const mayBeMost = source === 'host';
  const most = isShare ? 1 : Number.POSITIVE_INFINITY;
  const ends: Readonly<Record<string, (bound: number) => string | undefined>> = {
    atLeast: (bound) => (bound <= 0 ? 'it always holds' : bound > most ? 'it never holds' : undefined),
    atMost: (bound) => (bound < 0 ? 'it never holds' : bound >= most ? 'it always holds' : undefined),
    equals: (bound) => (bound < 0 || bound > most ? 'it never holds' : undefined),
    above: (bound) => (bound < 0 ? 'it always trips' : bound > most || (bound === most && !mayBeMost) ? 'it never trips' : undefined),
    below: (bound) => (bound <= 0 ? 'it never trips' : bound > most ? 'it always trips' : undefined),
  };
  for (const [word, endOf] of Object.entries(ends)) {
    const bound = rule[word];
    const end = typeof bound === 'number' ? endOf(bound) : undefined;
    if (end === undefined) continue;
    const range = isShare ? 'is a share from 0 to 1' : 'is never less than 0';
    const advice = isShare && Number(bound) >= 1 ? `${String(bound)} % is ${Number(bound) / 100}.` : undefined;
    report([...path, word], `is ${String(bound)}, and ${signal} ${range}: ${end}.`, advice);
  }
}

/** Calls are hit while the fault is there, and never before or after. */
function checkLane(report: Report, { lane, phases }: SteadyRule, path: PlanPath): void {
  if (lane !== 'faulted' || phases.every((phase) => phase === 'during')) return;
  report(
    [...path, 'in'],
    `is ${phases.join(', ')}, and calls of the lane "faulted" are there during the fault alone.`,
    'Write "in: during".',
  );
}

/** Without a rule before the fault nobody knows whether it was well, and without one from then on nothing can be violated. */
function checkCover(report: Report, { steady }: Experiment): void {
  const has = (phase: SteadyPhase): boolean => steady.some(({ phases }) => phases.includes(phase));
  if (steady.length === 0) return;
  if (!has('before')) report(['steady'], 'has no rule that counts before the fault: whether all was well then would not be known.');
  if (!has('during') && !has('after')) report(['steady'], 'has no rule that counts during or after the fault: nothing could be violated.');
}

/** A tripwire that waits longer than there is anything to see never trips. */
function checkPatience(report: Report, { actions, mustSelfHeal }: Experiment, forMs: number, path: PlanPath): void {
  const faultMs = timeOf(actions);
  if (forMs >= faultMs && !mustSelfHeal)
    report(path, `is ${timeWord(forMs)}, and the faults last ${timeWord(faultMs)}: it could never trip.`);
}

/** What an action sees itself is seen while it works, and never before or after. */
function checkBrought(
  report: Report,
  { signal, phases }: SteadyRule,
  path: PlanPath,
  { load }: Experiment,
  around: ExperimentSurroundings,
): void {
  const { source } = SIGNALS[signal];
  const isBrought = load === undefined && broughtBy(around.actions).has(source);
  if (!isBrought || (source !== 'call' && source !== 'task') || phases.every((phase) => phase === 'during')) return;
  report(
    [...path, 'in'],
    `is ${phases.join(', ')}, and without a load there are calls only while the actions make them.`,
    'Write "in: during", or add "load".',
  );
}

/** Can the rule be answered at all? */
function checkQuery(report: Report, query: SignalQuery, path: PlanPath, experiment: Experiment, around: ExperimentSurroundings): void {
  const { signal, name, lane, windowMs, minSamples } = query;
  const { source } = SIGNALS[signal];
  const brought = broughtBy(around.actions);
  const at = (key: string): PlanPath => [...path, key];
  const blasts = around.actions.map(({ blast }) => blast);
  if ((source === 'call' || source === 'task') && experiment.load === undefined && !brought.has(source))
    report(at('signal'), `is "${signal}", and nobody calls.`, 'Add "load".');
  if (source === 'process' && experiment.manager === undefined && !brought.has(source))
    report(at('signal'), `is "${signal}", and nobody knows the process.`, 'Add "manager".');
  if (signal === 'health_status' && around.target !== undefined && around.target.plan.health === undefined)
    report(at('signal'), 'is "health_status", and the target has no health URL.', 'Add "health: { url: ... }" to the target.');
  if (signal === 'reading') checkReading(report, name, path, experiment, brought);
  else if (name !== undefined) report(at('name'), `is for the signal "reading", not for "${signal}".`);
  if (lane !== undefined) {
    if (source !== 'call') report(at('lane'), `is for signals of calls; "${signal}" has no lanes.`);
    else if (lane === 'control' && blasts.includes('server') && !blasts.includes('calls'))
      report(at('lane'), 'is "control", and actions on a whole server leave no call untouched.', 'Leave the lane out.');
    else if (blasts.includes('calls') && experiment.front === undefined)
      report(at('lane'), `is "${lane}", and only the proxy of the run can tell which calls were hit.`, 'Add "front: {}".');
  }
  checkWithin(report, experiment, windowMs, at('window'));
  const everyMs = intervalOf(query, experiment);
  if (everyMs !== undefined && (STRETCH * windowMs) / everyMs < minSamples) {
    const least = Math.ceil((minSamples * everyMs) / 1000);
    report(
      at('minSamples'),
      `is ${minSamples}, and no window of ${timeWord(windowMs)} will ever see so many.`,
      `A window of ${least}s would.`,
    );
  }
}

/** From one sample to the next, at best. */
function intervalOf({ signal, name }: SignalQuery, { monitor, load, readings }: Experiment): number | undefined {
  const { source } = SIGNALS[signal];
  if (source === 'probe') return monitor.everyMs;
  if (source === 'call' || source === 'task') return load === undefined ? undefined : 1000 / load.perSecond;
  return source === 'reading' ? readings.find((one) => one.name === name)?.everyMs : SAMPLER_MS;
}

function checkReading(
  report: Report,
  name: string | undefined,
  path: PlanPath,
  { readings }: Experiment,
  brought: ReadonlySet<string>,
): void {
  if (name === undefined) return report(path, 'needs "name": which reading.');
  const names = readings.map((reading) => reading.name);
  if (names.includes(name) || brought.has('reading')) return;
  report(
    [...path, 'name'],
    `is "${name}", and there is no such reading.`,
    names.length === 0 ? 'Add it to "readings".' : suggest(name, names),
  );
}

function checkWithin(report: Report, { limits: { maxRuntimeMs } }: Experiment, ms: number, path: PlanPath): void {
  if (ms > maxRuntimeMs) report(path, `is ${timeWord(ms)}, longer than the whole run may be (${timeWord(maxRuntimeMs)}).`);
}
