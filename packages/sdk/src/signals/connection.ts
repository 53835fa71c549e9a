/** One connection of a server: which requests are open on it, and since when. Told what happens, it says what it came to. */
import type { Clock } from '../core/clock.js';
import { isObject } from '../core/message.js';
import type { ConnectionFacts, ConnectionObserver } from './observe-connections.js';
import {
  cancelledKey,
  incomingRequest,
  outgoingAnswer,
  revision,
  type IncomingRequest,
  type Network,
  type Operation,
} from './operation.js';

/** Who is told. */
export type ConnectionBook = {
  began(): void;
  /** Every begun one ends once; `result` only where there is one. */
  ended(operation: Operation, result: Record<string, unknown> | undefined): void;
  sessionBegan(): void;
  sessionEnded(seconds: number, about: Pick<Operation, 'network' | 'version'>): void;
};

type Open = IncomingRequest & { readonly atMs: number; isAnswered: boolean };

/** A stream that lasts for as long as somebody listens is no operation with a duration. */
const LISTEN = 'subscriptions/listen';

/** Follows one connection. */
export function followConnection(facts: ConnectionFacts, book: ConnectionBook, clock: Clock): ConnectionObserver {
  const open = new Map<string, Open>();
  let version: string | undefined;
  let network: Network | undefined = facts.network;
  let session: { readonly atMs: number } | undefined;

  const end = (request: Open, errorType: string | undefined, result?: Record<string, unknown>): void => {
    if (open.get(request.key) === request) open.delete(request.key);
    const seconds = Math.max(0, clock.nowMs() - request.atMs) / 1000;
    const { method, tool } = request;
    book.ended({ method, tool, errorType, network, version: request.version ?? version, seconds }, result);
  };

  /** A connection for one request is no session, whatever was said on it. */
  const beginSession = (): void => {
    if (session !== undefined || (network === 'tcp' && facts.sessionId() === undefined)) return;
    session = { atMs: clock.nowMs() };
    book.sessionBegan();
  };

  return {
    received(message, extra) {
      const about = isObject(extra) ? extra : {};
      if (network === undefined && (isObject(about['requestInfo']) || isObject(about['request']))) network = 'tcp';
      const cancelled = cancelledKey(message);
      if (cancelled !== undefined) {
        const request = open.get(cancelled);
        if (request !== undefined && !request.isAnswered) end(request, 'cancelled');
        return;
      }
      const request = incomingRequest(message);
      if (request === undefined || request.method === LISTEN) return;
      const before = open.get(request.key);
      if (before !== undefined && !before.isAnswered) end(before, 'duplicate_id');
      book.began();
      open.set(request.key, { ...request, version: request.version ?? headerVersion(about), atMs: clock.nowMs(), isAnswered: false });
    },
    sent(message, isSent) {
      const answer = outgoingAnswer(message);
      const request = answer === undefined ? undefined : open.get(answer.key);
      if (answer === undefined || request === undefined || request.isAnswered) {
        isSent.catch(() => {}); // Whoever sends hears of it; this is only another look at the same promise.
        return;
      }
      request.isAnswered = true;
      if (request.method === 'initialize' && answer.result !== undefined) {
        version = revision(answer.result['protocolVersion']);
        beginSession();
      }
      isSent.then(
        () => end(request, answer.errorType, answer.result),
        () => end(request, 'send_failed'),
      );
    },
    closed() {
      for (const request of open.values()) if (!request.isAnswered) end(request, 'closed');
      if (session !== undefined) book.sessionEnded(Math.max(0, clock.nowMs() - session.atMs) / 1000, { network, version });
    },
  };
}

/** Over HTTP every request of a session names the version that was agreed on. */
function headerVersion(extra: Record<string, unknown>): string | undefined {
  const { requestInfo, request } = extra;
  const headers = (isObject(requestInfo) ? requestInfo : isObject(request) ? request : {})['headers'];
  if (headers instanceof Headers) return revision(headers.get('mcp-protocol-version'));
  return isObject(headers) ? revision(headers['mcp-protocol-version']) : undefined;
}
