/** The closed set of what may be done about traffic. Faults return these; every transport performs all of them. */
import type { Frame } from './frame.js';
import type { JsonObject } from './message.js';
import type { Exchange } from './session.js';

/** What HTTP says around an answer. Transports without HTTP send the message alone. */
export type HttpReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent instead of the message; empty string for an empty body. */
  readonly body?: string;
};

/** When a held frame goes on: after a time, at a named event, or not at all (until its rule is removed). */
export type HoldUntil = { readonly ms: number } | 'cancel' | 'never';

/** What is to be done. Adding a kind is a design event: the compiler then points at every transport. */
export type Effect =
  /** Send the frame on in its direction. With `exchange`, as part of that exchange instead of the event's own. */
  | { readonly kind: 'forward'; readonly frame: Frame; readonly afterMs: number; readonly exchange?: Exchange }
  /** Answer the sender of the event's frame; the frame itself goes nowhere. */
  | { readonly kind: 'answer'; readonly message: JsonObject | undefined; readonly http: HttpReply | undefined; readonly afterMs: number }
  /** Say something nobody said: a message, or a transport-level heartbeat; `count` times. */
  | { readonly kind: 'emit'; readonly frame: Frame | 'heartbeat'; readonly everyMs: number; readonly count: number }
  /** Keep the frame back. A later forward for the same exchange and direction supersedes what is held. */
  | { readonly kind: 'hold'; readonly frame: Frame; readonly until: HoldUntil; readonly thenMs: number }
  /** Break the connection. `refuse` also turns new connections away for a while. Put off by `afterMs`, a cancel comes first. */
  | { readonly kind: 'disconnect'; readonly how: 'reset' | 'end' | 'refuse'; readonly forMs: number; readonly afterMs?: number }
  /** Send the frame on in slices of bytes, which may split a character. */
  | { readonly kind: 'pace'; readonly frame: Frame; readonly sliceBytes: number; readonly everyMs: number; readonly afterMs: number }
  /** Do something to the server itself. Where it is no child of ours, the transport imitates what a client would see. */
  | { readonly kind: 'signal-server'; readonly signal: 'freeze'; readonly forMs: number };

export const forward = (frame: Frame, afterMs = 0, exchange?: Exchange): Effect =>
  exchange === undefined ? { kind: 'forward', frame, afterMs } : { kind: 'forward', frame, afterMs, exchange };

export const answer = (message: JsonObject | undefined, http?: HttpReply, afterMs = 0): Effect => ({
  kind: 'answer',
  message,
  http,
  afterMs,
});

export const emit = (frame: Frame | 'heartbeat', times: { everyMs: number; count: number }): Effect => ({ kind: 'emit', frame, ...times });

export const hold = (frame: Frame, until: HoldUntil, thenMs = 0): Effect => ({ kind: 'hold', frame, until, thenMs });

export const disconnect = (how: 'reset' | 'end' | 'refuse', forMs = 0, afterMs = 0): Effect =>
  afterMs === 0 ? { kind: 'disconnect', how, forMs } : { kind: 'disconnect', how, forMs, afterMs };

export const pace = (frame: Frame, slices: { sliceBytes: number; everyMs: number; afterMs?: number }): Effect => ({
  kind: 'pace',
  frame,
  sliceBytes: slices.sliceBytes,
  everyMs: slices.everyMs,
  afterMs: slices.afterMs ?? 0,
});

export const signalServer = (signal: 'freeze', forMs: number): Effect => ({ kind: 'signal-server', signal, forMs });
