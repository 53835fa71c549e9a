/**
 * A simulated agent: it works through tasks, each a fan-out of tool calls made one after the other. Without resilience it
 * gives every call one chance; with it, it retries, does without spare steps, and stops calling tools that keep failing.
 */
import {
  countCall,
  countOperation,
  countRefusal,
  countTask,
  frameFromMessage,
  isCorrect,
  startTally,
  type CallOutcome,
  type Era,
  type Tally,
} from '@toolquake/sdk/core';
import {
  createEtaBreaker,
  createGracefulDegradation,
  createRetryBudget,
  lastSteps,
  type Admission,
  type EtaBreaker,
} from '@toolquake/sdk/resilience';
import { failure, listedTools, openingFrame, type Hearing, type Link } from './link.js';
import type { SimulatedServer } from './server.js';
import type { VirtualClock } from './virtual-clock.js';

/** How an agent defends itself. */
export type Resilience = {
  readonly maxRetries: number;
  /** The last steps of a task that it can do without. */
  readonly spareSteps: number;
  /** The breaker's threshold on effective tool availability. */
  readonly etaThreshold: number;
  /** Every Nth refused call goes through as a probe; undefined: an open breaker stays open. */
  readonly probeInterval: number | undefined;
};

/** The three patterns of the headline, with half-open probes. */
export const HEADLINE_RESILIENCE: Resilience = { maxRetries: 2, spareSteps: 2, etaThreshold: 0.5, probeInterval: 8 };

/** What an agent does. */
export type AgentOptions = {
  readonly clock: VirtualClock;
  readonly tasks: number;
  /** Steps per task. */
  readonly fanout: number;
  /** Taken in turn, starting over with every task. */
  readonly tools: readonly string[];
  /** A legacy agent opens a session first, and again when it is lost. */
  readonly era: Era;
  readonly resilience: Resilience | undefined;
  /** What a step may take; a later answer still counts as an answer. */
  readonly deadlineMs: number;
  /** When the agent gives up on a call. */
  readonly timeoutMs: number;
};

/** See the module comment. */
export type Agent = {
  /** Starts to work over a link. Everything else happens as events on the clock. */
  start(link: Link<undefined, SimulatedServer>): void;
  hear(context: undefined, hearing: Hearing, isFaulted: boolean): void;
  readonly tally: Tally;
  /** Tools whose breaker is open. */
  openBreakers(): readonly string[];
  /** Tasks that ended well in the agent's eyes, with an altered answer in them. */
  deceivedTasks(): number;
  isDone(): boolean;
};

/** Creates an agent. */
export function createAgent(options: AgentOptions): Agent {
  const { clock, tasks, fanout, tools, era, resilience, deadlineMs, timeoutMs } = options;
  const tally = startTally({ knowsExecutions: true });
  const budget = createRetryBudget({ maxRetries: resilience?.maxRetries ?? 0 });
  const degradation = createGracefulDegradation(lastSteps(resilience?.spareSteps ?? 0));
  const breakers: readonly (EtaBreaker | undefined)[] = tools.map(() =>
    resilience === undefined
      ? undefined
      : createEtaBreaker({ threshold: resilience.etaThreshold, probeInterval: resilience.probeInterval }),
  );
  /** The parameters of a call never change, so calls share them. */
  const params = tools.map((name) => ({ name, arguments: { service: 'checkout' } }));
  let needsSession = era === 'legacy';
  let hasListed = false;
  let isListed: readonly boolean[] = tools.map(() => true);
  let link: Link<undefined, SimulatedServer>;

  let task = 0;
  let taskName = 'task-1';
  let step = 0;
  let toolIndex = 0;
  let admission: Admission = 'call';
  let attempt = 0;
  let isFaulted = false;
  let isDeceived = false;
  let deceivedTasks = 0;
  let id = 0;
  let sentAtMs = 0;
  let isWatching = false;
  let isDone = tasks === 0;
  /** One record for all calls: the tally copies nothing out of it. */
  const record = {
    outcome: 'ok' as CallOutcome,
    latencyMs: 0,
    deadlineMs,
    isConformant: undefined as boolean | undefined,
    isUsable: undefined as boolean | undefined,
    isAltered: false,
  };

  /** Sends what comes first: a session where one is needed, the list of tools, then calls. */
  const send = (): void => {
    id++;
    sentAtMs = clock.nowMs();
    if (needsSession || !hasListed) link.send(openingFrame(id, needsSession ? 'initialize' : 'tools/list'), undefined, undefined);
    else {
      const method = 'tools/call';
      const message = { jsonrpc: '2.0', id, method, params: params[toolIndex] };
      link.send(
        frameFromMessage('to-server', message, { kind: 'request', id, method, tool: tools[toolIndex], isComplete: true }),
        taskName,
        undefined,
      );
    }
    if (isWatching) return;
    isWatching = true;
    clock.enqueue(timeoutMs, watch);
  };

  /** One timer for all calls: it looks when the call that was under way would time out, and goes back to sleep. */
  const watch = (): void => {
    if (isDone) return;
    const leftMs = sentAtMs + timeoutMs - clock.nowMs();
    if (leftMs > 0) return clock.enqueue(leftMs, watch);
    const wasFaulted = link.cancel(id);
    clock.enqueue(timeoutMs, watch);
    hear(undefined, failure('no-answer'), wasFaulted);
  };

  /** Goes on until a call is under way or all tasks are done. */
  const proceed = (): void => {
    for (;;) {
      if (step === fanout) {
        const outcome = degradation.outcome();
        countTask(tally, outcome);
        if (isDeceived && outcome !== 'failed') deceivedTasks++;
        if (++task === tasks) {
          isDone = true;
          return;
        }
        taskName = `task-${task + 1}`;
        step = 0;
        toolIndex = 0;
        isDeceived = false;
        degradation.begin(fanout);
      }
      admission = breakers[toolIndex]?.admit() ?? 'call';
      if (admission !== 'refuse' && isListed[toolIndex] === true) {
        attempt = 0;
        isFaulted = false;
        budget.recordFirst();
        return send();
      }
      countRefusal(tally);
      degradation.recordFailure(step);
      nextStep();
    }
  };

  const nextStep = (): void => {
    step++;
    if (++toolIndex === tools.length) toolIndex = 0;
  };

  /** The agent acts on what it can see: an error, no answer, a result that breaks its schema or that it cannot use. */
  const hear = (_context: undefined, hearing: Hearing, wasFaulted: boolean): void => {
    if (needsSession) {
      // Even when it failed: the next answer will say so, and there is nothing else to try.
      needsSession = false;
      return send();
    }
    if (!hasListed) {
      hasListed = true;
      const listed = listedTools(hearing.message) ?? tools;
      isListed = tools.map((tool) => listed.includes(tool));
      return proceed();
    }
    record.outcome = hearing.outcome;
    record.latencyMs = clock.nowMs() - sentAtMs;
    record.isConformant = hearing.isConformant;
    record.isUsable = hearing.isUsable;
    record.isAltered = hearing.isAltered;
    countCall(tally, record);
    isFaulted ||= wasFaulted;
    if (hearing.isSessionLost && era === 'legacy') needsSession = true;
    const looksFine = hearing.outcome === 'ok' && hearing.isConformant !== false && hearing.isUsable !== false;
    if (!looksFine && budget.takeRetry(attempt)) {
      attempt++;
      return send();
    }
    sends.sends = attempt + 1;
    sends.isFaulted = isFaulted;
    countOperation(tally, record, sends);
    breakers[toolIndex]?.record(admission, looksFine);
    if (!looksFine) degradation.recordFailure(step);
    else if (!isCorrect(record)) isDeceived = true;
    nextStep();
    proceed();
  };

  const sends = { sends: 1, isFaulted: false };

  return {
    start(given) {
      link = given;
      degradation.begin(fanout);
      // As a client does: first learn which tools there are. A tool that is not listed cannot be called.
      if (!isDone) send();
    },
    hear,
    tally,
    openBreakers: () => tools.filter((_, index) => breakers[index]?.isOpen() === true),
    deceivedTasks: () => deceivedTasks,
    isDone: () => isDone,
  };
}
