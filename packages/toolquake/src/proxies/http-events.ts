/** One event stream of the server on its way to a client: every message in it is decided on, the rest passes. */
import {
  batchOf,
  createEventFramer,
  encodeEvent,
  eventData,
  exchangeOf,
  frameBytes,
  frameFromBytes,
  frameHead,
  hasEventId,
  isUntouchedBatch,
  rebuildBatch,
  type Batch,
  type EventBlock,
  type Exchange,
  type Frame,
  type Performer,
} from '@toolquake/sdk/core';
import type { HttpIncoming } from './http-codec.js';
import { handleOf, type ClientCall, type ServerCall } from './http-calls.js';
import type { Lane } from './http-lane.js';
import { addTrailers, SMALL_BYTES } from './http-relay.js';
import type { SessionRecord } from './http-sessions.js';
import type { Upstream } from './http-upstream.js';

/** What a stream belongs to. `call` is absent for the GET stream. */
export type StreamOwner = {
  readonly lane: Lane;
  readonly record: SessionRecord;
  readonly call: ClientCall | undefined;
  /** Reads an event that is no message: HTTP+SSE announces the session that the stream belongs to from then on. */
  readonly announcement?: (event: Uint8Array) => { readonly record: SessionRecord; readonly bytes: Uint8Array } | undefined;
  readonly upstream: Upstream;
  readonly performer: Performer;
  readonly maxFrameBytes: number;
  /** Runs our own code so that its mistakes never break the stream: `otherwise` passes what it failed on. */
  readonly guarded: (act: () => void, otherwise: () => void) => void;
};

/** Pumps the stream until it ends, with backpressure. */
export function pumpEvents(answer: HttpIncoming, owner: StreamOwner): void {
  const { lane, call, performer, guarded } = owner;
  let { record } = owner;
  const framer = createEventFramer(owner.maxFrameBytes);
  /** An event too large to hold waits for its own first part, which a fault has in its hands. */
  let blockedBy: Frame | undefined;
  let blocked: EventBlock[] = [];
  /** The rest of such an event that a fault kept: in a stream that calls share, the others must not wait for it. */
  let isDropping = false;
  let hasEnded = false;
  let isFirstBlock = true;

  // A fault may still want to answer with a status of its own: then the stream begins with its first event.
  if (call?.exchange?.engagements === undefined) lane.openStream();

  lane.onDelivered = (frame) => {
    if (frame !== blockedBy) return;
    blockedBy = undefined;
    const blocks = blocked;
    blocked = [];
    for (const block of blocks) take(block);
    if (hasEnded) finish();
    else answer.resume();
  };

  /** The exchange that an answer in this stream belongs to. Clients of one name may use the same ids, so ours comes first. */
  const answered = (frame: Frame): Exchange | undefined => {
    const { id } = frameHead(frame);
    const own = call?.elements === undefined ? call?.exchange : call.elements.get(id ?? null)?.exchange;
    return own?.id !== undefined && own.id === id ? own : exchangeOf(record.session, frame);
  };

  /** True when a request or notification of the server goes on as it is. */
  const passesUnasked = (frame: Frame): boolean => {
    const handle: ServerCall = { kind: 'server-call', record, lane, upstream: owner.upstream, answeredBy: undefined };
    return performer.request(record.session, frame, { handle }).effects === undefined;
  };

  /** Several messages in one event: what is left of them stays one event. */
  const decideAll = (block: EventBlock, batch: Batch): void => {
    const places = lane.sieve.sift(batch, (frame) => {
      let isPassed = true;
      guarded(
        () => void (isPassed = passesInBatch(frame)),
        () => {},
      );
      return isPassed;
    });
    const rest = isUntouchedBatch(batch, places) ? batch.frame : rebuildBatch(batch, places);
    if (rest !== undefined) lane.pass(rest === batch.frame ? block.bytes : encodeEvent(frameBytes(rest), block.bytes));
  };

  const passesInBatch = (frame: Frame): boolean => {
    const { kind } = frameHead(frame);
    if (kind === 'request' || kind === 'notification') return passesUnasked(frame);
    const exchange = kind === 'response' ? answered(frame) : undefined;
    const asked = exchange === undefined ? undefined : handleOf(exchange);
    if (exchange === undefined || asked?.kind !== 'client-call') return true;
    if (asked.lane !== lane) asked.via = lane;
    const isPassed = performer.answer(exchange, frame).effects === undefined;
    if (isPassed) lane.noteAnswer(asked);
    else if (!record.isAnsweredInStream) lane.owe(asked);
    return isPassed;
  };

  const decide = (block: EventBlock, frame: Frame): void => {
    const { kind } = frameHead(frame);
    if (kind === 'request' || kind === 'notification') {
      if (passesUnasked(frame)) lane.pass(block.bytes);
      else lane.keepNoted();
      return;
    }
    const batch = kind === 'other' ? batchOf(frame) : undefined;
    if (batch !== undefined) {
      decideAll(block, batch);
      return;
    }
    const exchange = kind === 'response' ? answered(frame) : undefined;
    const asked = exchange === undefined ? undefined : handleOf(exchange);
    if (exchange === undefined || asked?.kind !== 'client-call') {
      lane.pass(block.bytes);
      return;
    }
    if (asked.lane !== lane) asked.via = lane;
    if (block.part === 'start') blockedBy = frame;
    if (performer.answer(exchange, frame).effects === undefined) lane.deliver(frame, asked);
    else {
      if (blockedBy === undefined || call !== undefined) lane.keepNoted();
      else {
        blockedBy = undefined;
        isDropping = true;
        lane.forgetNoted();
      }
      // A stream of many calls ends when the server says so.
      if (record.isAnsweredInStream) lane.owesAnswer = false;
      else lane.owe(asked);
    }
    if (blockedBy !== undefined) answer.pause();
  };

  const take = (block: EventBlock): void => {
    if (isFirstBlock) {
      // Servers that keep events number them from the first one on.
      isFirstBlock = false;
      lane.hasEventIds = hasEventId(block.bytes);
    }
    if (blockedBy !== undefined) {
      blocked.push(block);
      return;
    }
    if (isDropping) {
      isDropping = block.part !== 'end';
      return;
    }
    const data = block.part === 'whole' || block.part === 'start' ? eventData(block.bytes) : undefined;
    if (data === undefined) {
      lane.pass(block.bytes);
      return;
    }
    const frame = frameFromBytes('to-client', data, block.part === 'start');
    const announced = frameHead(frame).kind === 'other' ? owner.announcement?.(block.bytes) : undefined;
    if (announced !== undefined) {
      ({ record } = announced);
      lane.pass(announced.bytes);
      return;
    }
    lane.note(frame, block.bytes);
    guarded(
      () => decide(block, frame),
      () => void lane.pass(block.bytes),
    );
  };

  const finish = (): void => {
    if (blockedBy !== undefined) return;
    if (!lane.isOwing) lane.openStream();
    lane.upstreamEnded();
  };

  const end = (): void => {
    if (hasEnded) return;
    hasEnded = true;
    const rest = framer.end();
    if (rest !== undefined) take(rest);
    if (!lane.isGone) addTrailers(lane.response, answer.rawTrailers);
    finish();
  };

  let gathered: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => {
    if (answer.readableLength > 0 && chunk.length <= SMALL_BYTES) {
      gathered.push(chunk);
      return;
    }
    const bytes = gathered.length === 0 ? chunk : Buffer.concat([...gathered, chunk]);
    gathered = [];
    lane.events.inOneWrite(() => {
      for (const block of framer.push(bytes)) take(block);
      if (answer.complete && answer.readableLength === 0) end();
    });
    const { busy } = lane.events;
    if (busy === undefined || lane.isGone || hasEnded) return;
    answer.pause();
    busy(() => void (blockedBy === undefined && answer.resume()));
  });
  answer.on('end', end);
}
