/** The two ends of a wire, as a transport offers them to the performer: six verbs that carry every effect out. */
import type { DisconnectHow, HttpReply, ServerSignal } from './effect.js';
import type { Frame } from './frame.js';
import type { JsonObject } from './message.js';
import type { Exchange, Session } from './session.js';

/** Why something could not be done; undefined when it was done. */
export type Refusal = string | undefined;

/**
 * What a transport can do. Each returns why not, when it could not; none throws for a peer that went away.
 * An event whose effects were all refused is handed back to the transport, to be sent on untouched.
 */
export type Ends = {
  /** Sends a frame in its direction, as part of an exchange where there is one. */
  send(frame: Frame, exchange: Exchange | undefined): Refusal;
  /** Sends some bytes of a frame. Until the last slice nothing else may go in between on the same stream. */
  sendSlice(
    frame: Frame,
    slice: { readonly bytes: Uint8Array; readonly isFirst: boolean; readonly isLast: boolean },
    exchange: Exchange | undefined,
  ): Refusal;
  /** Answers the sender of the exchange's request. */
  reply(exchange: Exchange, message: JsonObject | undefined, http: HttpReply | undefined): Refusal;
  /** Says something that nobody said. */
  emit(frame: Frame | 'heartbeat', exchange: Exchange | undefined): Refusal;
  disconnect(how: DisconnectHow, forMs: number, exchange: Exchange | undefined, session: Session): Refusal;
  /** A crash takes every call in flight with it, whoever made it. */
  signalServer(signal: ServerSignal, forMs: number, bytes: number): Refusal;
  /** Ends now what was to last for a while: a stopped server, a port that refuses. Absent where nothing lasts. */
  release?(): void;
};
