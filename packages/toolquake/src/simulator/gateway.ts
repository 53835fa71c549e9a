/**
 * A simulated gateway: every call holds one of its connections from when it is sent on until it is answered. With one queue
 * for all servers, calls to a slow one hold the connections and everybody behind them waits: head-of-line blocking.
 */
import { OVERLOADED, replyTo, startCall, type Call, type Reply } from './call.js';
import type { Cluster } from './cluster.js';
import { createFifo, type Fifo } from './fifo.js';
import type { GatewaySpec } from './topology-fields.js';
import type { ValueAt } from './topology.js';
import type { VirtualClock } from './virtual-clock.js';

/** See the module comment. */
export type Gateway = {
  receive(call: Call, to: Cluster): void;
  /** The client of a call hung up: what waits leaves the queue, what was sent on goes on. */
  abandon(call: Call, to: Cluster): void;
  set(key: string, valueAt: ValueAt): void;
  get(key: string): number | boolean;
};

/** `abandoned`: entries of the queue that nobody waits for; they are taken out together, not one by one. */
type Lane = {
  inUse: number;
  isProceeding: boolean;
  abandoned: number;
  readonly queue: Fifo<{ readonly call: Call; readonly to: Cluster }>;
};

/** Starts a gateway in front of so many servers. */
export function createGateway({ spec, servers, clock }: { spec: GatewaySpec; servers: number; clock: VirtualClock }): Gateway {
  let { connections } = spec;
  const lanes = new Map<string, Lane>();
  const limitOfLane = (): number => (spec.headOfLine ? connections : Math.max(1, Math.floor(connections / servers)));

  const laneTo = (name: string): Lane => {
    const key = spec.headOfLine ? '' : name;
    let lane = lanes.get(key);
    if (lane === undefined) lanes.set(key, (lane = { inUse: 0, isProceeding: false, abandoned: 0, queue: createFifo() }));
    return lane;
  };

  /** Sends on what waits. Whatever fails at once frees its connection in the middle of this: the loop goes on with it. */
  const proceed = (lane: Lane): void => {
    if (lane.isProceeding) return;
    lane.isProceeding = true;
    while (lane.inUse < limitOfLane()) {
      const next = lane.queue.shift();
      if (next === undefined) break;
      // Its client hung up while it waited: there is nobody to send it on for.
      if (next.call.isAbandoned) {
        lane.abandoned--;
        continue;
      }
      lane.inUse++;
      forward(next.call, next.to, lane);
    }
    lane.isProceeding = false;
  };

  const forward = (call: Call, to: Cluster, lane: Lane): void => {
    const { tool, operation, frame, exchange } = call;
    call.tries++;
    to.receive(startCall({ tool, operation, frame, exchange, outer: call, onReply: (_, reply) => onReply(call, reply, to, lane) }));
  };

  const onReply = (call: Call, reply: Reply, to: Cluster, lane: Lane): void => {
    if (reply.kind !== 'result' && call.tries <= spec.retries && !call.isAbandoned) {
      clock.enqueue(spec.retryAfter, () => (call.isAbandoned ? end(call, reply, lane) : forward(call, to, lane)));
      return;
    }
    end(call, reply, lane);
  };

  const end = (call: Call, reply: Reply, lane: Lane): void => {
    lane.inUse--;
    replyTo(call, reply);
    proceed(lane);
  };

  return {
    receive(call, to) {
      const lane = laneTo(to.name);
      if (lane.inUse >= limitOfLane() && lane.queue.size() - lane.abandoned >= spec.queue) return replyTo(call, OVERLOADED);
      lane.queue.push({ call, to });
      proceed(lane);
    },
    abandon(call, to) {
      call.isAbandoned = true;
      const isWaiting = call.tries === 0 && !call.isOver;
      if (!isWaiting) return;
      const lane = laneTo(to.name);
      if (++lane.abandoned * 2 <= lane.queue.size()) return;
      lane.queue.keep((one) => !one.call.isAbandoned);
      lane.abandoned = 0;
    },
    set(_key, valueAt) {
      connections = valueAt(0) as number;
      for (const lane of lanes.values()) proceed(lane);
    },
    get: () => connections,
  };
}
