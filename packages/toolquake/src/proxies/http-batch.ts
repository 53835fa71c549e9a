/**
 * A POST of several messages at once (a JSON array, in the legacy era). Rules meet them one by one; what goes on as it is,
 * or edited at once, stays one POST, and what a fault sends later is posted on its own. The client gets one answer to all:
 * a stream where the server streams, else an array, which becomes a stream when a fault still has one of the answers.
 */
import {
  batchOf,
  createBatchSieve,
  exchangeOf,
  frameBytes,
  frameFromBytes,
  frameHead,
  isUntouchedBatch,
  rebuildBatch,
  type Batch,
  type Exchange,
  type Frame,
  type MessageId,
  type Performer,
} from '@toolquake/sdk/core';
import type { HttpIncoming } from './http-codec.js';
import { readBody, type Body } from './http-body.js';
import { createClientCall, handleOf, type ClientCall, type UpstreamListener } from './http-calls.js';
import type { StreamOwner } from './http-events.js';
import { isCompressed, isEventStream, withBodyLength } from './http-headers.js';
import type { Lane } from './http-lane.js';
import { badGateway, failClient } from './http-relay.js';
import type { SessionRecord } from './http-sessions.js';
import type { Upstream, UpstreamAsk, UpstreamHead } from './http-upstream.js';

/** What a batch is posted with. */
export type BatchPosterOptions = {
  readonly upstream: Upstream;
  /** Hears what comes back for a message that is posted on its own. */
  readonly messages: UpstreamListener;
  readonly performer: Performer;
  readonly maxFrameBytes: number;
  /** Takes note of how an answer begins. */
  readonly begin: (call: ClientCall, answer: HttpIncoming) => UpstreamHead;
  readonly pump: (answer: HttpIncoming, owner: Pick<StreamOwner, 'lane' | 'record' | 'call'>) => void;
  readonly stream: (answer: HttpIncoming, lane: Lane, head: UpstreamHead) => void;
  readonly guarded: (lane: Lane, act: () => void, otherwise: () => void) => void;
};

/** A batch as it was posted. */
export type PostedBatch = {
  readonly batch: Batch;
  readonly record: SessionRecord;
  readonly lane: Lane;
  readonly ask: UpstreamAsk;
  readonly body: Body;
};

/** Builds what handles posted batches; it returns all calls that were made of one. `passes` decides on one message. */
export function batchPoster(options: BatchPosterOptions) {
  const { upstream, performer, guarded } = options;

  /** Shows the answers in a body to the decider, and says what is left of them. */
  const settle = (call: ClientCall, head: UpstreamHead, body: Body): void => {
    const { lane } = call;
    const frame = frameFromBytes('to-client', body.bytes, body.rest !== undefined || isCompressed(head.headers));
    const batch = batchOf(frame);
    if (batch === undefined) settleWhole(call, head, body, frame);
    else {
      const places = lane.sieve.sift(batch, (element) => passes(call, element));
      const isAsItCame = isUntouchedBatch(batch, places) && !lane.isOwing && lane.openUpstreams <= 1 && lane.batch?.gathered.length === 0;
      if (isAsItCame) lane.sendWhole(head, body);
      else lane.sayAll(places.flat(), () => frameBytes(rebuildBatch(batch, places) ?? frame));
    }
    lane.upstreamEnded();
  };

  const passes = (call: ClientCall, element: Frame): boolean => {
    const { kind, id } = frameHead(element);
    const exchange =
      kind === 'response' ? (call.elements?.get(id ?? null)?.exchange ?? exchangeOf(call.record.session, element)) : undefined;
    return exchange === undefined || passesAnswer(call.lane, exchange, element);
  };

  const passesAnswer = (lane: Lane, exchange: Exchange, frame: Frame): boolean => {
    let isPassed = true;
    guarded(
      lane,
      () => void (isPassed = performer.answer(exchange, frame).effects === undefined),
      () => {},
    );
    const asked = handleOf(exchange);
    if (isPassed) lane.noteAnswer(asked);
    else if (asked !== undefined) lane.owe(asked);
    return isPassed;
  };

  /** One body that is no array: the answer to a batch of one, or what a server says that takes no batches. */
  const settleWhole = (call: ClientCall, head: UpstreamHead, body: Body, frame: Frame): void => {
    const { lane } = call;
    if (!lane.isAnswered) lane.whole = { frame, body };
    const { kind, id } = frameHead(frame);
    const own = kind === 'response' ? call.elements?.get(id ?? null)?.exchange : undefined;
    const open = own === undefined ? exchangesOf(call) : [own];
    const isPassed = open.map((exchange) => passesAnswer(lane, exchange, frame)).every(Boolean);
    if (!isPassed) return;
    if (lane.isStreaming) lane.reset();
    else lane.sendWhole(head, body);
  };

  const batches: UpstreamListener = {
    onAnswer(call, answer) {
      const head = options.begin(call, answer);
      const { lane, record } = call;
      if (isEventStream(head.headers) && !isCompressed(head.headers)) return options.pump(answer, { lane, record, call });
      const isWatched = exchangesOf(call).length > 0 || lane.isOwing || lane.batch?.gathered.length !== 0;
      if (record.isAnsweredInStream || !isWatched) return options.stream(answer, lane, head);
      readBody(answer, options.maxFrameBytes, (body) => settle(call, head, body));
    },
    onFailure(call, error) {
      const { lane } = call;
      if (lane.isGone || lane.isAnswered) return;
      upstream.failed(error);
      if (lane.isStreaming) return failClient(lane.response, error);
      const { head, bytes } = badGateway(error);
      settle(call, head, { bytes, rest: undefined });
    },
  };

  return ({ batch, record, lane, ask, body }: PostedBatch, decide: (call: ClientCall, element: Frame) => boolean): ClientCall[] => {
    const sieve = createBatchSieve();
    const whole = createClientCall({ record, lane, ask, body, frame: batch.frame }, upstream, batches);
    const calls: ClientCall[] = [];
    const elements = new Map<MessageId, ClientCall>();
    whole.elements = elements;
    // Nothing ends while we are still deciding.
    lane.batch = { owed: new Set([whole]), answered: new Set(), gathered: [] };
    const places = sieve.sift(batch, (frame) => {
      const bytes = Buffer.from(frameBytes(frame));
      const alone: UpstreamAsk = { ...ask, headers: withBodyLength(ask.headers, bytes.length), framing: 'length' };
      const from = { record, lane, ask: alone, body: { bytes, rest: undefined }, frame };
      const one = createClientCall(from, upstream, options.messages, (sent) => sieve.take(sent));
      calls.push(one);
      const { kind, id } = frameHead(frame);
      if (kind === 'request' && id !== undefined) elements.set(id, one);
      const isPassed = decide(one, frame);
      if (!isPassed && kind === 'request' && !record.isAnsweredInStream) lane.owe(one);
      return isPassed;
    });
    // What was sent at once is the server's now.
    calls.forEach((one, index) => {
      if (places[index]!.length > 0) lane.batch?.owed.delete(one);
    });
    const rest = isUntouchedBatch(batch, places) ? batch.frame : rebuildBatch(batch, places);
    if (rest !== undefined) whole.forward(rest);
    lane.batch.owed.delete(whole);
    if (rest === undefined && record.isAnsweredInStream && lane.batch.owed.size === 0)
      lane.reply(undefined, { status: 202, body: 'Accepted' });
    else lane.finishIfDone();
    return [whole, ...calls];
  };
}

function exchangesOf({ elements }: ClientCall): Exchange[] {
  return [...(elements?.values() ?? [])].flatMap(({ exchange }) => (exchange?.id === undefined ? [] : [exchange]));
}
