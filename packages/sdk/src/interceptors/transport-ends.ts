/** The two ends of an intercepted MCP transport: how each effect is performed on messages that are objects. */
import type { Clock } from '../core/clock.js';
import { isConnectFailure } from '../core/effect.js';
import { frameBytes, frameFromMessage, frameHead, frameMessage, type Frame } from '../core/frame.js';
import { opposite, type Direction } from '../core/message.js';
import type { Ends, Refusal } from '../core/perform.js';
import type { Exchange } from '../core/session.js';
import { createFreezer, type Freezer } from './freezer.js';

/** What came with a message, and what became of sending it. */
export type Passage = {
  /** Options of a send, or the extra information of an arrival. */
  readonly with: unknown;
  /** Aborts when the sender closes the stream of this request. */
  readonly signal: AbortSignal | undefined;
  sending: Promise<void> | undefined;
  /** Settles the promise that the sender of a delayed request holds. */
  late?: { resolve: (sent: Promise<void>) => void };
};

type Handle = { readonly there: Passage; back: Passage | undefined };

/** What the ends are made from. */
export type TransportEndsOptions = {
  /** The way that a `send` of this transport goes. */
  readonly outgoing: Direction;
  readonly clock: Clock;
  send(message: unknown, options: unknown): Promise<void>;
  deliver(message: unknown, extra: unknown): void;
  fail(error: Error): void;
  isClosed(): boolean;
  /** The connection is gone, for both sides. */
  drop(): void;
};

/** The ends, and what the interceptor asks of them. */
export type TransportEnds = Ends & {
  /** An answer to an exchange came, with these options or this extra. */
  answering(exchange: Exchange, passage: Passage): void;
  /** What the sender of a frame that was taken waits for. */
  sendingOf(frame: Frame, passage: Passage): Promise<void>;
  /** At once, or when the server that we pretend to have frozen moves again. */
  whenMoving(action: () => void): void;
  afterThaw(action: () => Promise<void>): Promise<void>;
  thaw(): void;
};

/** Builds the ends. */
export function createTransportEnds(options: TransportEndsOptions): TransportEnds {
  const { outgoing } = options;
  const freezer: Freezer = createFreezer(options.clock);

  const passageOf = (frame: Frame, exchange: Exchange | undefined): Passage | undefined => {
    // Only the interceptor puts handles into exchanges.
    const handle = exchange?.handle as Handle | undefined;
    return frame.direction === exchange?.origin ? handle?.there : handle?.back;
  };

  const put = (frame: Frame, message: unknown, exchange: Exchange | undefined): void => {
    const passage = passageOf(frame, exchange);
    if (frame.direction !== outgoing) {
      freezer.whenMoving(() => options.deliver(message, passage?.with));
      return;
    }
    // What belongs to a request of the other side has to find its way back to it.
    const related =
      passage?.with ?? (exchange === undefined || exchange.origin === outgoing ? undefined : { relatedRequestId: exchange.id });
    const sending = freezer.afterThaw(() => options.send(message, related));
    if (passage?.late !== undefined) passage.late.resolve(sending);
    else if (passage !== undefined && passage.sending === undefined) passage.sending = sending;
    else sending.catch(options.fail);
  };

  const send = (frame: Frame, exchange: Exchange | undefined): Refusal => {
    if (options.isClosed()) return 'the connection is closed';
    const message = frameMessage(frame);
    if (message !== undefined) put(frame, message, exchange);
    else if (frame.direction === outgoing) return 'only messages can be sent in process';
    else options.fail(unreadable(frame));
    return undefined;
  };

  return {
    send,
    sendSlice(frame, { isLast }, exchange): Refusal {
      if (options.isClosed()) return 'the connection is closed';
      // An object comes as a whole, when its last byte would have come.
      return isLast ? send(frame, exchange) : undefined;
    },
    reply(exchange, message): Refusal {
      if (message === undefined) return exchange.id === undefined ? undefined : 'there is no way to answer without a message in process';
      return send(frameFromMessage(opposite(exchange.origin), message), exchange);
    },
    emit(frame, exchange): Refusal {
      return frame === 'heartbeat' ? 'there are no heartbeats in process' : send(frame, exchange);
    },
    disconnect(how): Refusal {
      if (how === 'refuse' || isConnectFailure(how)) return 'a transport in process is connected from the first moment';
      if (options.isClosed()) return 'the connection is closed';
      if (how === 'reset') options.fail(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }));
      options.drop();
      return undefined;
    },
    signalServer(signal, forMs): Refusal {
      if (options.isClosed()) return 'the connection is closed';
      if (signal === 'freeze') freezer.freeze(forMs);
      else if (signal === 'crash') options.drop();
      else return 'there is no process to do that to';
      return undefined;
    },
    answering(exchange, passage) {
      const handle = exchange.handle as Handle | undefined;
      if (handle !== undefined) handle.back = passage;
    },
    sendingOf(frame, passage) {
      if (passage.sending !== undefined) return passage.sending;
      // Notices and answers were taken, as by a pipe; only a request has somebody who wants to know that it failed.
      if (frameHead(frame).kind !== 'request') return Promise.resolve();
      return new Promise((resolve) => (passage.late = { resolve }));
    },
    whenMoving: freezer.whenMoving,
    afterThaw: freezer.afterThaw,
    thaw: freezer.thaw,
  };
}

/** What a parser says about bytes that are no message. */
function unreadable(frame: Frame): Error {
  try {
    JSON.parse(new TextDecoder().decode(frameBytes(frame)));
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return new SyntaxError('Unexpected end of JSON input');
}
