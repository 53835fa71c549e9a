/**
 * What waits: actions put off for a time, and frames held until a time, a cancel or for ever.
 * It is kept by exchange and by session, so that one call's hold costs another call nothing.
 */
import type { Cancel, Clock } from './clock.js';
import type { HoldUntil } from './effect.js';
import type { Frame } from './frame.js';
import type { Direction } from './message.js';
import type { Exchange, Session } from './session.js';

/** More frames than this held without an end in one session: the oldest is forgotten, which is what `never` meant. */
const MAX_ENDLESS = 4096;

type Waiting = {
  readonly session: Session;
  readonly exchange: Exchange | undefined;
  /** The direction of a held frame, which a later frame supersedes; undefined for what was only put off. */
  readonly direction: Direction | undefined;
  readonly until: 'time' | 'cancel' | 'never';
  readonly thenMs: number;
  /** Undefined for what has no use once its time is not waited for, such as the next heartbeat. */
  readonly act: ((isReleased: boolean) => void) | undefined;
  stop: Cancel;
};

/** See the module comment. */
export type HoldingPen = {
  /** Acts after a time, unless the session closes first. A release acts at once, and says so. */
  putOff(afterMs: number, session: Session, exchange: Exchange | undefined, act: (isReleased: boolean) => void): void;
  /** Acts after a time, unless the session closes or everything is released first. Keeps no exchange open. */
  remind(afterMs: number, session: Session, act: () => void): void;
  /** Keeps a frame back; `act` sends it. It takes the place of what was held for the exchange in that direction. */
  hold(frame: Frame, exchange: Exchange, until: HoldUntil, thenMs: number, act: () => void): void;
  /** Drops what is held for an exchange in a direction. What was put off stays: a second copy is not a replacement. */
  supersede(exchange: Exchange, direction: Direction): void;
  /** Lets go of what was held until the exchange is cancelled. */
  cancelled(exchange: Exchange): void;
  /** Drops everything of an exchange but what is held until it is cancelled. */
  drop(exchange: Exchange): void;
  isWaitingFor(exchange: Exchange): boolean;
  /** Drops everything of a session. */
  close(session: Session): void;
  /** Acts on everything now. */
  release(): void;
};

/** Builds an empty pen. */
export function createHoldingPen(clock: Clock, onForgotten: (exchange: Exchange) => void): HoldingPen {
  const byExchange = new Map<Exchange, Set<Waiting>>();
  const bySession = new Map<Session, Set<Waiting>>();

  const add = (one: Waiting): Waiting => {
    addTo(bySession, one.session, one);
    if (one.exchange !== undefined) addTo(byExchange, one.exchange, one);
    return one;
  };

  const remove = (one: Waiting): void => {
    one.stop();
    removeFrom(bySession, one.session, one);
    if (one.exchange !== undefined) removeFrom(byExchange, one.exchange, one);
  };

  const letGo = (one: Waiting, isReleased = false): void => {
    remove(one);
    one.act?.(isReleased);
  };

  const putOff: HoldingPen['putOff'] = (afterMs, session, exchange, act) => {
    const one = add({ session, exchange, direction: undefined, until: 'time', thenMs: 0, act, stop: () => {} });
    one.stop = clock.schedule(afterMs, () => letGo(one));
  };

  const forgetOldest = (session: Session): void => {
    const all = bySession.get(session);
    if (all === undefined || all.size < MAX_ENDLESS) return;
    for (const one of all) {
      if (one.until === 'time') continue;
      remove(one);
      if (one.exchange !== undefined) onForgotten(one.exchange);
      return;
    }
  };

  const supersede = (exchange: Exchange, direction: Direction): void => {
    for (const one of byExchange.get(exchange) ?? []) if (one.direction === direction) remove(one);
  };

  return {
    putOff,
    remind(afterMs, session, act) {
      const one = add({ session, exchange: undefined, direction: undefined, until: 'time', thenMs: 0, act: undefined, stop: () => {} });
      one.stop = clock.schedule(afterMs, () => {
        remove(one);
        act();
      });
    },
    hold(frame, exchange, until, thenMs, act) {
      const { session } = exchange;
      const { direction } = frame;
      supersede(exchange, direction);
      if (typeof until !== 'object') {
        forgetOldest(session);
        add({ session, exchange, direction, until, thenMs, act, stop: () => {} });
        return;
      }
      const one = add({ session, exchange, direction, until: 'time', thenMs, act, stop: () => {} });
      one.stop = clock.schedule(until.ms, () => letGo(one));
    },
    supersede,
    cancelled(exchange) {
      for (const one of byExchange.get(exchange) ?? []) {
        // Nobody waits for it any more, so a release must not send it either.
        if (one.until === 'never') remove(one);
        if (one.until !== 'cancel' || one.act === undefined) continue;
        if (one.thenMs <= 0) {
          letGo(one);
          continue;
        }
        remove(one);
        putOff(one.thenMs, one.session, exchange, one.act);
      }
    },
    drop(exchange) {
      for (const one of byExchange.get(exchange) ?? []) if (one.until !== 'cancel') remove(one);
    },
    isWaitingFor: (exchange) => byExchange.has(exchange),
    close(session) {
      for (const one of bySession.get(session) ?? []) remove(one);
    },
    release() {
      // What acts may put off its next part (the rest of the slices): the loop meets that too.
      for (const all of bySession.values()) for (const one of all) letGo(one, true);
    },
  };
}

function addTo<Key>(index: Map<Key, Set<Waiting>>, key: Key, one: Waiting): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([one]));
  else known.add(one);
}

function removeFrom<Key>(index: Map<Key, Set<Waiting>>, key: Key, one: Waiting): void {
  const known = index.get(key);
  if (known === undefined) return;
  known.delete(one);
  if (known.size === 0) index.delete(key);
}
