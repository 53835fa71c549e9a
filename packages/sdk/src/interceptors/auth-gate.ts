/**
 * A gate before a server: every HTTP request asks the rules of a run for passage, as it would ask a check of credentials. An
 * MCP message is what it is to the rules; any other request is a call of a tool that is called like its route
 * (`GET /weather`). What passes is the server's own business: the journal says of a call what the gate made of it.
 */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { frameFromMessage, frameHead, frameMessage, MAX_FRAME_BYTES, type Frame } from '../core/frame.js';
import { isObject } from '../core/message.js';
import type { Exchange } from '../core/session.js';
import { completeChallenge } from './auth-challenge.js';
import { createAuthEnds, whyNotAtGate, type Asking, type Verdict } from './auth-ends.js';
import { createAuthSessions } from './auth-sessions.js';
import { taskOf } from './request-task.js';

/** How requests are intercepted. */
export type InterceptAuthOptions = {
  /** Name of what is protected, for `when: { target }`. */
  readonly target?: string | undefined;
  /** Name of the session in draws and journal; by default the client's own name, else the target. */
  readonly label?: string | undefined;
  /** Address of the resource's metadata (RFC 9728), for challenges that name none. */
  readonly resourceMetadata?: string | undefined;
  /** Scopes that a 401 tells a client to ask for, separated by spaces. */
  readonly scope?: string | undefined;
  /** Larger bodies are not read: their requests are judged by their first bytes. */
  readonly maxFrameBytes?: number | undefined;
};

/** A request as the gate looks at it. */
export type GateRequest = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: { get(name: string): string | null };
  /** The body of a POST that says that it is JSON; undefined for any other. */
  readonly body: Frame | undefined;
};

/** A request that was not let through at once. */
export type Passage = {
  readonly verdict: Promise<Verdict>;
  /** The client went away. */
  gone(): void;
};

/** See the module comment. */
export type AuthGate = {
  readonly isActive: boolean;
  readonly maxFrameBytes: number;
  /** Undefined: go on at once. */
  ask(request: GateRequest): Passage | undefined;
  /** Our own mistakes: told, and the request goes on. */
  problem(error: unknown): void;
  readonly restore: Cancel;
};

const PASS: Verdict = { kind: 'pass' };

/** Attaches a gate to a run. `canHangUp`: whoever asks can break the connection of a request. */
export function createAuthGate(run: Run, options: InterceptAuthOptions & { readonly canHangUp: boolean }): AuthGate {
  const { target, label, resourceMetadata = '', scope = '', maxFrameBytes = MAX_FRAME_BYTES, canHangUp } = options;
  let plainRequests = 0;

  const onward = (exchange: Exchange, asking: Asking): void => {
    if (exchange.id === undefined) return asking.settle(PASS);
    // The go-ahead is an answer: what comes late, or not at all, holds it back. Not within a send, which is not over yet.
    queueMicrotask(() => {
      const goAhead = frameFromMessage('to-client', { jsonrpc: '2.0', id: exchange.id, result: {} });
      if (asking.isSettled) return;
      if (performer.answer(exchange, goAhead).effects === undefined) asking.settle(PASS);
    });
  };

  const attachment = run.attach({
    transport: 'http',
    target,
    label,
    ends: createAuthEnds({ canHangUp, onward }),
    whyNot: (fault, phase) => whyNotAtGate(fault, phase, canHangUp),
  });
  const { performer } = attachment;
  const sessions = createAuthSessions(attachment);

  const plainFrame = (method: string, params: object): Frame =>
    frameFromMessage('to-server', { jsonrpc: '2.0', id: `request-${++plainRequests}`, method, params });

  return {
    get isActive() {
      return attachment.isActive;
    },
    maxFrameBytes,
    ask({ method, target: address, headers, body }) {
      const { path, query } = splitAddress(address);
      // It may have been restored while the body was read: nobody would let go of what a rule held now.
      if (!attachment.isActive || isOpenToAll(method, path)) return undefined;
      const sessionId = headers.get('mcp-session-id') ?? undefined;
      const message = body !== undefined && isCall(body) ? body : undefined;
      const isMcp = sessionId !== undefined || (body !== undefined && isMessage(body)) || isStream(method, headers);
      const frame =
        message ??
        (isMcp
          ? plainFrame(method, {})
          : plainFrame('tools/call', {
              name: `${method} ${path}`,
              arguments: query === '' ? {} : Object.fromEntries(new URLSearchParams(query)),
            }));
      const session = sessions.find(sessionId, frame);
      let resolve!: (verdict: Verdict) => void;
      const verdict = new Promise<Verdict>((settle) => (resolve = settle));
      const asking: Asking = {
        isPlain: message === undefined,
        isSettled: false,
        settle(given) {
          if (asking.isSettled) return;
          asking.isSettled = true;
          const hasCredentials = headers.get('authorization') !== null;
          resolve(
            given.kind === 'answer'
              ? { kind: 'answer', answer: completeChallenge(given.answer, { resourceMetadata, scope }, hasCredentials) }
              : given,
          );
        },
      };
      const { exchange, effects } = performer.request(session, frame, { handle: asking, task: taskOf(headers, attachment.plan) });
      if (effects === undefined) {
        if (exchange === undefined) return undefined;
        onward(exchange, asking);
      }
      return {
        verdict,
        gone() {
          if (asking.isSettled) return;
          asking.settle({ kind: 'gone' });
          if (exchange === undefined) return;
          // What is held can go nowhere: the handler answers nobody who is gone.
          performer.drop(exchange);
          // In the legacy era a broken line says nothing about what its client wants.
          if (session.era === 'legacy') performer.abandon(exchange);
          else performer.cancel(exchange);
        },
      };
    },
    problem: attachment.problem,
    restore: attachment.detach,
  };
}

/** Clients of a forward proxy name the whole address. */
function splitAddress(address: string): { readonly path: string; readonly query: string } {
  const own = address.startsWith('/') ? address : address.replace(/^\w+:\/\/[^/?]*/, '') || '/';
  const mark = own.indexOf('?');
  return mark === -1 ? { path: own, query: '' } : { path: own.slice(0, mark), query: own.slice(mark + 1) };
}

/** What clients must reach before they have credentials: the metadata that tells where to get some, and CORS preflights. */
function isOpenToAll(method: string, path: string): boolean {
  return method === 'OPTIONS' || path.startsWith('/.well-known/');
}

/** A stream that an MCP client opens without a session (HTTP+SSE of 2024). */
function isStream(method: string, headers: GateRequest['headers']): boolean {
  return method === 'GET' && headers.get('accept')?.includes('text/event-stream') === true;
}

/** An MCP request or notification. */
function isCall(frame: Frame): boolean {
  const { kind } = frameHead(frame);
  return (kind === 'request' || kind === 'notification') && isMessage(frame);
}

/** JSON-RPC, also an answer or a batch. What is too large to read says so by its first bytes alone. */
function isMessage(frame: Frame): boolean {
  if (frame.isOpaque) return frameHead(frame).method !== undefined;
  const message = frameMessage(frame);
  const first: unknown = Array.isArray(message) ? message[0] : message;
  return isObject(first) && first['jsonrpc'] === '2.0';
}
