/** MCP over HTTP with rules at work: reads what clients post and servers answer, shows it to the decider, and passes it on. */
import {
  baggageTask,
  batchOf,
  exchangeOf,
  frameFromBytes,
  frameHead,
  introductionOf,
  TASK_HEADER,
  type Exchange,
  type Frame,
  type Performer,
  type Session,
} from '@toolquake/sdk/core';
import type { HttpIncoming, HttpResponse } from './http-codec.js';
import { batchPoster } from './http-batch.js';
import { readBody, type Body } from './http-body.js';
import { createClientCall, handleOf, type ClientCall, type UpstreamListener } from './http-calls.js';
import { announcedEndpoint } from './http-endpoint.js';
import { pumpEvents, type StreamOwner } from './http-events.js';
import { headerOf, isCompressed, isEventStream } from './http-headers.js';
import { Lane, type KnownServer } from './http-lane.js';
import { badGateway, failClient } from './http-relay.js';
import type { Sessions } from './http-sessions.js';
import { headOf, type Upstream, type UpstreamAsk, type UpstreamHead } from './http-upstream.js';

/** What traffic is handled with. */
export type TrafficOptions = {
  readonly upstream: Upstream;
  readonly performer: Performer;
  readonly sessions: Sessions;
  readonly maxFrameBytes: number;
  /** Header that names the task of a call, when the plan says so; otherwise it has a fixed name. */
  readonly taskHeader: string | undefined;
  readonly onProblem: (error: unknown) => void;
};

/** Handles one request of a client. */
export type Handler = (ask: UpstreamAsk, request: HttpIncoming, response: HttpResponse) => void;

const NO_BYTES = Buffer.alloc(0);

/** How long a legacy client may take to come back for the answer to a call whose stream broke off. */
const RESUME_WITHIN_MS = 60_000;

/** Handlers for messages (POST) and for streams and pages (GET). */
export type Traffic = {
  readonly post: Handler;
  readonly get: Handler;
  /** Cuts the line of every call and stream that is open; the server never knows. */
  cutAll(): void;
  /** A session is over: ends the lines that only a fault kept open. */
  sessionEnded(session: Session): void;
};

/** Builds the handlers. */
export function createTraffic(options: TrafficOptions): Traffic {
  const { upstream, performer, sessions, maxFrameBytes } = options;
  const taskHeader = options.taskHeader?.toLowerCase() ?? TASK_HEADER;
  const server: KnownServer = { headers: [] };
  const open = new Map<Lane, Session>();
  const over = new WeakSet<Exchange>();

  /** Fail safe: our own mistake never breaks the traffic, unless `onProblem` throws to have it so. */
  const guarded = (response: HttpResponse, act: () => void, otherwise: () => void): void => {
    try {
      try {
        act();
      } catch (error) {
        options.onProblem(error);
        otherwise();
      }
    } catch {
      failClient(response, { code: 'EPROXY' });
    }
  };

  const pump = (answer: HttpIncoming, owner: Pick<StreamOwner, 'lane' | 'record' | 'call' | 'announcement'>): void =>
    pumpEvents(answer, {
      ...owner,
      upstream,
      performer,
      maxFrameBytes,
      guarded: (act, otherwise) => guarded(owner.lane.response, act, otherwise),
    });

  /** An answer nobody decides on, as it comes. */
  const stream = (answer: HttpIncoming, lane: Lane, head: UpstreamHead): void => {
    if (lane.sendWhole(head, { bytes: NO_BYTES, rest: answer }) !== undefined) answer.resume();
  };

  /**
   * Nothing more comes on this line. A stream whose events have ids may be asked for again, so its call stays open for a
   * while; of any other call no answer can come.
   */
  const lineIsOver = ({ exchange, lane }: ClientCall): void => {
    if (exchange?.id === undefined || over.has(exchange)) return;
    over.add(exchange);
    performer.abandon(exchange, lane.hasEventIds && !exchange.isReported ? RESUME_WITHIN_MS : 0);
  };

  /** An answer that breaks off must break off for the client too. */
  const guardAnswer = (answer: HttpIncoming, call: ClientCall): void => {
    const { lane } = call;
    answer.on('error', () => {});
    answer.on('close', () => {
      if (!answer.complete && !lane.response.writableEnded) lane.reset();
      if (call.record.isAnsweredInStream) return;
      // What the server left out of its answer to a batch will not come either; nor what a rule holds, once the line broke.
      for (const one of call.elements?.values() ?? [call]) if (!answer.complete || !lane.owes(one)) lineIsOver(one);
    });
  };

  /** Shows the whole body of an answer to the decider, or delivers it as it is. */
  const settle = (call: ClientCall, head: UpstreamHead, body: Body): void => {
    const { lane, exchange, record } = call;
    const frame = frameFromBytes('to-client', body.bytes, body.rest !== undefined || isCompressed(head.headers));
    if (!lane.isAnswered) {
      lane.head = head;
      // One message of a batch: its answer is a part of what the client gets. What is no answer is the answer to all.
      if (lane.batch === undefined || frameHead(frame).kind !== 'response') lane.whole = { frame, body };
    }
    // "Accepted", with the answer to come in another stream (HTTP+SSE), is no answer yet.
    const isPending = record.isAnsweredInStream ? head.status < 300 : head.status === 202 && body.bytes.length === 0;
    guarded(
      lane.response,
      () => {
        if (exchange === undefined || isPending || performer.answer(exchange, frame).effects === undefined) lane.deliver(frame, call);
        else lane.owe(call);
      },
      () => void lane.deliver(frame, call),
    );
    lane.upstreamEnded();
  };

  const messages: UpstreamListener = {
    onAnswer(call, answer) {
      const { lane, exchange, record } = call;
      const head = headOf(answer);
      server.headers = head.headers;
      if (!lane.isAnswered) lane.head = head;
      guardAnswer(answer, call);
      const { method, id } = frameHead(call.message);
      if (method === 'initialize' && head.status < 300) sessions.learn(record, headerOf(head.headers, 'mcp-session-id'));
      if (isEventStream(head.headers) && !isCompressed(head.headers)) {
        if (method === 'subscriptions/listen' && head.status === 200) record.listening = { lane, id: id ?? null };
        pump(answer, { lane, record, call });
      } else if (exchange?.id === undefined) stream(answer, lane, head);
      else readBody(answer, maxFrameBytes, (body) => settle(call, head, body));
    },
    onFailure(call, error) {
      const { lane } = call;
      // Nobody is left to be told, but the call must not wait for ever.
      if (lane.isGone || lane.isAnswered) return lineIsOver(call);
      upstream.failed(error);
      if (call.exchange?.id === undefined || lane.isStreaming) return failClient(lane.response, error);
      const { head, bytes } = badGateway(error);
      settle(call, head, { bytes, rest: undefined });
    },
  };

  /** The client went away. In the modern era that is a cancellation; in both, nobody is left to answer. */
  const hungUp = (call: ClientCall): void => {
    const { lane, exchange, record } = call;
    open.delete(lane);
    const isSubscription = record.stream === lane || record.listening?.lane === lane;
    if (record.stream === lane) record.stream = undefined;
    if (record.listening?.lane === lane) record.listening = undefined;
    if (lane.response.writableFinished) return;
    if (lane.isCut && !isSubscription) {
      // The fault cut the line, not the client: the server finishes its work and never knows. A stream of news has no end.
      lane.whole?.body.rest?.resume();
      return;
    }
    for (const out of call.sent) out.destroy();
    if (exchange === undefined || lane.isAnswered) return;
    // In the modern era, hanging up is how a call is cancelled.
    if (record.session.era === 'modern') performer.cancel(exchange);
    else if (!record.isAnsweredInStream) lineIsOver(call);
  };

  const sessionEnded = (session: Session): void => {
    for (const [lane, of] of open) if (of === session) lane.sessionEnded();
  };

  /** True when the message goes on as it is. */
  const passes = (call: ClientCall, frame: Frame, request: HttpIncoming): boolean => {
    const { session } = call.record;
    const { kind } = frameHead(frame);
    if (kind === 'request' || kind === 'notification') {
      const task = headerOf(request.rawHeaders, taskHeader) ?? baggageTask(headerOf(request.rawHeaders, 'baggage'));
      const decision = performer.request(session, frame, { handle: call, task });
      call.exchange = decision.exchange;
      return decision.effects === undefined;
    }
    const exchange = kind === 'response' ? exchangeOf(session, frame) : undefined;
    const asked = exchange === undefined ? undefined : handleOf(exchange);
    if (exchange === undefined || asked?.kind !== 'server-call') return true;
    asked.answeredBy = call;
    return performer.answer(exchange, frame).effects === undefined;
  };

  const decide = (call: ClientCall, frame: Frame, request: HttpIncoming): void => {
    if (passes(call, frame, request)) call.forward(frame);
  };

  const postBatch = batchPoster({
    upstream,
    messages,
    performer,
    maxFrameBytes,
    begin(call, answer) {
      const { lane, record } = call;
      const head = headOf(answer);
      server.headers = head.headers;
      if (!lane.isAnswered) lane.head = head;
      guardAnswer(answer, call);
      const hasHello = [...(call.elements?.values() ?? [])].some(({ message }) => frameHead(message).method === 'initialize');
      if (hasHello && head.status < 300) sessions.learn(record, headerOf(head.headers, 'mcp-session-id'));
      return head;
    },
    pump,
    stream,
    guarded: (lane, act, otherwise) => guarded(lane.response, act, otherwise),
  });

  return {
    post(ask, request, response) {
      if (headerOf(request.rawHeaders, 'expect')?.toLowerCase() === '100-continue') response.writeContinue();
      readBody(request, maxFrameBytes, (body) => {
        const frame = frameFromBytes('to-server', body.bytes, body.rest !== undefined);
        const lane = new Lane(response, headerOf(request.rawHeaders, 'accept'), server);
        const batch = frameHead(frame).kind === 'other' ? batchOf(frame) : undefined;
        const record = sessions.of(request.rawHeaders, batch?.elements.find((one) => introductionOf(one) !== undefined) ?? frame, ask.path);
        record.headers = request.rawHeaders;
        record.path = ask.path;
        open.set(lane, record.session);
        if (batch !== undefined) {
          const calls = postBatch({ batch, record, lane, ask, body }, (call, one) => {
            let isPassed = true;
            guarded(
              response,
              () => void (isPassed = passes(call, one, request)),
              () => {},
            );
            return isPassed;
          });
          response.on('close', () => calls.forEach(hungUp));
          return;
        }
        const call = createClientCall({ record, lane, ask, body, frame }, upstream, messages);
        response.on('close', () => hungUp(call));
        guarded(
          response,
          () => decide(call, frame, request),
          () => void (call.sent.size === 0 && call.forward(frame)),
        );
      });
    },
    get(ask, request, response) {
      let record = sessions.of(request.rawHeaders, undefined);
      const lane = new Lane(response, headerOf(request.rawHeaders, 'accept'), server);
      const frame = frameFromBytes('to-server', NO_BYTES);
      const announcement: StreamOwner['announcement'] = (event) => {
        const endpoint = announcedEndpoint(event, { upstream, ask });
        if (endpoint === undefined) return undefined;
        if (record.stream === lane) record.stream = undefined;
        record = sessions.announced(endpoint.path, request.rawHeaders);
        record.stream = lane;
        record.path = endpoint.path;
        return { record, bytes: endpoint.bytes };
      };
      const streams: UpstreamListener = {
        onAnswer(call, answer) {
          const head = headOf(answer);
          lane.head = head;
          guardAnswer(answer, call);
          if (!isEventStream(head.headers) || isCompressed(head.headers)) return stream(answer, lane, head);
          if (head.status === 200) record.stream = lane;
          pump(answer, { lane, record, call: undefined, announcement });
        },
        onFailure(_call, error) {
          if (lane.isGone) return;
          upstream.failed(error);
          failClient(response, error);
        },
      };
      const body: Body = { bytes: NO_BYTES, rest: ask.framing === 'none' ? undefined : request };
      const call = createClientCall({ record, lane, ask, body, frame }, upstream, streams);
      open.set(lane, record.session);
      response.on('close', () => {
        hungUp(call);
        if (record.stream === lane) record.stream = undefined;
        if (!record.isAnsweredInStream) return;
        // The session ends with its stream, whoever cut it: no answer can come any more, and the server must not keep it open.
        for (const out of call.sent) out.destroy();
        performer.close(record.session);
        sessionEnded(record.session);
      });
      call.forward(frame);
    },
    cutAll() {
      for (const lane of open.keys()) lane.reset();
    },
    sessionEnded,
  };
}
