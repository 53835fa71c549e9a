/**
 * How a simulated agent gets one thing done: it calls a tool, and calls again when that failed, as long as its limiter, its
 * budget, its breaker and its bulkhead allow. Client library and agent retry in layers, one inside the other.
 */
import { countCall, countOperation, countRefusal, createSketch, frameFromMessage, isCorrect } from '@toolquake/sdk/core';
import type { CallOutcome, CallRecord, Frame, MessageId, Sketch, Tally } from '@toolquake/sdk/core';
import type { Admission } from '@toolquake/sdk/resilience';
import type { Defences } from './caller-defences.js';
import { failure, type Hearing } from './link.js';
import type { Registry } from './registry.js';
import type { AgentSpec } from './topology-fields.js';
import type { VirtualClock } from './virtual-clock.js';
import type { Watch } from './watch.js';

/** What a step of a task wants from one tool. `Owner` is whoever hears how it ended. */
export type Operation<Owner> = {
  readonly owner: Owner;
  readonly key: string;
  /** Name of the task, for the journal. */
  readonly task: string;
  /** When its task is given up. */
  readonly untilMs: number;
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
  attempt: Attempt<Owner> | undefined;
};

/** One call of an operation: what a link hands back with the answer. */
export type Attempt<Owner = unknown> = {
  readonly operation: Operation<Owner>;
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

/** How an operation ended: `wrong` is an answer that looked fine and was not. */
export type Ending = 'fine' | 'wrong' | 'failed';

/** What operations need of their agent and of the world. */
export type OperationsOptions<Owner> = {
  readonly name: string;
  readonly spec: AgentSpec;
  readonly clock: VirtualClock;
  readonly registry: Registry;
  readonly defences: Defences;
  readonly roadTo: (server: string) => Road;
  /** Tools where doing an operation twice does harm. */
  readonly isWrite: (tool: string) => boolean;
  readonly watch: Watch;
  readonly tally: Tally;
  /** Told once per operation, unless it was abandoned. */
  readonly onEnd: (operation: Operation<Owner>, ending: Ending) => void;
};

/** See the module comment. */
export type Operations<Owner> = {
  start(about: Pick<Operation<Owner>, 'owner' | 'key' | 'task' | 'untilMs' | 'number' | 'tool'>): Operation<Owner>;
  hear(attempt: Attempt<Owner>, hearing: Hearing, isFaulted: boolean): void;
  /** Its task was given up. */
  abandon(operation: Operation<Owner>): void;
  inFlight(): number;
  /** Answers that came from a server which no longer has the tool. */
  misrouted(): number;
  readonly latency: ReadonlyMap<string, Sketch>;
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

/** Starts with nothing under way. */
export function createOperations<Owner>(options: OperationsOptions<Owner>): Operations<Owner> {
  const { name, spec, clock, registry, defences, watch, tally } = options;
  const latency = new Map<string, Sketch>();
  const params = new Map<string, object>();
  const maxRetries = spec.retry?.max ?? 0;
  let nextId = 0;
  let inFlight = 0;
  let misrouted = 0;
  /** One record for all calls: the tally copies nothing out of it. */
  const record = {
    outcome: 'ok' as CallOutcome,
    latencyMs: 0,
    deadlineMs: spec.deadline,
    isConformant: undefined as boolean | undefined,
    isUsable: undefined as boolean | undefined,
    isAltered: false,
  };

  const begin = (operation: Operation<Owner>): void => {
    operation.admission = defences.breaker(operation.tool)?.admit() ?? 'call';
    if (operation.admission === 'refuse') return refuse(operation);
    const leftMs = Math.min(spec.deadline, operation.untilMs - clock.nowMs());
    if (defences.routing(operation.tool)?.isWorthCalling(leftMs) === false) return refuse(operation);
    defences.budget.recordFirst();
    attempt(operation);
  };

  /** The agent does not even try: the operation was wanted and got nothing. */
  const refuse = (operation: Operation<Owner>): void => {
    watch.open.refused++;
    countUnsent(operation);
    fail(operation);
  };

  /** It ends without a call of its own; what was sent for it before makes it an operation all the same. */
  const countUnsent = (operation: Operation<Owner>): void => {
    if (operation.sends === 0) return countRefusal(tally);
    countOperation(tally, REFUSED, operation);
    defences.breaker(operation.tool)?.record(operation.admission, false);
  };

  const attempt = (operation: Operation<Owner>): void => {
    if (operation.isOver) return;
    const isRetry = operation.agentRetries + operation.clientRetries > 0;
    if (isRetry) watch.retried(name);
    const server = registry.route(operation.tool, clock.nowMs());
    const road = options.roadTo(server);
    if (!road.isListed(operation.tool)) return refuse(operation);
    const bulkhead = defences.bulkhead(server);
    if (bulkhead?.enter() === false) return refuse(operation);
    const answer = defences.limiter?.take(clock.nowMs()) ?? 'go';
    if (answer === 'go') return send(operation, server, road);
    bulkhead?.leave();
    watch.open.refused++;
    if (answer === 'open') watch.mark('limiter-open', name);
    else if (isRetry) watch.mark('limiter-rejects-retries', name);
    // A breaker says that trying again is pointless; a refusal looks like any other failure, and is retried.
    if (answer === 'refused' && retryLater(operation)) return;
    countUnsent(operation);
    fail(operation);
  };

  const send = (operation: Operation<Owner>, server: string, road: Road): void => {
    const id = ++nextId;
    const sent: Attempt<Owner> = { operation, id, server, sentAtMs: clock.nowMs(), isOver: false };
    operation.attempt = sent;
    operation.sends++;
    inFlight++;
    watch.open.calls++;
    watchCall(sent, undefined);
    road.send(callFrame(id, operation), operation.task, sent);
  };

  const callFrame = (id: number, { tool, key }: Operation<Owner>): Frame => {
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

  const giveUp = (given: Attempt<Owner>): void => {
    if (given.isOver) return;
    const isFaulted = options.roadTo(given.server).cancel(given.id);
    hear(given, failure('no-answer'), isFaulted);
  };
  // Most are over long before: with a timeout of an hour, nobody could remember them all.
  const watchCall = clock.lane(spec.timeout, giveUp, ({ isOver }: Attempt<Owner>) => isOver);

  /** Counts what became of a call; the record holds it afterwards. */
  const settle = (given: Attempt<Owner>, hearing: Hearing, isFaulted: boolean): void => {
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
      misrouted++;
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
  const hear = (given: Attempt<Owner>, hearing: Hearing, isFaulted: boolean): void => {
    const { operation } = given;
    if (given.isOver || operation.isOver) return;
    settle(given, hearing, isFaulted);
    const isWrongOrigin = spec.verifiesOrigin && registry.owner(operation.tool, clock.nowMs()) !== given.server;
    if (isWrongOrigin) registry.renew(clock.nowMs());
    const seemsValid = !spec.validates || (hearing.isConformant !== false && hearing.isUsable !== false);
    const looksFine = hearing.outcome === 'ok' && seemsValid && !isWrongOrigin;
    if (!looksFine && retryLater(operation)) return;
    countOperation(tally, record, operation);
    defences.breaker(operation.tool)?.record(operation.admission, looksFine);
    if (!looksFine) return fail(operation);
    operation.isOver = true;
    options.onEnd(operation, isCorrect(record) ? 'fine' : 'wrong');
  };

  /** Plans another try, of the client library first, then of the agent; false when there is none. */
  const retryLater = (operation: Operation<Owner>): boolean => {
    const isClientTurn = operation.clientRetries < spec.clientRetries;
    if (!isClientTurn && operation.agentRetries >= maxRetries) return false;
    if (!defences.budget.takeRetry(0)) return false;
    clock.deliver(defences.backoffMs(isClientTurn ? 0 : operation.agentRetries), attempt, operation, undefined);
    if (isClientTurn) operation.clientRetries++;
    else {
      operation.agentRetries++;
      operation.clientRetries = 0;
    }
    return true;
  };

  /** For good, unless there is another tool to try. */
  const fail = (operation: Operation<Owner>): void => {
    if (spec.fallback === undefined || operation.isFallback) {
      operation.isOver = true;
      options.onEnd(operation, 'failed');
      return;
    }
    operation.isFallback = true;
    operation.tool = spec.fallback;
    operation.sends = 0;
    operation.agentRetries = 0;
    operation.clientRetries = 0;
    operation.isFaulted = false;
    clock.deliver(0, beginUnlessOver, operation, undefined);
  };

  const beginUnlessOver = (operation: Operation<Owner>): void => {
    if (!operation.isOver) begin(operation);
  };

  return {
    start({ owner, key, task, untilMs, number, tool }) {
      const operation: Operation<Owner> = {
        owner,
        key,
        task,
        untilMs,
        number,
        tool,
        sends: 0,
        agentRetries: 0,
        clientRetries: 0,
        admission: 'call',
        isFaulted: false,
        isFallback: false,
        isOver: false,
        attempt: undefined,
      };
      begin(operation);
      return operation;
    },
    hear,
    abandon(operation) {
      if (operation.isOver) return;
      operation.isOver = true;
      const { attempt: last } = operation;
      if (last === undefined || last.isOver) return countUnsent(operation);
      settle(last, failure('cancelled'), options.roadTo(last.server).cancel(last.id));
      countOperation(tally, record, operation);
      defences.breaker(operation.tool)?.record(operation.admission, false);
    },
    inFlight: () => inFlight,
    misrouted: () => misrouted,
    latency,
  };
}
