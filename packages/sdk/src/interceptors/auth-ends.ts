/** The two ends of an auth gate: what a fault can do to a request before anybody else has seen it. */
import type { DisconnectHow, HttpReply } from '../core/effect.js';
import type { Fault, Phase } from '../core/fault.js';
import type { Frame } from '../core/frame.js';
import { isObject, resultOf, type JsonObject } from '../core/message.js';
import type { Ends, Refusal } from '../core/perform.js';
import type { Exchange } from '../core/session.js';
import { httpAnswer, type HttpAnswer } from './http-answer.js';

/** What becomes of a request: it goes on, is answered here, loses its connection, or its client went away first. */
export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  | { readonly kind: 'cut'; readonly how: 'reset' | 'end' }
  | { readonly kind: 'gone' };

/** A request while it stands at the gate. */
export type Asking = {
  /** It is no MCP message, so that no answer to it is one either. */
  readonly isPlain: boolean;
  isSettled: boolean;
  settle(verdict: Verdict): void;
};

/** What the ends are made from. */
export type AuthEndsOptions = {
  /** The host can break a connection. */
  readonly canHangUp: boolean;
  /** The request was let through as far as the rules of phase `pre` are concerned. */
  readonly onward: (exchange: Exchange, asking: Asking) => void;
};

/** Terminal and shaping faults that need more than one look at one request: its answer, its bytes, or the whole server. */
const NEEDS_MORE: readonly string[] = [
  'accepted-only',
  'bandwidth',
  'concurrency-limit',
  'crash',
  'double-execute',
  'drop-tool',
  'head-of-line-blocking',
  'listen-cut',
  'lost-notification',
  'mrtr-loop',
  'mrtr-state-tamper',
  'pace',
  'registry-inconsistency',
  'server-restart',
  'stream-cut',
];

const HANGS_UP = 'It breaks a connection, and a Request that a handler is given has none.';

/** Why a fault cannot be shown by a gate; undefined when it can. */
export function whyNotAtGate(fault: Fault, phase: Phase | undefined, canHangUp: boolean): string | undefined {
  const { type, trigger, direction, role, phases } = fault;
  if (trigger === 'connect') return 'The connection was made before anything comes to the gate.';
  if (direction === 'to-client') return 'A gate sees requests only, not what a server says.';
  if (role === 'data' || role === 'extra' || NEEDS_MORE.includes(type))
    return 'A gate can hold a request back, answer it or let it through, and never sees what became of it.';
  // How late an answer is looks the same whether the request or the answer waited; whether there was work done does not.
  if (role !== 'shaping' && !phases.includes('pre'))
    return 'It acts on the answer of a server, and a gate stands before the server has done anything.';
  if (role !== 'shaping' && phase === 'post')
    return 'With phase: post the server has done its work, and a gate stands before that: write phase: pre.';
  return type === 'connection-drop' && !canHangUp ? HANGS_UP : undefined;
}

const GONE = 'the request is no longer at the gate';

/** Builds the ends. */
export function createAuthEnds({ canHangUp, onward }: AuthEndsOptions): Ends {
  // Only the gate puts handles into exchanges.
  const askingOf = (exchange: Exchange | undefined): Asking | undefined => exchange?.handle as Asking | undefined;

  const send = (frame: Frame, exchange: Exchange | undefined): Refusal => {
    const asking = askingOf(exchange);
    if (exchange === undefined || asking === undefined) return 'a gate has nothing to say of its own accord';
    if (asking.isSettled) return GONE;
    if (frame.direction === exchange.origin) onward(exchange, asking);
    else asking.settle({ kind: 'pass' });
    return undefined;
  };

  return {
    send,
    sendSlice: (frame, { isLast }, exchange) => (isLast ? send(frame, exchange) : undefined),
    reply(exchange, message, http): Refusal {
      const asking = askingOf(exchange);
      if (asking === undefined || asking.isSettled) return GONE;
      asking.settle({ kind: 'answer', answer: asking.isPlain ? plainAnswer(message, http) : httpAnswer(message, http) });
      return undefined;
    },
    emit: () => 'a gate answers requests only',
    disconnect(how: DisconnectHow, _forMs, exchange): Refusal {
      const asking = askingOf(exchange);
      if (asking === undefined || asking.isSettled) return GONE;
      if (!canHangUp || (how !== 'reset' && how !== 'end')) return HANGS_UP;
      asking.settle({ kind: 'cut', how });
      return undefined;
    },
    signalServer: () => 'a gate is no server',
  };
}

/** The same answer where nobody speaks JSON-RPC: what its message says, as other APIs say it. */
function plainAnswer(message: JsonObject | undefined, http: HttpReply | undefined): HttpAnswer {
  if (message === undefined || http?.body !== undefined) return httpAnswer(message, http);
  const { error } = message;
  if (isObject(error)) return httpAnswer({ error: error['message'] }, { ...http, status: http?.status ?? 500 });
  const content = resultOf(message)?.['content'];
  const [first] = Array.isArray(content) ? content : [];
  return httpAnswer({ message: isObject(first) ? first['text'] : '' }, http);
}
