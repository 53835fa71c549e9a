/** What happens to a simulated system and when: changes of live keys, taken back again, and walks through levels. */
import type { JournalSink } from '@toolquake/sdk/core';
import { findLiveKey, type LiveKey } from './live-keys.js';
import type { Change, Topology, ValueAt } from './topology.js';
import type { VirtualClock } from './virtual-clock.js';
import type { Watch } from './watch.js';

/** Something with live keys: a server, the gateway, an agent. */
export type LivePart = { get(key: string): number | boolean; set(key: string, value: ValueAt): void };

/** What a timeline works on. */
export type TimelineOptions = {
  readonly topology: Topology;
  readonly clock: VirtualClock;
  readonly journal: JournalSink | undefined;
  readonly watch: Watch;
  readonly partOf: (key: LiveKey) => LivePart;
};

/** Schedules everything. */
export function startTimeline({ topology, clock, journal, watch, partOf }: TimelineOptions): void {
  const { servers, agents, gateway, levels } = topology;
  const inhabitants = { servers: Object.keys(servers), agents: Object.keys(agents), hasGateway: gateway !== undefined };
  /** Changes in force, in the order of their times: a key has the value of the last one that touches it. */
  const inForce: Change[] = [];

  const apply = (path: string): void => {
    const found = findLiveKey(path, inhabitants);
    // Checked when the topology was loaded.
    if ('advice' in found) return;
    const part = partOf(found);
    const from = part.get(found.key);
    const atFirst = valueOf(topology, path);
    const valueAt: ValueAt = (replica) =>
      inForce.findLast(({ set, replicas }) => set === path && (replicas === undefined || replica < replicas))?.to ?? atFirst;
    part.set(found.key, valueAt);
    const to = valueAt(0);
    journal?.({ kind: 'change', atMs: clock.nowMs(), what: path, from: finite(from), to: finite(to), isDisturbed: to !== atFirst });
  };

  for (const change of changesOf(topology)) {
    clock.enqueue(change.atMs, () => {
      inForce.push(change);
      apply(change.set);
      if (change.untilMs === undefined) return;
      clock.enqueue(change.untilMs - change.atMs, () => {
        inForce.splice(inForce.indexOf(change), 1);
        apply(change.set);
      });
    });
  }
  if (levels === undefined) return;
  for (const [index, { way, value }] of walkOf(levels.values).entries()) {
    // After the change itself, so that the journal tells the cause first.
    clock.enqueue(index * levels.eachMs, () => watch.startLevel({ way, what: levels.set, value }));
  }
}

/** There and back, the deepest value once. */
function walkOf(values: readonly number[]): readonly { readonly way: 'up' | 'down'; readonly value: number }[] {
  const there = values.map((value) => ({ way: 'up', value }) as const);
  const back = values.slice(0, -1).reverse();
  return [...there, ...back.map((value) => ({ way: 'down', value }) as const)];
}

/** Changes of the timeline, and those of a walk through levels. */
function changesOf({ timeline, levels }: Topology): readonly Change[] {
  if (levels === undefined) return timeline;
  const { set, eachMs, replicas } = levels;
  const walk = walkOf(levels.values).map(({ value }, index): Change => ({
    atMs: index * eachMs,
    untilMs: undefined,
    set,
    to: value,
    replicas,
  }));
  return [...timeline, ...walk];
}

/** When arrivals end. */
export function endOf({ lastsMs, levels }: Topology): number | undefined {
  return levels === undefined ? lastsMs : walkOf(levels.values).length * levels.eachMs;
}

/** When the last disturbance is over. */
export function calmAt(topology: Topology): number | undefined {
  const changes = changesOf(topology);
  const { levels } = topology;
  const ends = changes.map(({ atMs, untilMs }) => untilMs ?? atMs);
  return ends.length === 0 || (levels === undefined && changes.some(({ untilMs }) => untilMs === undefined))
    ? undefined
    : Math.max(...ends);
}

/** What a live key was at the start. */
function valueOf({ servers, agents, gateway }: Topology, path: string): number | boolean {
  const steps = path.split('.');
  const key = steps.at(-1)!;
  const holder = steps[0] === 'gateway' ? gateway : steps[0] === 'servers' ? servers[steps[1]!] : agents[steps[1]!];
  // A live key leads to a number or a flag; a pool that is not there is endless.
  return ((holder as Readonly<Record<string, unknown>> | undefined)?.[key] as number | boolean | undefined) ?? Number.POSITIVE_INFINITY;
}

/** JSON has no infinity. */
const finite = (value: number | boolean): number | boolean | string => (value === Number.POSITIVE_INFINITY ? 'unbounded' : value);
