/**
 * A fetch that runs a plan: MCP requests and answers that pass through it meet the same decider and performer as in
 * the proxies. What no rule looks at comes back as the very Response that the wrapped fetch gave.
 */
import { baggageTask, TASK_HEADER } from '../core/call-hints.js';
import type { Clock } from '../core/clock.js';
import { createDecider, type Decision } from '../core/decide.js';
import { describeProblem } from '../core/describe-problem.js';
import { ToolquakeError } from '../core/errors.js';
import { frameFromBytes, frameHead, MAX_FRAME_BYTES, type Frame } from '../core/frame.js';
import { JOURNAL_VERSION, listedRules, type JournalEntry, type JournalSink } from '../core/journal.js';
import { HASH_KEY_BYTES } from '../core/keyed-hash.js';
import { createPerformer } from '../core/perform.js';
import type { Plan, Rule } from '../core/plan.js';
import { keyedRandom, type RandomSource } from '../core/random.js';
import { createSessionNames, exchangeOf, startSession } from '../core/session.js';
import { createCall, launch, type Call, type CallWorld } from './fetch-call.js';
import { createFetchEnds } from './fetch-ends.js';
import { readRequest, type FetchFunction, type OutgoingRequest } from './fetch-request.js';
import { createFetchSessions } from './fetch-sessions.js';
import { processEnvironment, whyNotAllowed } from './guard.js';
import { realClock } from '../core/surroundings.js';

/** How a fetch is wrapped. Use one wrapper per client: without session ids, all its requests are one session. */
export type WrapFetchOptions = {
  readonly plan: Plan;
  /** Name of the session in draws and journal; by default the client's own name and an ordinal. */
  readonly label?: string;
  /** Name of the server, for `when: { target }`. */
  readonly target?: string;
  /** Where entries go; by default into the `journal` of the wrapper. */
  readonly journal?: JournalSink;
  readonly clock?: Clock;
  readonly random?: RandomSource;
  /** Overrides the guard. By default `CHAOS_ENABLED` must be `true`, and neither NODE_ENV nor ENVIRONMENT `production`. */
  readonly isAllowed?: () => boolean;
  /** Hears of refusals by the guard and of our own mistakes; traffic goes on untouched. */
  readonly onProblem?: (error: unknown) => void;
  /** Journal every tool call, also where no rule matches. */
  readonly observesAll?: boolean;
  readonly maxFrameBytes?: number;
};

/** A wrapped fetch. */
export type WrappedFetch = {
  readonly fetch: FetchFunction;
  /** Sends on what is held, writes the end of the journal; afterwards fetch is the plain one. */
  stop(): void;
  /** The entries so far; empty when they go to a sink of yours. */
  readonly journal: readonly JournalEntry[];
};

/** Wraps a fetch; see the module comment. */
export function wrapFetch(fetch: FetchFunction, options: WrapFetchOptions): WrappedFetch {
  const { plan, target, clock = realClock, maxFrameBytes = MAX_FRAME_BYTES } = options;
  const entries: JournalEntry[] = [];
  const journal: JournalSink = options.journal ?? ((entry) => void entries.push(entry));
  const startedAtMs = clock.nowMs();
  const guarded =
    options.isAllowed === undefined ? whyNotAllowed(processEnvironment()) : options.isAllowed() ? undefined : 'isAllowed said no';
  const rules = listedRules(plan.rules);
  const startedAt = new Date().toISOString();
  journal({
    v: JOURNAL_VERSION,
    kind: 'start',
    atMs: 0,
    transport: 'fetch',
    seed: plan.seed,
    rules,
    startedAt,
    ...(target === undefined ? {} : { target }),
    ...(plan.task.deadlineMs === undefined ? {} : { deadlineMs: plan.task.deadlineMs }),
    ...(guarded === undefined ? {} : { guarded }),
  });
  if (guarded !== undefined) {
    options.onProblem?.(new ToolquakeError('NOT_ALLOWED', { message: `Nothing is injected into fetch: ${guarded}.` }));
    return { fetch, stop: () => {}, journal: entries };
  }

  const random = options.random ?? keyedRandom(plan.seed);
  const observesAll = options.observesAll === true;
  const decider = createDecider({ plan, random, transport: 'fetch', startedAtMs, observesAll });
  const onProblem = (error: unknown): void => {
    journal({ kind: 'problem', atMs: clock.nowMs() - startedAtMs, message: describeProblem(error) });
    options.onProblem?.(error);
  };
  const ends = createFetchEnds({ clock, send: (call, body) => void launch(call, world, body) });
  const nameSession = options.label === undefined ? createSessionNames() : undefined;
  const operationKey = crypto.getRandomValues(new Uint8Array(HASH_KEY_BYTES));
  const performer = createPerformer({ decider, clock, ends, journal, startedAtMs, operationKey, nameSession, onProblem });
  const sessions = createFetchSessions({ label: options.label, target, close: (session) => performer.close(session) });
  // Nothing is known about a client that only connects, so all connections draw in one scope, as in the HTTP proxy.
  const connections = startSession({ ...(options.label === undefined ? {} : { label: options.label }), target });
  const looksAtServer = plan.rules.some(watchesServer);
  const taskHeader = (plan.task.by === 'header' ? plan.task.header : undefined) ?? TASK_HEADER;
  let isActive = decider.isActive;

  const world: CallWorld = {
    fetch,
    maxFrameBytes,
    thawed: ends.thawed,
    sentOn: ends.sentOn,
    onResponse: (call, response) => sessions.note(call.session, response),
    onDone: ends.finish,
    onGone(call) {
      ends.forget(call);
      // In the modern era closing the response stream is the cancellation; in the legacy era it is only a broken line.
      if (call.exchange !== undefined && call.session.era === 'modern') performer.cancel(call.exchange);
    },
    arrive(call, frame, block) {
      ends.remember(frame, call, block);
      const { kind } = frameHead(frame);
      if (kind === 'response') {
        const exchange = exchangeOf(call.session, frame);
        const isOwn = exchange === undefined || exchange === call.exchange;
        if (isOwn) call.answersSeen++;
        if (isOwn) call.answerBlock = block;
        // A resumed stream carries the answer of a call whose own response is gone.
        else if ((exchange.handle as Call).reply.isDone) exchange.handle = call;
        const isFree = exchange === undefined || performer.answer(exchange, frame).effects === undefined;
        if (isFree && isOwn) call.isAnswered = true;
        return isFree;
      }
      return kind === 'other' || performer.request(call.session, frame, { handle: call }).effects === undefined;
    },
  };

  const decide = (call: Call, frame: Frame): Decision | undefined => {
    const { kind } = frameHead(frame);
    if (kind === 'request' || kind === 'notification') {
      const { headers } = call.request;
      const task = headers.get(taskHeader) ?? baggageTask(headers.get('baggage'));
      return performer.request(call.session, frame, { handle: call, task });
    }
    const exchange = kind === 'response' ? exchangeOf(call.session, frame) : undefined;
    if (exchange === undefined) return undefined;
    // From here on what we send for this exchange is this fetch's body.
    exchange.handle = call;
    return performer.answer(exchange, frame);
  };

  const perform = async (request: OutgoingRequest): Promise<Response> => {
    const refusal = ends.connecting(request.url, () => performer.connect(connections));
    if (refusal !== undefined) throw refusal;
    const frame = request.body === undefined ? undefined : frameFromBytes('to-server', request.body);
    const session = sessions.find(request.headers, frame);
    const call = createCall(request, session, world);
    ends.begin(call);
    const decision = frame === undefined ? undefined : decide(call, frame);
    call.exchange = decision?.exchange;
    if (decision?.effects === undefined) {
      const isListening = request.method === 'GET' && request.headers.get('accept')?.includes('text/event-stream') === true;
      if (isListening) ends.listen(call);
      if (call.exchange === undefined && !isListening && !(looksAtServer && frame !== undefined)) {
        // Nobody looks at it, but a crash takes it down all the same.
        const response = await Promise.race([request.send(fetch), call.reply.response]).finally(() => call.reply.abandon());
        sessions.note(session, response);
        if (request.method === 'DELETE' && response.ok) sessions.end(session);
        return response;
      }
      void launch(call, world);
    }
    return call.reply.response;
  };

  return {
    fetch: (input, init) => {
      if (!isActive) return fetch(input, init);
      return readRequest(input, init, maxFrameBytes).then((request) =>
        request.signal?.aborted === true ? request.send(fetch) : perform(request),
      );
    },
    stop() {
      if (!isActive) return;
      isActive = false;
      ends.thaw();
      performer.release();
      sessions.endAll();
      const fired = Object.fromEntries(rules.map(({ id }) => [id, performer.fired.get(id) ?? 0]));
      journal({ kind: 'end', atMs: clock.nowMs() - startedAtMs, fired, calls: performer.calls });
    },
    journal: entries,
  };
}

/** Does a rule need to see what the server says of its own accord? Wide shapes advance on every message. */
function watchesServer({ isEnabled, when, shape, fault }: Rule): boolean {
  const isWide = (shape.kind === 'burst' || shape.kind === 'episode') && (shape.scope === 'plan' || shape.scope === 'session');
  return isEnabled && ((when.direction ?? fault.direction) !== 'to-server' || isWide);
}
