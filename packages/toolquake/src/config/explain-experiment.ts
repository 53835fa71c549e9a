/** An experiment in words: what it asks, breaks, watches and undoes, and what its verdict will be made of. */
import type { Action } from '../actions/action.js';
import type { Experiment, ManagerSpec } from '../core/experiment.js';
import { SIGNALS, type SignalQuery, type SteadyRule, type TripRule } from '../core/sample.js';
import { timeWord } from '../core/time-word.js';
import type { ConfiguredTarget } from './configured-target.js';

/** A heading with its lines. */
export type ExplainedPart = { readonly title: string; readonly lines: readonly string[] };

/** Everything, in the order in which it happens. */
export function explainExperiment(experiment: Experiment, target: ConfiguredTarget, actions: readonly Action[]): readonly ExplainedPart[] {
  return [
    { title: 'asks', lines: [experiment.question] },
    { title: 'of', lines: targetLines(experiment, target) },
    { title: 'must stay true', lines: experiment.steady.map(steadyText) },
    { title: 'is broken', lines: experiment.actions.map((step, index) => stepText(experiment, actions, index, step.forMs)) },
    { title: 'stages', lines: stageLines(experiment) },
    { title: 'stops by itself', lines: stopLines(experiment) },
    { title: 'is undone', lines: undoLines(experiment) },
    { title: 'verdict', lines: verdictLines(experiment) },
  ];
}

/** What would make the experiment say more, a line each: nothing that is wrong. */
export function missingIn(experiment: Experiment, target: ConfiguredTarget, catalogue: readonly Action[]): readonly string[] {
  const { owner, expectAlert, manager, load, monitor, dose, actions, limits } = experiment;
  const hitsServer = actions.some(({ action }) => catalogue.some(({ type, blast }) => type === action && blast === 'server'));
  const faultMs = actions.reduce((sum, { forMs }) => sum + forMs, 0);
  const hitsAt = (percent: number): number => Math.floor((((load?.perSecond ?? 0) * faultMs) / 1000) * (percent / 100));
  const hits = load === undefined ? undefined : hitsAt(dose.ladder[0]!);
  // Of a server that is hit, every call counts as hit.
  const tooMany = dose.ladder.findIndex((percent) => hitsAt(hitsServer ? 100 : percent) >= limits.maxFaultedCalls);
  return [
    ...(owner === undefined ? ['owner: nobody is asked when it fails'] : []),
    ...(expectAlert === undefined ? ['expect.alert: whether an alert comes is not judged'] : []),
    ...(expectAlert !== undefined && expectAlert.withinCycles < monitor.failures
      ? [
          `expect.alert.withinCycles: ${expectAlert.withinCycles}, and the monitor alerts after ${monitor.failures} failures: the alert would always be late`,
        ]
      : []),
    ...(target.plan.health === undefined ? ['health of the target: whether its health URL tells the truth cannot be seen'] : []),
    ...(manager === undefined ? ['manager: uptime and restarts cannot be seen'] : []),
    ...(load === undefined ? ['load: only probes see what calls would meet'] : []),
    ...(hits !== undefined && hits < dose.minFaulted
      ? [`load: about ${hits} calls would be hit at stage 1, and ${dose.minFaulted} are needed; else the run is inconclusive`]
      : []),
    ...(tooMany === -1
      ? []
      : [
          `limits.maxFaultedCalls: about ${hitsAt(hitsServer ? 100 : dose.ladder[tooMany]!)} calls would be hit at stage ${tooMany + 1}, and ${limits.maxFaultedCalls} end the run`,
        ]),
    ...(monitor.everyMs >= faultMs
      ? [`monitor.every: probes come every ${timeWord(monitor.everyMs)}, and the faults last ${timeWord(faultMs)}: none may see them`]
      : []),
    ...(actions.every(({ action }) => action === 'wait') ? ['actions: they only wait, so nothing is broken and little is learnt'] : []),
    ...(load !== undefined && load.perSecond * ((experiment.times.beforeMs + faultMs + experiment.times.afterMs) / 1000) > limits.maxCalls
      ? [`limits.maxCalls: ${limits.maxCalls} calls are fewer than the load makes, which ends the run`]
      : []),
  ];
}

function targetLines({ environment, manager, front, load, monitor }: Experiment, { target }: ConfiguredTarget): readonly string[] {
  const where = target.kind === 'url' ? new URL(target.url).host : `the command ${target.command.join(' ')}`;
  return [
    `${target.name} at ${where}, in ${environment}${manager === undefined ? '' : `, kept alive by ${managerText(manager)}`}.`,
    `A monitor outside probes it every ${timeWord(monitor.everyMs)} and alerts after ${monitor.failures} failures, or above ${monitor.slowFactor} times the quiet p95.`,
    ...(front === undefined ? [] : ['Calls go through a proxy of the run.']),
    ...(load === undefined
      ? []
      : [
          `${load.clients} clients call ${load.tool} ${load.perSecond} times a second; each call waits ${timeWord(load.timeoutMs)}, with ${load.retries} retries.`,
        ]),
  ];
}

function managerText(manager: ManagerSpec): string {
  switch (manager.kind) {
    case 'pid':
      return `whoever started process ${manager.pid}`;
    case 'command':
      return `whoever started ${manager.command.join(' ')}`;
    case 'own':
      return 'the run itself';
    default:
      return `${manager.kind} (${manager.name})`;
  }
}

function queryText({ signal, name, lane, windowMs, minSamples }: SignalQuery): string {
  const few = minSamples > 1 ? `, from at least ${minSamples} samples` : '';
  return `${signal}${name === undefined ? '' : ` "${name}"`}${lane === undefined ? '' : ` of ${lane} calls`} over ${timeWord(windowMs)}${few}`;
}

function steadyText(rule: SteadyRule): string {
  const bound =
    rule.atLeast !== undefined
      ? `at least ${rule.atLeast}`
      : rule.atMost !== undefined
        ? `at most ${rule.atMost}`
        : `exactly ${rule.equals}`;
  const phases = rule.phases.length === 3 ? 'always' : rule.phases.join(' and ');
  return `${phases}: ${queryText(rule)} is ${bound}. ${SIGNALS[rule.signal].about}`;
}

function tripText(rule: TripRule): string {
  const bound = rule.above === undefined ? `below ${rule.below}` : `above ${rule.above}`;
  const whose = rule.origin === 'file' ? '' : ` (comes with ${rule.origin})`;
  return `${queryText(rule)} is ${bound}${rule.forMs > 0 ? ` for ${timeWord(rule.forMs)}` : ''}${whose}.`;
}

function stepText(experiment: Experiment, actions: readonly Action[], index: number, forMs: number): string {
  const step = experiment.actions[index]!;
  const action = actions.find(({ type }) => type === step.action);
  const params = Object.keys(step.params).length === 0 ? '' : ` ${JSON.stringify(step.params)}`;
  const whom = action?.blast === 'calls' ? ' It hits single calls.' : action?.blast === 'server' ? ' It hits the whole server.' : '';
  return `${step.id}: ${step.action}${params} for ${timeWord(forMs)}. ${action?.summary ?? ''}${whom}`;
}

function stageLines({ dose, approval }: Experiment): readonly string[] {
  return dose.ladder.map((percent, index) => {
    const stage = index + 1;
    const needs = [
      ...(stage === 1 ? [] : [`stage ${stage - 1} to have held on this build`]),
      ...(stage >= approval.fromStage || stage > 1 ? ['an approval'] : ['a yes']),
    ];
    const least = dose.minFaulted > 0 ? `, and hits at least ${dose.minFaulted} calls` : '';
    return `${stage}: ${percent} % of the full dose${least}; needs ${needs.join(' and ')}.`;
  });
}

function stopLines({ rollbackOn, limits, lease }: Experiment): readonly string[] {
  return [
    ...rollbackOn.map(tripText),
    'A tripwire without fresh data trips as well.',
    `After ${timeWord(limits.maxRuntimeMs)}, ${limits.maxFaultedCalls} faulted calls, or ${limits.maxCalls} calls.`,
    `When the run gives no sign of life for ${timeWord(lease.ttlMs)}: then its warden undoes.`,
    'When anybody says so: Ctrl-C, or "toolquake stop".',
  ];
}

function undoLines({ undo, actions }: Experiment): readonly string[] {
  const order =
    actions.length > 1
      ? `, last one first: ${actions
          .map(({ id }) => id)
          .toReversed()
          .join(', ')}`
      : '';
  return [
    `Always, within ${timeWord(undo.deadlineMs)}${order}. Each undo is on disk before its change is made, and is verified by looking again.`,
    '"toolquake experiment preview" names every step.',
  ];
}

function verdictLines(experiment: Experiment): readonly string[] {
  const { times, expectAlert, mustSelfHeal, recoverWithinMs, dose } = experiment;
  const beforeMs = Math.max(
    times.beforeMs,
    ...experiment.steady.flatMap(({ phases, windowMs }) => (phases.includes('before') ? [windowMs] : [])),
  );
  const since = mustSelfHeal ? 'of the fault, while it is still there' : 'of the undo';
  const alert =
    expectAlert === undefined
      ? []
      : [
          `an alert came within ${expectAlert.withinCycles} probes${expectAlert.reasons.length === 0 ? '' : `, and said ${expectAlert.reasons.join(' or ')}`}`,
        ];
  const held = [
    `all was steady for ${timeWord(beforeMs)} before`,
    'what must stay true during the fault did',
    ...alert,
    `all was steady again within ${timeWord(recoverWithinMs)} ${since}`,
    'everything was undone',
  ];
  return [
    `held: ${held.join('; ')}.`,
    `not-injected: no fault was seen to work${dose.minFaulted > 0 ? `; inconclusive: fewer than ${dose.minFaulted} calls were hit` : ''}; inconclusive: it was not steady before, or too little was seen.`,
    'violated: anything of the first line was not so, also when it recovered. aborted: a tripwire, a limit or a person ended it. undo-failed: something is still broken.',
  ];
}
