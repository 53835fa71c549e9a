/**
 * One replica of a simulated server: a worker for each call under way, a bounded queue in front of them, and a pool of
 * connections that every piece of work needs. It can crash, stand still, and be cold.
 */
import { createFifo } from './fifo.js';
import { isAbandoned, LOST, OVERLOADED, POOL_EXHAUSTED, replyTo, type Call } from './call.js';
import type { Sampler } from './service-time.js';
import type { ServerSpec } from './topology-fields.js';
import type { VirtualClock } from './virtual-clock.js';

/** What a replica needs of the world. */
export type ReplicaOptions = {
  readonly clock: VirtualClock;
  readonly spec: ServerSpec;
  readonly sample: Sampler;
  /** The work is done: call what it needs further, then answer. The worker and the connection stay taken until `release`. */
  readonly onWorked: (call: Call, release: () => void) => void;
  readonly onPoolExhausted: () => void;
};

/** See the module comment. */
export type Replica = {
  receive(call: Call): void;
  /** Changes one of the live keys. */
  set(key: string, value: number | boolean): void;
  get(key: string): number | boolean;
  freeze(forMs: number): void;
  crash(forMs: number): void;
  isUp(): boolean;
  poolInUse(): number;
};

/** Starts a replica, cold where its server has a cold start. */
export function createReplica({ clock, spec, sample, onWorked, onPoolExhausted }: ReplicaOptions): Replica {
  const settings = { workers: spec.workers, pool: spec.pool ?? Number.POSITIVE_INFINITY, slowdown: spec.slowdown };
  const queue = createFifo<Call>();
  /** For a connection. All wait equally long, so whoever gives up is the first of them. */
  const waiting = createFifo<Call>();
  let busy = 0;
  let poolInUse = 0;
  let boot = 1;
  /** Switched on; after a crash it is still down for a while. */
  let isOn = spec.isUp;
  let downUntilMs = 0;
  let frozenUntilMs = 0;
  let idleSinceMs = Number.NEGATIVE_INFINITY;
  let isFilling = false;

  const isUp = (): boolean => isOn && clock.nowMs() >= downUntilMs;

  const isUnwanted = (call: Call): boolean => spec.honoursCancel && isAbandoned(call);

  const workMs = (): number => {
    const nowMs = clock.nowMs();
    const isIdle = poolInUse === 1;
    const isCold = spec.coldStart !== undefined && isIdle && nowMs - idleSinceMs > spec.coldStart.afterIdle;
    // One call warms it up; those that come meanwhile find it warm.
    if (isCold) idleSinceMs = nowMs;
    const coldMs = isCold && spec.coldStart !== undefined ? spec.coldStart.takes : 0;
    return Math.max(0, frozenUntilMs - nowMs) + coldMs + sample() * settings.slowdown;
  };

  const work = (call: Call): void => {
    poolInUse++;
    clock.deliver(workMs(), worked, call, boot);
  };

  const worked = (call: Call, atBoot: number): void => {
    if (atBoot !== boot) return;
    const nowMs = clock.nowMs();
    if (nowMs < frozenUntilMs) return clock.deliver(frozenUntilMs - nowMs, worked, call, boot);
    idleSinceMs = nowMs;
    onWorked(call, () => {
      if (atBoot !== boot) return;
      poolInUse--;
      handOn();
      freeWorker();
    });
  };

  /** Connections go to whoever waits longest, as long as the pool allows. */
  const handOn = (): void => {
    while (poolInUse < settings.pool) {
      const next = waiting.shift();
      if (next === undefined) return;
      if (isUnwanted(next)) {
        replyTo(next, LOST);
        freeWorker();
      } else {
        next.boot = 0;
        work(next);
      }
    }
  };

  const freeWorker = (): void => {
    busy--;
    fillWorkers();
  };

  /** Begins what waits in the queue. Whatever fails at once frees its worker in the middle of this: the loop goes on with it. */
  const fillWorkers = (): void => {
    if (isFilling) return;
    isFilling = true;
    while (busy < settings.workers) {
      const next = queue.shift();
      if (next === undefined) break;
      if (isUnwanted(next)) replyTo(next, LOST);
      else begin(next);
    }
    isFilling = false;
  };

  const giveUpWaiting = (call: Call, atBoot: number): void => {
    // `boot` of a call says since when it waits for a connection; 0: it has one.
    if (atBoot !== boot || call.boot !== boot || call.isOver) return;
    waiting.shift();
    exhausted(call);
  };

  const exhausted = (call: Call): void => {
    onPoolExhausted();
    replyTo(call, POOL_EXHAUSTED);
    freeWorker();
  };

  const watchWaiting = clock.lane(spec.poolWait, giveUpWaiting);

  const begin = (call: Call): void => {
    busy++;
    if (poolInUse < settings.pool) return work(call);
    if (waiting.size() >= spec.poolQueue) return exhausted(call);
    call.boot = boot;
    waiting.push(call);
    watchWaiting(call, boot);
  };

  const stop = (): void => {
    boot++;
    busy = 0;
    poolInUse = 0;
    frozenUntilMs = 0;
    idleSinceMs = Number.NEGATIVE_INFINITY;
    queue.drain();
    waiting.drain();
    for (const call of underWay.splice(0)) replyTo(call, LOST);
  };

  /** Everything it has heard of and not answered, and some that is over: tidied up when that becomes the most of it. */
  const underWay: Call[] = [];
  const remember = (call: Call): void => {
    if (underWay.length > 4 * (busy + queue.size() + 64)) {
      const open = underWay.filter((one) => !one.isOver);
      underWay.length = 0;
      underWay.push(...open);
    }
    underWay.push(call);
  };

  return {
    receive(call) {
      if (!isUp()) return replyTo(call, LOST);
      remember(call);
      if (busy < settings.workers && queue.size() === 0) begin(call);
      else if (queue.size() < spec.queue) queue.push(call);
      else replyTo(call, OVERLOADED);
    },
    set(key, value) {
      if (key === 'isUp') {
        isOn = value === true;
        if (!isOn) stop();
      } else if (key === 'workers' || key === 'pool' || key === 'slowdown') {
        settings[key] = value as number;
        handOn();
        fillWorkers();
      }
    },
    get: (key) => (key === 'isUp' ? isUp() : settings[key as keyof typeof settings]),
    freeze(forMs) {
      frozenUntilMs = Math.max(frozenUntilMs, clock.nowMs() + forMs);
    },
    crash(forMs) {
      downUntilMs = Math.max(downUntilMs, clock.nowMs() + forMs);
      stop();
    },
    isUp,
    poolInUse: () => poolInUse,
  };
}
