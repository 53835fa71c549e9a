/**
 * An agent of a simulated system: tasks arrive or follow each other, each a number of steps; a step calls one tool or
 * several at once; a failed call is retried by the client library and by the agent, as long as limits and budgets allow.
 */
import {
  countCall,
  countOperation,
  countRefusal,
  countTask,
  createSketch,
  frameFromMessage,
  isCorrect,
  startTally,
} from '@toolquake/sdk/core';
import type { CallOutcome, CallRecord, Frame, MessageId, RandomSource, Sketch, Tally } from '@toolquake/sdk/core';
import type { Admission } from '@toolquake/sdk/resilience';
import { createDefences } from './caller-defences.js';
import { stepsOf } from './check-system.js';
import { failure, type Hearing } from './link.js';
import type { Registry } from './registry.js';
import type { AgentSpec } from './topology-fields.js';
import type { VirtualClock } from './virtual-clock.js';
import type { Watch } from './watch.js';

/** A task under way. */
type Task = {
  readonly name: string;
  readonly startedAtMs: number;
  step: number;
  /** Operations of this step that are not over. */
  left: number;
  operations: Operation[];
  isFailed: boolean;
  isDegraded: boolean;
  isDeceived: boolean;
  isOver: boolean;
};

/** What a step wants from one tool. */
type Operation = {
  readonly task: Task;
  readonly key: string;
  /** Counted over the whole task: which one it is decides whether the task can do without it. */
  readonly number: number;
  tool: string;
  sends: number;
  agentRetries: number;
  clientRetries: number;
  admission: Admission;
  isFaulted: boolean;
  isFallback: boolean;
  isOver: boolean;
  attempt: Attempt | undefined;
};

/** One call of an operation: what a link hands back with the answer. */
export type Attempt = {
  readonly operation: Operation;
  readonly id: number;
  readonly server: string;
  readonly sentAtMs: number;
  isOver: boolean;
};

/** The way to one server. */
export type Road = {
  send(frame: Frame, task: string, attempt: Attempt): void;
  /** Returns whether a fault was delivered on the call. */
  cancel(id: MessageId): boolean;
  /** Is the tool in the list that the agent has of this server? */
  isListed(tool: string): boolean;
};

/** What a caller works with. */
export type CallerOptions = {
  readonly name: string;
  readonly spec: AgentSpec;
  readonly clock: VirtualClock;
  readonly random: RandomSource;
  readonly registry: Registry;
  readonly roadTo: (server: string) => Road;
  /** Tools where doing an operation twice does harm. */
  readonly isWrite: (tool: string) => boolean;
  readonly watch: Watch;
  /** Nothing more begins after this time. */
  readonly lastsMs: number | undefined;
};

/** See the module comment. */
export type Caller = {
  start(): void;
  hear(attempt: Attempt, hearing: Hearing, isFaulted: boolean): void;
  /** Gives everything up that is still under way. */
  stop(): void;
  set(key: string, value: number | boolean): void;
  get(key: string): number | boolean;
  isDone(): boolean;
  inFlight(): number;
  progress(nowMs: number): number;
  readonly tally: Tally;
  readonly latency: ReadonlyMap<string, Sketch>;
  readonly taskLatency: Sketch;
  results(): {
    readonly deceivedTasks: number;
    readonly turnedAway: number;
    readonly misrouted: number;
    readonly openBreakers: readonly string[];
  };
};

/** How an operation counts whose last retry was never sent. */
const REFUSED: CallRecord = {
  outcome: 'no-answer',
  latencyMs: 0,
  deadlineMs: 0,
  isConformant: undefined,
  isUsable: undefined,
  isAltered: false,
};

/** Creates an agent; nothing happens before `start`. */
export function createCaller(options: CallerOptions): Caller {
  const { name, spec, clock, random, registry, watch } = options;
  const tally = startTally({ knowsExecutions: true });
  const defences = createDefences(name, spec, random);
  const steps = stepsOf(spec);
  const operationsPerTask = steps.reduce((sum, tools) => sum + tools.length, 0);
  const latency = new Map<string, Sketch>();
  const taskLatency = createSketch();
  const arrivals = random.stream('arrivals', name);
  const retry = spec.retry ?? { max: 0 };
  const running = new Set<Task>();
  /** Tasks to do; 0 where they arrive by themselves. */
  let tasks = spec.tasks ?? 0;
  let perSecond = spec.perSecond;
  /** Tasks that have begun or will in a moment. */
  let planned = 0;
  let numbered = 0;
  let arrived = 0;
  let nextId = 0;
  let inFlight = 0;
  let hasArrivals = spec.perSecond !== undefined;
  const results = { deceivedTasks: 0, turnedAway: 0, misrouted: 0 };
  const params = new Map<string, object>();
  /** One record for all calls: the tally copies nothing out of it. */
  const record = {
    outcome: 'ok' as CallOutcome,
    latencyMs: 0,
    deadlineMs: spec.deadline,
    isConformant: undefined as boolean | undefined,
    isUsable: undefined as boolean | undefined,
    isAltered: false,
  };
  const sends = { sends: 1, isFaulted: false };

  const arrive = (): void => {
    if (options.lastsMs !== undefined && clock.nowMs() >= options.lastsMs) {
      hasArrivals = false;
      return;
    }
    if (running.size < spec.concurrency) beginTask();
    else turnAway();
    scheduleArrival();
  };

  const scheduleArrival = (): void => {
    const gapMs = (-1000 / (perSecond ?? 1)) * Math.log(1 - arrivals.draw(++arrived, 0));
    clock.deliver(gapMs, arrive, undefined, undefined);
  };

  const turnAway = (): void => {
    results.turnedAway++;
    countTask(tally, 'failed');
    watch.taskEnded(true);
    watch.mark('turned-away', name);
  };

  const beginTask = (): void => {
    const task: Task = {
      name: `${name}-${++numbered}`,
      startedAtMs: clock.nowMs(),
      step: -1,
      left: 0,
      operations: [],
      isFailed: false,
      isDegraded: false,
      isDeceived: false,
      isOver: false,
    };
    running.add(task);
    watchTask?.(task, undefined);
    nextStep(task);
  };

  /** A moment later: a task that ends must not begin the next one in the middle of its own end. */
  const planTask = (): void => {
    planned++;
    clock.deliver(0, beginTask, undefined, undefined);
  };

  const nextStep = (task: Task): void => {
    task.step++;
    const tools = steps[task.step];
    if (tools === undefined) return endTask(task);
    const before = steps.slice(0, task.step).reduce((sum, one) => sum + one.length, 0);
    task.left = tools.length;
    task.operations = tools.map((tool, index) => ({
      task,
      key: `${task.name}/${before + index}`,
      number: before + index,
      tool,
      sends: 0,
      agentRetries: 0,
      clientRetries: 0,
      admission: 'call',
      isFaulted: false,
      isFallback: false,
      isOver: false,
      attempt: undefined,
    }));
    for (const operation of task.operations) startOperation(operation);
  };

  const endTask = (task: Task): void => {
    if (task.isOver) return;
    task.isOver = true;
    running.delete(task);
    const outcome = task.isFailed ? 'failed' : task.isDegraded ? 'degraded' : 'complete';
    countTask(tally, outcome);
    watch.taskEnded(task.isFailed);
    if (task.isDeceived && !task.isFailed) results.deceivedTasks++;
    taskLatency.add(clock.nowMs() - task.startedAtMs);
    if (planned < tasks) planTask();
  };

  const giveTaskUp = (task: Task): void => {
    if (task.isOver) return;
    task.isFailed = true;
    for (const operation of task.operations) {
      if (operation.isOver) continue;
      operation.isOver = true;
      const { attempt } = operation;
      if (attempt === undefined || attempt.isOver) countRefusal(tally);
      else abandon(attempt);
    }
    endTask(task);
  };

  const abandon = (attempt: Attempt): void => {
    const isFaulted = options.roadTo(attempt.server).cancel(attempt.id);
    settleAttempt(attempt, failure('cancelled'), isFaulted);
    countOperation(tally, record, { sends: attempt.operation.sends, isFaulted: attempt.operation.isFaulted });
  };

  const startOperation = (operation: Operation): void => {
    operation.admission = defences.breaker(operation.tool)?.admit() ?? 'call';
    if (operation.admission === 'refuse') return refuse(operation);
    const leftMs = Math.min(spec.deadline, timeLeftMs(operation.task));
    if (defences.routing(operation.tool)?.isWorthCalling(leftMs) === false) return refuse(operation);
    defences.budget.recordFirst();
    attempt(operation);
  };

  const timeLeftMs = (task: Task): number =>
    spec.taskDeadline === undefined ? Number.POSITIVE_INFINITY : task.startedAtMs + spec.taskDeadline - clock.nowMs();

  /** The agent does not even try: the operation was wanted and got nothing. */
  const refuse = (operation: Operation): void => {
    watch.open.refused++;
    countRefusal(tally);
    fail(operation);
  };

  const attempt = (operation: Operation): void => {
    if (operation.isOver) return;
    const { tool } = operation;
    const isRetry = operation.agentRetries + operation.clientRetries > 0;
    if (isRetry) watch.retried(name);
    const server = registry.route(tool, clock.nowMs());
    const road = options.roadTo(server);
    if (!road.isListed(tool)) return refuse(operation);
    if (defences.bulkhead(server)?.enter() === false) return refuse(operation);
    const answer = defences.limiter?.take(clock.nowMs()) ?? 'go';
    if (answer !== 'go') {
      defences.bulkhead(server)?.leave();
      watch.open.refused++;
      if (answer === 'open') watch.mark('limiter-open', name);
      else if (isRetry) watch.mark('limiter-rejects-retries', name);
      // A breaker says that trying again is pointless; a refusal looks like any other failure, and is retried.
      if (answer === 'open' || !retryLater(operation)) {
        if (operation.sends === 0) countRefusal(tally);
        else countOperation(tally, REFUSED, { sends: operation.sends, isFaulted: operation.isFaulted });
        fail(operation);
      }
      return;
    }
    send(operation, server, road);
  };

  const send = (operation: Operation, server: string, road: Road): void => {
    const id = ++nextId;
    const sent: Attempt = { operation, id, server, sentAtMs: clock.nowMs(), isOver: false };
    operation.attempt = sent;
    operation.sends++;
    inFlight++;
    watch.open.calls++;
    watchCall(sent, undefined);
    road.send(callFrame(id, operation), operation.task.name, sent);
  };

  const callFrame = (id: number, { tool, key }: Operation): Frame => {
    const method = 'tools/call';
    const given = options.isWrite(tool) ? { name: tool, arguments: { operation: key } } : sharedParams(tool);
    const message = { jsonrpc: '2.0', id, method, params: given };
    return frameFromMessage('to-server', message, { kind: 'request', id, method, tool, isComplete: true });
  };

  /** The parameters of a call that only reads never change, so calls share them. */
  const sharedParams = (tool: string): object => {
    let found = params.get(tool);
    if (found === undefined) params.set(tool, (found = { name: tool, arguments: { service: 'checkout' } }));
    return found;
  };

  const giveUp = (given: Attempt): void => {
    if (given.isOver) return;
    const isFaulted = options.roadTo(given.server).cancel(given.id);
    hear(given, failure('no-answer'), isFaulted);
  };

  /** Counts what became of a call; the record holds it afterwards. */
  const settleAttempt = (given: Attempt, hearing: Hearing, isFaulted: boolean): void => {
    const { operation } = given;
    given.isOver = true;
    inFlight--;
    defences.bulkhead(given.server)?.leave();
    operation.isFaulted ||= isFaulted;
    const latencyMs = clock.nowMs() - given.sentAtMs;
    record.outcome = hearing.outcome;
    record.latencyMs = latencyMs;
    record.isConformant = hearing.isConformant;
    record.isUsable = hearing.isUsable;
    record.isAltered = hearing.isAltered;
    if (hearing.outcome === 'ok' && registry.owner(operation.tool, given.sentAtMs) !== given.server) {
      results.misrouted++;
      // The answer is right in form and about the wrong thing.
      record.isAltered = true;
    }
    countCall(tally, record);
    defences.routing(operation.tool)?.record(latencyMs);
    if (hearing.outcome !== 'ok') watch.open.failedCalls++;
    if (hearing.outcome === 'no-answer' || hearing.outcome === 'cancelled') return;
    watch.answered(latencyMs);
    let sketch = latency.get(operation.tool);
    if (sketch === undefined) latency.set(operation.tool, (sketch = createSketch()));
    sketch.add(latencyMs);
  };

  /** The agent acts on what it can see. What it does not look at, it takes for good. */
  const hear = (given: Attempt, hearing: Hearing, isFaulted: boolean): void => {
    const { operation } = given;
    if (given.isOver || operation.isOver) return;
    settleAttempt(given, hearing, isFaulted);
    const isWrongOrigin = spec.verifiesOrigin && registry.owner(operation.tool, clock.nowMs()) !== given.server;
    if (isWrongOrigin) registry.renew(clock.nowMs());
    const seemsValid = !spec.validates || (hearing.isConformant !== false && hearing.isUsable !== false);
    const looksFine = hearing.outcome === 'ok' && seemsValid && !isWrongOrigin;
    if (!looksFine && retryLater(operation)) return;
    sends.sends = operation.sends;
    sends.isFaulted = operation.isFaulted;
    countOperation(tally, record, sends);
    defences.breaker(operation.tool)?.record(operation.admission, looksFine);
    if (!looksFine) return fail(operation);
    if (!isCorrect(record)) operation.task.isDeceived = true;
    if (operation.isFallback) operation.task.isDegraded = true;
    finish(operation);
  };

  /** Plans another try, of the client library first, then of the agent; false when there is none. */
  const retryLater = (operation: Operation): boolean => {
    const isClientTurn = operation.clientRetries < spec.clientRetries;
    if (!isClientTurn && operation.agentRetries >= retry.max) return false;
    if (!defences.budget.takeRetry(0)) return false;
    if (isClientTurn) {
      operation.clientRetries++;
      clock.deliver(defences.backoffMs(0), attempt, operation, undefined);
      return true;
    }
    clock.deliver(defences.backoffMs(operation.agentRetries), attempt, operation, undefined);
    operation.agentRetries++;
    operation.clientRetries = 0;
    return true;
  };

  /** For good: the other tool is tried, the task does without, or it has failed. */
  const fail = (operation: Operation): void => {
    const { task } = operation;
    if (spec.fallback !== undefined && !operation.isFallback) {
      operation.isFallback = true;
      operation.tool = spec.fallback;
      operation.sends = 0;
      operation.agentRetries = 0;
      operation.clientRetries = 0;
      operation.isFaulted = false;
      clock.deliver(0, startOperation, operation, undefined);
      return;
    }
    if (operation.number >= operationsPerTask - spec.spareSteps) task.isDegraded = true;
    else task.isFailed = true;
    finish(operation);
  };

  const finish = (operation: Operation): void => {
    const { task } = operation;
    operation.isOver = true;
    if (--task.left === 0 && !task.isOver) nextStep(task);
  };

  const watchCall = clock.lane(spec.timeout, giveUp);
  const watchTask = spec.taskDeadline === undefined ? undefined : clock.lane(spec.taskDeadline, giveTaskUp);

  return {
    start() {
      if (spec.perSecond !== undefined) return scheduleArrival();
      while (planned < Math.min(spec.concurrency, tasks)) planTask();
    },
    hear,
    stop() {
      hasArrivals = false;
      tasks = planned;
      for (const task of running) giveTaskUp(task);
    },
    set: (_key, value) => void (perSecond = value as number),
    get: () => perSecond ?? 0,
    isDone: () => !hasArrivals && running.size === 0 && tally.tasks >= tasks,
    inFlight: () => inFlight,
    progress: (nowMs) => (spec.tasks === undefined ? nowMs / (options.lastsMs ?? 1) : tally.tasks / spec.tasks),
    tally,
    latency,
    taskLatency,
    results: () => ({ ...results, openBreakers: defences.openBreakers() }),
  };
}
