/** The two ends of an intercepted tool handler: what a fault can do to a function that takes arguments and returns a result. */
import type { Clock } from '../core/clock.js';
import type { Fault } from '../core/fault.js';
import { frameFromMessage, frameMessage, frameObject, type Frame } from '../core/frame.js';
import { isGlob } from '../core/match.js';
import { isObject, paramsOf, type JsonObject } from '../core/message.js';
import type { Ends, Refusal } from '../core/perform.js';
import type { Exchange } from '../core/session.js';
import { createFreezer } from './freezer.js';

/** One call of a handler, while its caller waits. */
export type ToolCall = {
  readonly request: Frame;
  /** Runs the handler, with other arguments where a fault changed them. */
  run(args: { readonly value: unknown } | undefined): unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  isSettled: boolean;
};

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** What the ends are made from. */
export type ToolEndsOptions = {
  readonly clock: Clock;
  /** The handler returned, or threw. True: nobody has taken that, hand it on. */
  isFree(exchange: Exchange, answer: Frame): boolean;
};

/** The ends, and how to end a freeze. */
export type ToolEnds = Ends & { thaw(): void };

/** What needs a connection, an envelope or a second message: a function has none of them. */
const NEEDS_MORE: readonly string[] = [
  'bad-envelope',
  'bad-progress',
  'connection-drop',
  'crash',
  'duplicate-response',
  'list-changed-storm',
  'malformed-body',
  'misrouted-call',
  'server-id-collision',
  'wrong-id',
];

/** Why a fault cannot be shown by a tool handler; undefined when it can. */
export function whyNotInHandler({ type, trigger, methods, direction }: Fault): string | undefined {
  if (trigger === 'connect') return 'A tool handler has no connections.';
  if (direction === 'to-client' || !methods.some((method) => method === 'tools/call' || isGlob(method))) {
    return `It acts on ${methods.join(' and ')}, and a tool handler sees calls of its tool only.`;
  }
  return NEEDS_MORE.includes(type) ? 'A tool handler can only return a result or throw, once.' : undefined;
}

/** Builds the ends. */
export function createToolEnds(options: ToolEndsOptions): ToolEnds {
  const freezer = createFreezer(options.clock);
  /** What the handler itself said, by the frame that stands for it: unless a fault edits it, the caller gets the very same. */
  const own = new WeakMap<Frame, Outcome>();
  // Only the interceptor puts handles into exchanges.
  const callOf = (exchange: Exchange | undefined): ToolCall | undefined => exchange?.handle as ToolCall | undefined;

  const execute = async (frame: Frame, exchange: Exchange, call: ToolCall): Promise<void> => {
    const args = frame === call.request ? undefined : { value: paramsOf(frameObject(frame))['arguments'] };
    let outcome: Outcome;
    try {
      outcome = { result: await call.run(args) };
    } catch (error) {
      outcome = { error };
    }
    const said = 'result' in outcome ? { result: outcome.result } : { error: errorOf(outcome.error) };
    const answer = frameFromMessage('to-client', { jsonrpc: '2.0', id: exchange.id, ...said });
    own.set(answer, outcome);
    if (options.isFree(exchange, answer)) conclude(call, outcome);
  };

  const send = (frame: Frame, exchange: Exchange | undefined): Refusal => {
    const call = callOf(exchange);
    if (call === undefined || exchange === undefined) return 'a tool handler only answers calls';
    if (frame.direction === exchange.origin) {
      freezer.whenMoving(() => void execute(frame, exchange, call));
      return undefined;
    }
    const message = frameMessage(frame);
    if (call.isSettled || !isObject(message)) return 'a tool handler returns once';
    freezer.whenMoving(() => conclude(call, own.get(frame) ?? outcomeOf(message)));
    return undefined;
  };

  return {
    send,
    sendSlice: (frame, { isLast }, exchange) => (isLast ? send(frame, exchange) : undefined),
    reply(exchange, message): Refusal {
      const call = callOf(exchange);
      if (call === undefined || message === undefined) return 'a tool handler has no way to answer without a message';
      if (call.isSettled) return 'a tool handler returns once';
      freezer.whenMoving(() => conclude(call, outcomeOf(message)));
      return undefined;
    },
    emit: () => 'a tool handler can only return a result',
    disconnect: () => 'a tool handler has no connection',
    signalServer(signal, forMs): Refusal {
      if (signal !== 'freeze') return 'a tool handler is no server';
      freezer.freeze(forMs);
      return undefined;
    },
    thaw: freezer.thaw,
  };
}

function conclude(call: ToolCall, outcome: Outcome): void {
  if ('result' in outcome) call.resolve(outcome.result);
  else call.reject(outcome.error);
}

/** A result is returned, an error thrown with its code: what the server makes of it is the server's own. */
function outcomeOf({ error, result }: JsonObject): Outcome {
  if (!isObject(error)) return { result };
  const { code, message, data } = error;
  const text = typeof message === 'string' ? message : 'Internal error';
  return { error: Object.assign(new Error(text), { code, ...(data === undefined ? {} : { data }) }) };
}

/** What a handler threw, as the error that a server would answer with. */
function errorOf(error: unknown): { code: number; message: string } {
  const { code } = (error ?? {}) as { code?: unknown };
  return { code: typeof code === 'number' ? code : -32603, message: error instanceof Error ? error.message : 'Internal error' };
}
