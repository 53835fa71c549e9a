/** One request on its way through a simulated system, from the end of the wire to a server and back. */
import type { Exchange, Frame, JsonObject } from '@toolquake/sdk/core';

/** What came of a call at the server. */
export type Reply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** The connection broke: nobody will ever answer. */
  | { readonly kind: 'lost' };

/** Told once, when it is over. */
export type OnReply = (call: Call, reply: Reply) => void;

/** See the module comment. Plain members, all set from the start: millions of these are made. */
export type Call = {
  readonly tool: string;
  /** Identifies the operation behind it, for tools where doing it twice does harm. */
  readonly operation: string | undefined;
  readonly frame: Frame | undefined;
  readonly exchange: Exchange | undefined;
  readonly onReply: OnReply;
  /** The one that it is part of, where a server calls another. */
  readonly outer: Call | undefined;
  /** Nobody waits for it any more. */
  isAbandoned: boolean;
  /** It has been answered, given up by the server, or lost. */
  isOver: boolean;
  /** Tries by the gateway so far. */
  tries: number;
  /** Servers that it still needs, as an index into `calls` of its server. */
  nextServer: number;
  /** Boot number of the replica that works on it: after a crash, what it was doing is void. */
  boot: number;
};

/** A call that has not got anywhere yet. */
export function startCall(about: Pick<Call, 'tool' | 'operation' | 'frame' | 'exchange' | 'onReply' | 'outer'>): Call {
  const { tool, operation, frame, exchange, onReply, outer } = about;
  return { tool, operation, frame, exchange, onReply, outer, isAbandoned: false, isOver: false, tries: 0, nextServer: 0, boot: 0 };
}

/** Does nobody wait any more, for the call itself or for what it is part of? */
export function isAbandoned(call: Call): boolean {
  for (let one: Call | undefined = call; one !== undefined; one = one.outer) if (one.isAbandoned) return true;
  return false;
}

/** Answers a call, unless that happened already. */
export function replyTo(call: Call, reply: Reply): void {
  if (call.isOver) return;
  call.isOver = true;
  call.onReply(call, reply);
}

export const OVERLOADED: Reply = { kind: 'error', code: -32000, message: 'Server overloaded, try again later' };
export const POOL_EXHAUSTED: Reply = { kind: 'error', code: -32000, message: 'Timed out waiting for a database connection' };
export const RATE_LIMITED: Reply = { kind: 'error', code: -32000, message: 'Too many requests' };
export const LOST: Reply = { kind: 'lost' };
