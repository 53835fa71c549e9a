/** The two ends of a wrapped fetch: how each effect is performed on Requests and Responses. */
import type { Clock } from '../core/clock.js';
import { isConnectFailure, type DisconnectHow } from '../core/effect.js';
import { frameBytes, frameHead, type Frame } from '../core/frame.js';
import type { Ends, Refusal } from '../core/perform.js';
import type { Exchange } from '../core/session.js';
import { answered, type Call } from './fetch-call.js';
import { brokenError, connectError, refusedError } from './fetch-errors.js';
import { createFreezer } from './freezer.js';
import { httpAnswer, toResponse } from './http-answer.js';

/** The ends, and what the wrapper asks of them. */
export type FetchEnds = Ends & {
  /** Runs what decides about a new connection to an address; the error to fail with when it may not be made. */
  connecting(url: string, decide: () => void): Error | undefined;
  /** A call began, or nothing more will be said about it: a crash takes those in between with it. */
  begin(call: Call): void;
  finish(call: Call): void;
  /** The call is a stream that the client listens to for news (GET). */
  listen(call: Call): void;
  forget(call: Call): void;
  /** Where a frame came from, so that it can leave with the same event fields and the same bytes. */
  remember(frame: Frame, call: Call, block: Uint8Array | undefined): void;
  sentOn(frame: Frame): Promise<void>;
  thawed(): Promise<void>;
  thaw(): void;
};

const GONE = 'the response has already ended';

/** Builds the ends. `send` puts a call's request, or other bytes, on its way to the server. */
export function createFetchEnds(options: { clock: Clock; send: (call: Call, body: Uint8Array | undefined) => void }): FetchEnds {
  const { clock } = options;
  const sources = new WeakMap<Frame, { readonly call: Call; readonly block: Uint8Array | undefined }>();
  const waitingForSend = new WeakMap<Frame, () => void>();
  const listeners = new Set<Call>();
  const open = new Set<Call>();
  let failing: { readonly how: DisconnectHow; readonly untilMs: number } | undefined;
  let refusal: DisconnectHow | undefined;
  const freezer = createFreezer(clock);

  // Only the wrapper puts handles into exchanges, and they are always calls.
  const callOf = (exchange: Exchange | undefined): Call | undefined => exchange?.handle as Call | undefined;

  /** A frame that came in this very call leaves as it came; an edited answer leaves in the event of the original. */
  const sourceOf = (frame: Frame, call: Call): { readonly block: Uint8Array | undefined; readonly isEdited: boolean } => {
    const source = sources.get(frame);
    if (source?.call === call) return { block: source.block, isEdited: false };
    return { block: isAnswer(frame) ? call.answerBlock : undefined, isEdited: true };
  };

  const sendToServer = (frame: Frame, call: Call): void => {
    const bytes = frameBytes(frame);
    options.send(call, bytes === call.request.body ? undefined : bytes);
  };

  /** Where news can be put: the response of the exchange while it is open, else a stream that the client listens to. */
  const streamFor = (exchange: Exchange | undefined): Call | undefined => {
    const call = callOf(exchange);
    const takesEvents = call?.request.headers.get('accept')?.includes('text/event-stream') !== false;
    if (call !== undefined && !call.reply.isDone && takesEvents && !(call.reply.hasBegun && call.reply.mode === 'whole')) return call;
    // A wrapper may have several clients: what is said about one of them is not for another's ears.
    for (const listener of listeners) if (!listener.reply.isDone && listener.session === exchange?.session) return listener;
    return undefined;
  };

  return {
    send(frame, exchange): Refusal {
      const call = callOf(exchange);
      if (call === undefined) return 'there is no request to send it with';
      if (frame.direction === 'to-server') {
        sendToServer(frame, call);
        return undefined;
      }
      if (call.reply.isDone) return GONE;
      const source = sourceOf(frame, call);
      call.reply.writeMessage(frameBytes(frame), source.block, source.isEdited);
      waitingForSend.get(frame)?.();
      if (frame.isOpaque) call.isAnswered = true;
      else if (isAnswer(frame)) answered(call);
      return undefined;
    },
    sendSlice(frame, slice, exchange): Refusal {
      const call = callOf(exchange);
      if (call === undefined) return 'there is no request to send it with';
      if (frame.direction === 'to-server') {
        // fetch takes a request body as a whole: the server gets it when its last slice would have come.
        if (slice.isLast) sendToServer(frame, call);
        return undefined;
      }
      if (call.reply.isDone) return GONE;
      call.reply.writeSlice(slice, sourceOf(frame, call).block);
      if (slice.isLast) {
        waitingForSend.get(frame)?.();
        if (isAnswer(frame)) answered(call);
      }
      return undefined;
    },
    reply(exchange, message, http): Refusal {
      const call = callOf(exchange);
      if (call === undefined || exchange.origin === 'to-client') return 'fetch cannot answer a server';
      if (call.reply.isDone) return GONE;
      call.isAnswered = true;
      if (!call.reply.hasBegun) {
        call.reply.respond(toResponse(httpAnswer(message, http)));
        return undefined;
      }
      if (message === undefined || call.reply.mode !== 'events') return 'the response has already begun';
      call.reply.writeMessage(new TextEncoder().encode(JSON.stringify(message)), undefined, true);
      call.reply.end();
      return undefined;
    },
    emit(frame, exchange): Refusal {
      const call = streamFor(exchange);
      if (call === undefined) return 'the client has no stream open';
      call.reply.beginEvents();
      if (frame === 'heartbeat') call.reply.heartbeat();
      else call.reply.writeMessage(frameBytes(frame), undefined, true);
      return undefined;
    },
    disconnect(how, forMs, exchange): Refusal {
      if (how !== 'reset' && how !== 'end') failing = { how, untilMs: clock.nowMs() + forMs };
      const call = callOf(exchange);
      if (call === undefined) {
        refusal = how;
        return undefined;
      }
      const { reply } = call;
      if (reply.isDone) return GONE;
      // A stream can end at any time; a body that is shorter than it should be is a broken connection.
      if (how === 'end' && reply.hasBegun && reply.mode === 'events') reply.hangUp();
      else reply.fail(reply.hasBegun ? brokenError(how === 'end' ? 'end' : 'reset', true) : errorOf(how, call.request.url));
      call.connection.abort();
      return undefined;
    },
    signalServer(signal, forMs): Refusal {
      if (signal !== 'freeze' && signal !== 'crash') return 'the server does not end with its clients';
      if (signal === 'crash') {
        failing = { how: 'refuse', untilMs: clock.nowMs() + forMs };
        for (const call of open) {
          if (call.breakOff !== undefined) {
            call.breakOff(brokenError('reset', false));
            continue;
          }
          call.reply.fail(brokenError('reset', call.reply.hasBegun));
          call.connection.abort();
        }
        return undefined;
      }
      freezer.freeze(forMs);
      return undefined;
    },
    connecting(url, decide) {
      if (failing !== undefined && clock.nowMs() < failing.untilMs) return errorOf(failing.how, url);
      refusal = undefined;
      decide();
      return refusal === undefined ? undefined : errorOf(refusal, url);
    },
    begin: (call) => void open.add(call),
    finish: (call) => void open.delete(call),
    listen(call) {
      for (const listener of listeners) if (listener.reply.isDone) listeners.delete(listener);
      listeners.add(call);
    },
    forget: (call) => void listeners.delete(call),
    remember: (frame, call, block) => void sources.set(frame, { call, block }),
    sentOn: (frame) => new Promise((resolve) => void waitingForSend.set(frame, resolve)),
    thawed: () => freezer.afterThaw(() => Promise.resolve()),
    release() {
      failing = undefined;
    },
    thaw: freezer.thaw,
  };
}

/** What a fetch fails with before there is a response. */
function errorOf(how: DisconnectHow, url: string): TypeError {
  if (how === 'refuse') return refusedError(url);
  return isConnectFailure(how) ? connectError(how, hostOf(url)) : brokenError(how, false);
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return url;
  }
}

/** Progress and the like belong to a call too, but only an answer, or what became of one, ends it. */
function isAnswer(frame: Frame): boolean {
  const { kind } = frameHead(frame);
  return kind === 'response' || kind === 'other';
}
