/**
 * Any `Transport` of the MCP SDKs as an in-process transport: messages pass from one side of it to the other under the rules
 * of a run, as objects. What no rule looks at is handed on as the very object that came. Structural types only, so that it
 * fits both generations of the SDK, and transports that somebody wrote.
 */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { frameFromMessage, frameHead, type Frame } from '../core/frame.js';
import type { Direction } from '../core/message.js';
import { opposite } from '../core/message.js';
import { exchangeOf } from '../core/session.js';
import { createTransportEnds, type Passage } from './transport-ends.js';

/** The part of a `Transport` that is looked at; everything else is handed on as it is. */
export type McpTransport = {
  start(): Promise<void>;
  // Methods, so that a transport with its own types for messages and options fits.
  send(message: never, options?: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
};

/** How a transport is intercepted. */
export type InterceptTransportOptions = {
  /** Name of the server, for `when: { target }`. */
  readonly target?: string | undefined;
  /** Name of the session in draws and journal; by default the client's own name and an ordinal. */
  readonly label?: string | undefined;
  /** Whose transport it is: what a `client` sends goes to the server. */
  readonly side?: 'client' | 'server';
};

/** A transport under the rules of a run: connect it in place of the other. */
export type InterceptedTransport<Given> = {
  readonly transport: Given;
  /** What is held goes on; afterwards everything passes straight through. */
  readonly restore: Cancel;
};

type Options = { readonly requestSignal?: AbortSignal } | undefined;
type Callbacks = {
  onmessage?: ((message: unknown, extra?: unknown) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
};
type Inner = Callbacks & { send(message: unknown, options?: unknown): Promise<void>; close(): Promise<void> };

/** Intercepts a transport, before it is connected. */
export function interceptTransport<Given extends McpTransport>(
  run: Run,
  given: Given,
  options: InterceptTransportOptions = {},
): InterceptedTransport<Given> {
  const inner = given as unknown as Inner;
  const outgoing: Direction = options.side === 'server' ? 'to-client' : 'to-server';
  const incoming = opposite(outgoing);
  const user: Callbacks = { onmessage: inner.onmessage, onclose: inner.onclose, onerror: inner.onerror };
  let isClosed = false;

  const closed = (): void => {
    if (isClosed) return;
    isClosed = true;
    // A session ends with its transport, once whoever closed it has noted what that did to the calls under way.
    queueMicrotask(attachment.detach);
    user.onclose?.();
  };
  const ends = createTransportEnds({
    outgoing,
    clock: run.clock,
    send: (message, sendOptions) => inner.send(message, sendOptions),
    deliver: (message, extra) => user.onmessage?.(message, extra),
    fail: (error) => user.onerror?.(error),
    isClosed: () => isClosed,
    drop() {
      closed();
      inner.close().catch(attachment.problem);
    },
  });
  const attachment = run.attach({ transport: 'in-process', target: options.target, label: options.label, ends, thaw: ends.thaw });
  const { performer } = attachment;
  const session = attachment.begin();

  /** True: nobody has taken it, hand it on. */
  const isFree = (frame: Frame, passage: Passage): boolean => {
    const { kind } = frameHead(frame);
    if (kind === 'request' || kind === 'notification') {
      const decision = performer.request(session, frame, { handle: { there: passage, back: undefined } });
      const { exchange } = decision;
      // Where each request has a stream of its own, closing it is the cancellation (modern era).
      if (exchange !== undefined) passage.signal?.addEventListener('abort', () => performer.cancel(exchange), { once: true });
      return decision.effects === undefined;
    }
    const exchange = kind === 'response' ? exchangeOf(session, frame) : undefined;
    if (exchange === undefined) return true;
    ends.answering(exchange, passage);
    return performer.answer(exchange, frame).effects === undefined;
  };

  /**
   * A transport in memory answers within a send. What comes while something else is being decided waits for its turn, so
   * that every decision is written down before its consequences.
   */
  const inTurn = createTurns();

  const send = (message: unknown, sendOptions?: unknown): Promise<void> => {
    if (isClosed) return Promise.reject(new Error('Not connected'));
    if (!attachment.isActive) return inner.send(message, sendOptions);
    const passage: Passage = { with: sendOptions, signal: (sendOptions as Options)?.requestSignal, sending: undefined };
    const frame = frameFromMessage(outgoing, message);
    return inTurn.decide(
      () => isFree(frame, passage),
      (isOn) => (isOn ? ends.afterThaw(() => inner.send(message, sendOptions)) : ends.sendingOf(frame, passage)),
    );
  };

  const receive = (message: unknown, extra?: unknown): void => {
    if (!attachment.isActive || isClosed) return user.onmessage?.(message, extra);
    inTurn.wait(() => {
      const passage: Passage = { with: extra, signal: undefined, sending: undefined };
      inTurn.decide(
        () => isFree(frameFromMessage(incoming, message), passage),
        (isOn) => (isOn ? ends.whenMoving(() => user.onmessage?.(message, extra)) : undefined),
      );
    });
  };

  inner.onmessage = receive;
  inner.onclose = closed;
  inner.onerror = (error) => user.onerror?.(error);
  const transport = new Proxy(given, {
    get(_target, key) {
      if (key === 'send') return send;
      if (key === 'onmessage' || key === 'onclose' || key === 'onerror') return user[key];
      const value: unknown = Reflect.get(given, key);
      // Its own private members are only known to itself; a class is no method.
      return typeof value === 'function' && key !== 'constructor' ? (value as () => unknown).bind(given) : value;
    },
    set(_target, key, value) {
      if (key === 'onmessage' || key === 'onclose' || key === 'onerror') {
        user[key] = value as never;
        return true;
      }
      return Reflect.set(given, key, value);
    },
  });
  return { transport, restore: attachment.detach };
}

/** Lets one decision be made at a time. */
function createTurns(): {
  /** Decides, then acts; afterwards whoever waited. */
  decide<Choice, Result>(choose: () => Choice, act: (choice: Choice) => Result): Result;
  /** At once, or when nothing is being decided any more. */
  wait(action: () => void): void;
} {
  const waiting: (() => void)[] = [];
  let isDeciding = false;
  return {
    decide(choose, act) {
      try {
        isDeciding = true;
        const choice = choose();
        isDeciding = false;
        return act(choice);
      } finally {
        isDeciding = false;
        while (waiting.length > 0) waiting.shift()?.();
      }
    },
    wait(action) {
      if (isDeciding) waiting.push(action);
      else action();
    },
  };
}
