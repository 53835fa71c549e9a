/** The closed set of what may be done about traffic. Faults return these; every transport performs all of them. */
import type { Frame } from './frame.js';
import type { JsonObject } from './message.js';
import type { Exchange } from './session.js';

/** What HTTP says around an answer. Transports without HTTP send the message alone. */
export type HttpReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers whose value is a date, so many milliseconds from now: only a transport knows the date. */
  readonly datesInMs?: Readonly<Record<string, number>>;
  /** Sent instead of the message; empty string for an empty body. */
  readonly body?: string;
};

/** The headers of a reply at a time, in milliseconds since 1970. */
export function replyHeaders({ headers = {}, datesInMs = {} }: HttpReply, nowMs: number): Readonly<Record<string, string>> {
  const dates = Object.entries(datesInMs).map(([name, inMs]) => [name, new Date(nowMs + inMs).toUTCString()] as const);
  return dates.length === 0 ? headers : { ...headers, ...Object.fromEntries(dates) };
}

/** Why a connection could not be made at all, by the code that Node's own fetch fails with. */
export type ConnectFailure =
  | 'ENOTFOUND'
  | 'EAI_AGAIN'
  | 'CERT_HAS_EXPIRED'
  | 'DEPTH_ZERO_SELF_SIGNED_CERT'
  | 'ERR_TLS_CERT_ALTNAME_INVALID';

/** How a connection breaks. `refuse` and the failures also turn new connections away for a while. */
export type DisconnectHow = 'reset' | 'end' | 'refuse' | ConnectFailure;

/** Is this a connection that never came about, for a reason before the server itself? */
export function isConnectFailure(how: DisconnectHow): how is ConnectFailure {
  return how !== 'reset' && how !== 'end' && how !== 'refuse';
}

/**
 * What can be done to a server: stop it for a while, kill it and keep it down for a while, keep it from hearing that
 * its client is gone (the end of its input, and SIGTERM) until so long after, or let it log so many bytes.
 */
export type ServerSignal = 'freeze' | 'crash' | 'flood-stderr' | 'ignore-eof' | 'ignore-eof-and-sigterm';

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
  /** Break the connection, or keep it from being made. Put off by `afterMs`, a cancel comes first. */
  | { readonly kind: 'disconnect'; readonly how: DisconnectHow; readonly forMs: number; readonly afterMs?: number }
  /** Send the frame on in slices of bytes, which may split a character. */
  | { readonly kind: 'pace'; readonly frame: Frame; readonly sliceBytes: number; readonly everyMs: number; readonly afterMs: number }
  /** Do something to the server itself. Where it is no child of ours, the transport imitates what a client would see. */
  | { readonly kind: 'signal-server'; readonly signal: ServerSignal; readonly forMs: number; readonly bytes?: number };

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

export const disconnect = (how: DisconnectHow, forMs = 0, afterMs = 0): Effect =>
  afterMs === 0 ? { kind: 'disconnect', how, forMs } : { kind: 'disconnect', how, forMs, afterMs };

export const pace = (frame: Frame, slices: { sliceBytes: number; everyMs: number; afterMs?: number }): Effect => ({
  kind: 'pace',
  frame,
  sliceBytes: slices.sliceBytes,
  everyMs: slices.everyMs,
  afterMs: slices.afterMs ?? 0,
});

export const signalServer = (signal: ServerSignal, forMs: number, bytes?: number): Effect =>
  bytes === undefined ? { kind: 'signal-server', signal, forMs } : { kind: 'signal-server', signal, forMs, bytes };

/** Does the effect send the frame of its event on, and nothing else? */
export function isUntouched(effect: Effect, frame: Frame | undefined): boolean {
  return effect.kind === 'forward' && effect.frame === frame && effect.afterMs === 0 && effect.exchange === undefined;
}
