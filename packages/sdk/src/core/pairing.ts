/** Two calls in flight at the same time in one session: the answer that comes first waits for the second one. */
import type { TrafficEvent } from './event.js';
import type { Frame } from './frame.js';
import { isOpenIn, type Exchange } from './session.js';

type Answered = { readonly exchange: Exchange; readonly frame: Frame };

/** Calls that a rule fired on and that are not answered yet, and the answer that waits for another. */
export type Pairing = { readonly inFlight: Set<Exchange>; waiting: Answered | undefined };

/** More calls in flight than this in one session: the oldest is no longer waited for. */
const MAX_IN_FLIGHT = 64;

/** Nobody is in flight. */
export const startPairing = (): Pairing => ({ inFlight: new Set(), waiting: undefined });

/** Notes who comes and goes; true for an answer, which may be paired. */
export function followCalls(pairing: Pairing, event: TrafficEvent): event is TrafficEvent & { kind: 'frame' } {
  if (event.kind === 'connect') return false;
  const { inFlight } = pairing;
  const { exchange } = event;
  if (event.kind === 'frame' && event.part === 'request') {
    for (const other of inFlight) if (!isOpenIn(other, exchange.session)) inFlight.delete(other);
    if (inFlight.size >= MAX_IN_FLIGHT) inFlight.delete(inFlight.values().next().value!);
    inFlight.add(exchange);
    return false;
  }
  inFlight.delete(exchange);
  return event.kind === 'frame';
}

/** The answer that waited for this one; `wait` when this one is to wait; `alone` when nobody else is in flight. */
export function pairUp(pairing: Pairing, { exchange, frame }: Answered): Answered | 'wait' | 'alone' {
  const { waiting, inFlight } = pairing;
  pairing.waiting = undefined;
  if (waiting !== undefined && waiting.exchange !== exchange && isOpenIn(waiting.exchange, exchange.session)) return waiting;
  if (![...inFlight].some((other) => isOpenIn(other, exchange.session))) return 'alone';
  pairing.waiting = { exchange, frame };
  return 'wait';
}
