/** From the settings of an experiment file to the experiment, with every default. Rules that settings alone cannot break are checked elsewhere. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { Action } from '../actions/action.js';
import type { Experiment, ManagerSpec, MonitorSpec } from '../core/experiment.js';
import {
  SIGNALS,
  type Lane,
  type Sample,
  type SignalName,
  type SignalQuery,
  type SteadyPhase,
  type SteadyRule,
  type TripRule,
} from '../core/sample.js';
import type { ConfiguredTarget } from './configured-target.js';

/** What the table of keys read. */
export type Settings = Readonly<Record<string, unknown>>;

/** The step of a file with its action. */
export type KnownStep = { readonly settings: Settings; readonly action: Action; readonly params: JsonObject };

// The table says which kinds of values there are; these give them their names back.
const groupOf = (value: unknown): Settings => (value ?? {}) as Settings;
const listOf = (value: unknown): readonly Settings[] => (value ?? []) as readonly Settings[];
const textOf = (value: unknown): string | undefined => value as string | undefined;
const numberOf = (value: unknown): number | undefined => value as number | undefined;
/** Text that YAML may have folded over several lines, as it stands in a sentence. */
const oneLine = (value: unknown): string => String(value).trim().replaceAll(/\s+/g, ' ');
const namesOf = (value: unknown): readonly string[] => (value ?? []) as readonly string[];

const ONE_MINUTE = 60_000;
/** Fewer probes than this say nothing about a tendency. */
const LEAST_PROBES = 5;
/** A share of fewer calls than this is noise. */
const LEAST_CALLS = 20;

/** The experiment of a file. `target` is undefined while nobody knows it. */
export function experimentOf(settings: Settings, steps: readonly KnownStep[], target: ConfiguredTarget | undefined): Experiment {
  const manager = managerOf(groupOf(settings['manager']));
  const monitor = monitorOf(groupOf(settings['monitor']));
  const load = loadOf(settings['load']);
  const dose = groupOf(settings['dose']);
  const times = groupOf(settings['times']);
  const limits = groupOf(settings['limits']);
  const expect = groupOf(settings['expect']);
  const lease = groupOf(settings['lease']);
  const hitsCalls = steps.some(({ action }) => action.blast === 'calls');
  const ownTrips = listOf(settings['rollback_on']).map((rule): TripRule => tripOf(rule, monitor));
  return {
    version: 1,
    id: String(settings['id']),
    owner: settings['owner'] === undefined ? undefined : oneLine(settings['owner']),
    question: oneLine(settings['question']),
    target: target?.target.name ?? String(settings['target']),
    environment: String(settings['environment']),
    labels: groupOf(settings['labels']) as Readonly<Record<string, string>>,
    manager,
    monitor,
    load,
    readings: listOf(settings['readings']).map((reading) => ({
      name: String(reading['name']),
      tool: String(reading['tool']),
      arguments: groupOf(reading['arguments']),
      path: String(reading['path']),
      everyMs: numberOf(reading['every']) ?? 5000,
    })),
    front: settings['front'] === undefined ? undefined : { port: numberOf(groupOf(settings['front'])['port']) ?? 0 },
    steady:
      settings['steady'] === undefined
        ? usualSteady(monitor, manager, target)
        : listOf(settings['steady']).map((rule): SteadyRule => steadyOf(rule, monitor)),
    actions: steps.map(({ settings: step, action, params }) => ({
      id: textOf(step['id']) ?? action.type,
      action: action.type,
      params,
      forMs: Number(step['for']),
    })),
    dose: {
      ladder: (dose['ladder'] as readonly number[] | undefined) ?? (hitsCalls ? [10, 25, 50] : [100]),
      minFaulted: numberOf(dose['minFaulted']) ?? (hitsCalls ? 300 : 0),
      seed: numberOf(dose['seed']) ?? 1,
    },
    rollbackOn: [...ownTrips, ...tripsOfActions(steps, ownTrips, { hasLoad: load !== undefined, hasManager: manager !== undefined })],
    expectAlert:
      expect['alert'] === undefined
        ? undefined
        : { reasons: namesOf(groupOf(expect['alert'])['reasons']), withinCycles: numberOf(groupOf(expect['alert'])['withinCycles']) ?? 2 },
    recoverWithinMs: numberOf(expect['recoverWithin']) ?? 5 * ONE_MINUTE,
    mustSelfHeal: expect['selfHeal'] === true,
    times: {
      beforeMs: numberOf(times['before']) ?? ONE_MINUTE,
      afterMs: numberOf(times['after']) ?? ONE_MINUTE,
      tickMs: numberOf(times['tick']) ?? 500,
    },
    undo: { deadlineMs: numberOf(groupOf(settings['undo'])['deadline']) ?? 5000 },
    lease: { ttlMs: numberOf(lease['ttl']) ?? 45_000, heartbeatMs: numberOf(lease['heartbeat']) ?? 5000 },
    limits: {
      maxRuntimeMs: numberOf(limits['maxRuntime']) ?? 60 * ONE_MINUTE,
      maxFaultedCalls: numberOf(limits['maxFaultedCalls']) ?? 2000,
      maxCalls: numberOf(limits['maxCalls']) ?? 100_000,
    },
    approval: { fromStage: numberOf(groupOf(settings['approval'])['fromStage']) ?? 2 },
  };
}

function managerOf(given: Settings): ManagerSpec | undefined {
  for (const kind of ['pm2', 'systemd', 'docker'] as const) {
    const name = textOf(given[kind]);
    if (name !== undefined) return { kind, name };
  }
  if (given['pid'] !== undefined) return { kind: 'pid', pid: Number(given['pid']) };
  if (given['command'] !== undefined) return { kind: 'command', command: namesOf(given['command']) };
  return given['own'] === true ? { kind: 'own' } : undefined;
}

function monitorOf(given: Settings): MonitorSpec {
  const external = given['external'] as Settings | undefined;
  return {
    everyMs: numberOf(given['every']) ?? ONE_MINUTE,
    failures: numberOf(given['failures']) ?? 2,
    slowFactor: numberOf(given['slowFactor']) ?? 2,
    slowOver: numberOf(given['slowOver']) ?? 10,
    webhooks: namesOf(given['webhooks']),
    external:
      external === undefined ? undefined : { port: Number(external['port']), tokenVariable: String(external['token']).slice(2, -1) },
  };
}

function loadOf(value: unknown): Experiment['load'] {
  if (value === undefined) return undefined;
  const given = groupOf(value);
  return {
    tool: String(given['tool']),
    arguments: groupOf(given['arguments']),
    clients: numberOf(given['clients']) ?? 4,
    perSecond: numberOf(given['perSecond']) ?? 20,
    timeoutMs: numberOf(given['timeout']) ?? 2000,
    retries: numberOf(given['retries']) ?? 0,
    retryDelayMs: numberOf(given['retryDelay']) ?? 100,
    notEmpty: textOf(given['notEmpty']),
  };
}

function queryOf(given: Settings, monitor: MonitorSpec): SignalQuery {
  const signal = given['signal'] as SignalName;
  return queryWith(signal, monitor, {
    lane: given['lane'] as Lane | undefined,
    name: textOf(given['name']),
    windowMs: numberOf(given['window']),
    minSamples: numberOf(given['minSamples']),
  });
}

function queryWith(
  signal: SignalName,
  { everyMs }: MonitorSpec,
  given: { [Key in keyof SignalQuery]?: SignalQuery[Key] | undefined } = {},
): SignalQuery {
  const { source } = SIGNALS[signal];
  const { lane, name } = given;
  return {
    signal,
    ...(lane === undefined ? {} : { lane }),
    ...(name === undefined ? {} : { name }),
    windowMs: given.windowMs ?? (source === 'probe' ? Math.max(ONE_MINUTE, LEAST_PROBES * everyMs) : ONE_MINUTE),
    minSamples: given.minSamples ?? (source === 'call' || source === 'task' ? LEAST_CALLS : 1),
  };
}

const boundsOf = (given: Settings, words: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(words.filter((word) => given[word] !== undefined).map((word) => [word, Number(given[word])]));

const ALWAYS: readonly SteadyPhase[] = ['before', 'during', 'after'];

function steadyOf(given: Settings, monitor: MonitorSpec): SteadyRule {
  const phases = given['in'] === undefined ? ALWAYS : (namesOf(given['in']) as readonly SteadyPhase[]);
  return { ...queryOf(given, monitor), phases, ...boundsOf(given, ['atLeast', 'atMost', 'equals']) };
}

function tripOf(given: Settings, monitor: MonitorSpec): TripRule {
  return { ...queryOf(given, monitor), forMs: numberOf(given['for']) ?? 0, origin: 'file', ...boundsOf(given, ['above', 'below']) };
}

/** What a server that is well looks like, where the file says nothing: measured before and after, as long experience has it. */
function usualSteady(monitor: MonitorSpec, manager: ManagerSpec | undefined, target: ConfiguredTarget | undefined): readonly SteadyRule[] {
  const around: readonly SteadyPhase[] = ['before', 'after'];
  const health = target?.plan.health;
  return [
    { ...queryWith('probe_p95_ms', monitor), phases: around, atMost: 500 },
    { ...queryWith('consecutive_failures', monitor), phases: around, equals: 0 },
    // Only before: an uptime of an hour cannot outlive the kill of the process. Servers of our own are as old as the run.
    ...(manager === undefined || manager.kind === 'own'
      ? []
      : [{ ...queryWith('uptime_seconds', monitor), phases: ['before'] as const, atLeast: 3600 }]),
    ...(health === undefined ? [] : [{ ...queryWith('health_status', monitor), phases: around, equals: health.expectStatus }]),
  ];
}

/** Tripwires of the actions, where the file says nothing on their signal, and where there is anything to see. */
function tripsOfActions(
  steps: readonly KnownStep[],
  own: readonly TripRule[],
  { hasLoad, hasManager }: { readonly hasLoad: boolean; readonly hasManager: boolean },
): readonly TripRule[] {
  const brought = new Set<Sample['source']>(steps.flatMap(({ action }) => action.brings ?? []));
  // A tripwire without a source would stop every run: no data trips.
  const isSeen = (source: Sample['source']): boolean => {
    if (source === 'probe' || source === 'host' || brought.has(source)) return true;
    return source === 'process' ? hasManager : hasLoad && (source === 'call' || source === 'task');
  };
  const trips = new Map<string, TripRule>();
  for (const trip of steps.flatMap(({ action }) => action.trips)) {
    if (own.some(({ signal }) => signal === trip.signal) || !isSeen(SIGNALS[trip.signal].source)) continue;
    const { origin: _, ...rule } = trip;
    if (!trips.has(JSON.stringify(rule))) trips.set(JSON.stringify(rule), trip);
  }
  return [...trips.values()];
}
