/** A simulated server as its callers see it: replicas behind one name, results, what was executed, and what was done twice. */
import type { JsonObject, RandomSource } from '@toolquake/sdk/core';
import { createIdempotentContract } from '@toolquake/sdk/resilience';
import { LOST, RATE_LIMITED, replyTo, startCall, type Call, type Reply } from './call.js';
import { createReplica, type Replica } from './replica.js';
import { createResults } from './results.js';
import { createSampler } from './service-time.js';
import type { ServerSpec } from './topology-fields.js';
import type { ValueAt } from './topology.js';
import type { VirtualClock } from './virtual-clock.js';

/** What a cluster needs of the world. */
export type ClusterOptions = {
  readonly name: string;
  readonly spec: ServerSpec;
  readonly clock: VirtualClock;
  readonly random: RandomSource;
  /** Other servers, for those it calls itself. */
  readonly find: (name: string) => Cluster;
  readonly onPoolExhausted: (name: string) => void;
};

/** See the module comment. */
export type Cluster = {
  readonly name: string;
  receive(call: Call): void;
  set(key: string, valueAt: ValueAt): void;
  get(key: string): number | boolean;
  /** The replica that the last call went to stands still. */
  freeze(forMs: number): void;
  /** All replicas crash, and are back after so long. */
  crash(forMs: number): void;
  /** The answer to `tools/list`. */
  listing(): JsonObject;
  executed(): number;
  /** Operations that were executed again although they had been done. */
  doubleEffects(): number;
};

/** Operations whose execution is remembered, to see when one is done twice. */
const MAX_OPERATIONS = 20_000;

/** Starts all replicas. */
export function createCluster(options: ClusterOptions): Cluster {
  const { name, spec, clock, random, find } = options;
  const results = createResults(spec);
  const contract = createIdempotentContract<JsonObject>({ maxRemembered: MAX_OPERATIONS });
  /** What was done: asking twice is how it is noticed that something was done twice. */
  const effects = createIdempotentContract<true>({ maxRemembered: MAX_OPERATIONS });
  let executed = 0;
  let doubled = 0;
  let turn = 0;
  let last: Replica | undefined;
  const limit = spec.rateLimit === undefined ? undefined : createTokens(spec.rateLimit);

  const execute = (call: Call): JsonObject => {
    executed++;
    if (call.operation !== undefined && spec.writes.includes(call.tool)) {
      if (effects.once(call.operation, () => true).isRepeat) doubled++;
    }
    return results.of(call.tool, executed);
  };

  const answer = (call: Call): Reply => {
    const { operation } = call;
    if (!spec.isIdempotent || operation === undefined) return { kind: 'result', result: execute(call) };
    return { kind: 'result', result: contract.once(operation, () => execute(call)).result };
  };

  /** Calls the servers that this one depends on, one after the other; the worker waits. */
  const onWorked = (call: Call, release: () => void): void => {
    // Its replica crashed while another server worked for it.
    if (call.isOver) return release();
    const next = spec.calls[call.nextServer];
    if (next === undefined) {
      release();
      replyTo(call, answer(call));
      return;
    }
    call.nextServer++;
    const server = find(next);
    const inner = startCall({
      tool: call.tool,
      operation: call.operation,
      frame: undefined,
      exchange: undefined,
      outer: call,
      onReply: (_, reply) => {
        if (reply.kind === 'result') return onWorked(call, release);
        release();
        replyTo(call, reply);
      },
    });
    server.receive(inner);
  };

  const replicas = Array.from({ length: spec.replicas }, (_, index) =>
    createReplica({
      clock,
      spec,
      sample: createSampler(spec.service, random.stream('service', `${name}/${index}`)),
      onWorked,
      onPoolExhausted: () => options.onPoolExhausted(name),
    }),
  );

  /** In turn, leaving out those that are down, as a load balancer with health checks does. */
  const choose = (): Replica | undefined => {
    for (let tried = 0; tried < replicas.length; tried++) {
      const replica = replicas[turn++ % replicas.length]!;
      if (replica.isUp()) return replica;
    }
    return undefined;
  };

  return {
    name,
    receive(call) {
      if (limit !== undefined && !limit(clock.nowMs())) return replyTo(call, RATE_LIMITED);
      const replica = choose();
      if (replica === undefined) return replyTo(call, LOST);
      last = replica;
      replica.receive(call);
    },
    set: (key, valueAt) => replicas.forEach((replica, index) => replica.set(key, valueAt(index))),
    get: (key) => replicas[0]!.get(key),
    freeze: (forMs) => (last ?? replicas[0]!).freeze(forMs),
    crash: (forMs) => replicas.forEach((replica) => replica.crash(forMs)),
    listing: () => results.listing(),
    executed: () => executed,
    doubleEffects: () => doubled,
  };
}

/** A token bucket: so many at once, refilled at a rate. */
function createTokens({ perSecond, burst }: { readonly perSecond: number; readonly burst: number }): (nowMs: number) => boolean {
  let tokens = burst;
  let lastMs = 0;
  return (nowMs) => {
    tokens = Math.min(burst, tokens + ((nowMs - lastMs) * perSecond) / 1000);
    lastMs = nowMs;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}
