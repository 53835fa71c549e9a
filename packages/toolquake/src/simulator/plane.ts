/**
 * One run of a simulated system: agents, a gateway, a registry and servers on a virtual clock, with faults on the wires.
 * The same topology and seed make the same journal, byte for byte.
 */
import {
  createDecider,
  JOURNAL_VERSION,
  keyedRandom,
  listedRules,
  mergeSketches,
  mergeTally,
  startTally,
  type JournalEntry,
  type JournalSink,
  type RandomSource,
  type Sketch,
  type SketchData,
} from '@toolquake/sdk/core';
import { createCaller, type Caller } from './caller.js';
import { createCluster, type Cluster } from './cluster.js';
import { createFarEnd } from './far-end.js';
import { createGateway } from './gateway.js';
import { createRegistry } from './registry.js';
import { createRoad, type OpenRoad } from './road.js';
import { calmAt, endOf, startTimeline } from './timeline.js';
import type { SettingValue, Topology } from './topology.js';
import { createVirtualClock } from './virtual-clock.js';
import { createWatch, type LevelEntry } from './watch.js';

/** What is run. */
export type PlaneOptions = {
  readonly topology: Topology;
  readonly seed: number;
  /** Where draws come from; keyed by the seed unless told otherwise. */
  readonly random?: RandomSource | undefined;
  readonly variant?: string | undefined;
  readonly point?: Readonly<Record<string, SettingValue>> | undefined;
  /** Share of failed tasks on paper, where there is a formula. */
  readonly onPaper?: number | undefined;
  readonly journal?: JournalSink | undefined;
  /** Write every call into the journal, not only those that met a fault. */
  readonly everyCall?: boolean | undefined;
};

/** The summary of a run, as in its journal. */
export type Summary = JournalEntry & { kind: 'summary' };

/** A run that can be interrupted between events. */
export type PlaneRun = {
  /** Lets up to `maxEvents` events happen; the summary once it is over. */
  run(maxEvents?: number): Summary | undefined;
  progress(): number;
  fired(): Readonly<Record<string, number>>;
  /** Levels that are over, where the topology walks through some. */
  readonly levels: readonly LevelEntry[];
};

const ROUND_TRIP_MS = 1;
/** After the last arrival, what is under way gets this long unless its own deadline ends it first. */
const DRAIN_MS = 30_000;

/** Prepares a run. */
export function createPlane(options: PlaneOptions): PlaneRun {
  const { topology, seed, journal } = options;
  const clock = createVirtualClock();
  const random = options.random ?? keyedRandom(seed);
  const lastsMs = endOf(topology);
  const callers = new Map<string, Caller>();
  const inFlight = (): number => everybody.reduce((sum, caller) => sum + caller.inFlight(), 0);
  const watch = createWatch({
    clock,
    windowMs: topology.windowMs,
    journal,
    inFlight,
    tasksOpen: () => everybody.reduce((sum, caller) => sum + caller.tasksOpen(), 0),
    calmAtMs: calmAt(topology),
    lastsMs,
  });
  const clusters = new Map<string, Cluster>();
  for (const [name, spec] of Object.entries(topology.servers)) {
    const find = (other: string): Cluster => clusters.get(other)!;
    clusters.set(name, createCluster({ name, spec, clock, random, find, onPoolExhausted: (where) => watch.mark('pool-exhausted', where) }));
  }
  const gateway = topology.gateway === undefined ? undefined : createGateway({ spec: topology.gateway, servers: clusters.size, clock });
  const registry = createRegistry(topology);
  const decider = createDecider({
    plan: topology.plan,
    random,
    transport: 'simulator',
    startedAtMs: 0,
    observesAll: journal !== undefined && options.everyCall === true,
  });
  const roads = new Map<string, OpenRoad>();
  const known = new Set(Object.values(topology.servers).flatMap(({ tools }) => tools));
  const writes = new Set(Object.values(topology.servers).flatMap(({ writes: tools }) => tools));

  const roadFrom =
    (agent: string) =>
    (server: string): OpenRoad => {
      const key = `${agent} ${server}`;
      const existing = roads.get(key);
      if (existing !== undefined) return existing;
      const spec = topology.servers[server]!;
      const road = createRoad({
        agent,
        server,
        spec,
        clock,
        decider,
        journal,
        refreshMs: topology.registry.refresh,
        roundTripMs: ROUND_TRIP_MS,
        timeoutMs: topology.agents[agent]!.timeout,
        hear: (attempt, hearing, isFaulted) => callers.get(agent)!.hear(attempt, hearing, isFaulted),
        createServer: (back) =>
          createFarEnd({
            clock,
            cluster: clusters.get(server)!,
            gateway,
            back,
            roundTripMs: ROUND_TRIP_MS,
            noticesAbandoned: gateway !== undefined || spec.honoursCancel,
            isKnown: (tool) => known.has(tool),
          }),
      });
      roads.set(key, road);
      return road;
    };

  for (const [name, spec] of Object.entries(topology.agents)) {
    const isWrite = (tool: string): boolean => writes.has(tool);
    callers.set(name, createCaller({ name, spec, clock, random, registry, roadTo: roadFrom(name), isWrite, watch, lastsMs }));
  }

  const schedule = (): void => {
    startTimeline({
      topology,
      clock,
      journal,
      watch,
      partOf: (key) => (key.part === 'gateway' ? gateway! : key.part === 'servers' ? clusters.get(key.name)! : callers.get(key.name)!),
    });
    const turn = (): void => {
      watch.turn();
      if (!isDone()) clock.enqueue(topology.windowMs, turn);
    };
    clock.enqueue(topology.windowMs, turn);
    if (lastsMs !== undefined) clock.enqueue(lastsMs + drainMs(topology), () => callers.forEach((caller) => caller.stop()));
  };

  const everybody = [...callers.values()];
  // Asked after every event, so by index: iterators and closures would be most of its cost.
  const isDone = (): boolean => {
    if (!hasBegun) return false;
    for (let index = 0; index < everybody.length; index++) if (!everybody[index]!.isDone()) return false;
    return true;
  };
  let hasBegun = false;
  let events = 0;
  let summary: Summary | undefined;

  const begin = (): void => {
    const used = new Set<OpenRoad>();
    for (const [name, spec] of Object.entries(topology.agents)) {
      const tools = [...(spec.tools ?? []), ...(spec.steps?.flat() ?? []), ...(spec.fallback === undefined ? [] : [spec.fallback])];
      for (const tool of tools) used.add(roadFrom(name)(registry.route(tool, 0)));
    }
    let left = used.size;
    const opened = (): void => {
      if (--left > 0) return;
      hasBegun = true;
      for (const caller of everybody) caller.start();
    };
    for (const road of used) road.open(opened);
  };

  const firedCounts = (): Readonly<Record<string, number>> =>
    Object.fromEntries(
      topology.plan.rules.map(({ id }) => [id, [...roads.values()].reduce((sum, { fired }) => sum + (fired.get(id) ?? 0), 0)]),
    );

  const finish = (): Summary => {
    watch.turn();
    watch.startLevel(undefined);
    for (const road of roads.values()) road.close();
    const tally = startTally({ knowsExecutions: true });
    for (const caller of everybody) mergeTally(tally, caller.tally);
    const servers = [...clusters.values()];
    tally.executed = servers.reduce((sum, server) => sum + server.executed(), 0);
    const sum = (pick: (results: ReturnType<Caller['results']>) => number): number =>
      everybody.reduce((so, one) => so + pick(one.results()), 0);
    const made: Summary = {
      kind: 'summary',
      atMs: clock.nowMs(),
      scenario: topology.scenario,
      variant: options.variant ?? 'as it is',
      point: options.point ?? {},
      seed,
      tally,
      deceivedTasks: sum(({ deceivedTasks }) => deceivedTasks),
      latency: latencies(everybody),
      taskLatency: mergeSketches(everybody.map(({ taskLatency }) => taskLatency)).toJSON(),
      figures: {
        ...watch.figures(),
        turnedAway: sum(({ turnedAway }) => turnedAway),
        misrouted: sum(({ misrouted }) => misrouted),
        openBreakers: sum(({ openBreakers }) => openBreakers.length),
        doubleEffects: servers.reduce((so, server) => so + server.doubleEffects(), 0),
      },
      ...(options.onPaper === undefined ? {} : { onPaper: options.onPaper }),
      events,
    };
    journal?.(made);
    journal?.({ kind: 'end', atMs: clock.nowMs(), fired: firedCounts(), calls: tally.calls.seen });
    return made;
  };

  journal?.({
    v: JOURNAL_VERSION,
    kind: 'start',
    atMs: 0,
    transport: 'simulator',
    seed,
    rules: listedRules(topology.plan.rules),
    target: labelOf(options),
  });
  schedule();
  begin();

  return {
    progress: () => everybody.reduce((least, caller) => Math.min(least, caller.progress(clock.nowMs())), 1),
    fired: firedCounts,
    levels: watch.levels,
    run(maxEvents = Number.POSITIVE_INFINITY) {
      for (let count = 0; summary === undefined && !isDone(); count++) {
        if (count >= maxEvents) return undefined;
        if (!clock.step()) throw new Error('The simulation stopped before its agents were done.');
        events++;
      }
      summary ??= finish();
      return summary;
    },
  };
}

function latencies(callers: readonly Caller[]): Readonly<Record<string, SketchData>> {
  const byTool = new Map<string, Sketch[]>();
  for (const { latency } of callers) for (const [tool, sketch] of latency) byTool.set(tool, [...(byTool.get(tool) ?? []), sketch]);
  return Object.fromEntries([...byTool].map(([tool, sketches]) => [tool, mergeSketches(sketches).toJSON()]));
}

/** How a run is called in the journal. */
function labelOf({ topology, variant, point = {} }: PlaneOptions): string {
  const values = Object.entries(point).map(([key, value]) => `${key}=${value}`);
  return [topology.scenario, ...(variant === undefined ? [] : [variant]), ...values].join(', ');
}

function drainMs({ agents }: Topology): number {
  return Math.max(...Object.values(agents).map(({ taskDeadline }) => Math.min(taskDeadline ?? DRAIN_MS, DRAIN_MS)));
}
