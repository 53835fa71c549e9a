/** Events for tests of a single fault, without a decider. */
import type { TrafficEvent } from '../core/event.js';
import { frameHead, type Frame } from '../core/frame.js';
import { openExchange, startSession, type Exchange, type Session } from '../core/session.js';
import { exampleCall, toServer } from './example-messages.js';

/** Opens an exchange for a request, in a session of its own unless one is given. */
export function exchangeFor(request: Frame = toServer(exampleCall()), session: Session = startSession({ era: 'legacy' })): Exchange {
  session.requests[request.direction]++;
  return openExchange(session, request, 0);
}

/**
 * A frame has arrived. An answer belongs to the given exchange, or to an example call with the same id;
 * anything else is a request and opens an exchange.
 */
export function arrived(frame: Frame, exchange?: Exchange): TrafficEvent & { kind: 'frame' } {
  const { kind, id } = frameHead(frame);
  const isAnswer = kind === 'response' || (exchange !== undefined && frame.direction !== exchange.origin);
  if (!isAnswer) return { kind: 'frame', part: 'request', frame, exchange: exchange ?? exchangeFor(frame) };
  const answered = exchange ?? exchangeFor(toServer(exampleCall({ id: id ?? 1 })));
  answered.answers++;
  return { kind: 'frame', part: 'answer', frame, exchange: answered };
}

/** The sender gave up. */
export function cancelled(exchange: Exchange): TrafficEvent {
  exchange.isCancelled = true;
  return { kind: 'cancel', exchange };
}

/** A client connected. */
export function connected(session: Session = startSession()): TrafficEvent {
  return { kind: 'connect', session };
}
