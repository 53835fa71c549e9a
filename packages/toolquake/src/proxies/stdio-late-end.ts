/**
 * A server that does not hear that it should go, as its client sees one: the end of its input, and SIGTERM where it
 * ignores that too, reach it late. SIGKILL is beyond anybody's hearing.
 */
import type { Cancel, Clock } from '@toolquake/sdk/core';

/** What a server does not listen to. */
export type Ignored = 'ignore-eof' | 'ignore-eof-and-sigterm';

/** See the module comment. */
export type LateEnd = {
  /** From now on it hears of its end only `forMs` after it was told. */
  ignore(what: Ignored, forMs: number): void;
  /** Passes the end of the input on: at once, or late. */
  onInputEnd(pass: () => void): void;
  /** Passes SIGTERM on: at once, or late. */
  onSigterm(pass: () => void): void;
  /** It listens again, and hears now what it should have heard before. */
  release(): void;
};

/** Builds it; at first everything passes at once. */
export function createLateEnd(clock: Clock): LateEnd {
  const lateMs = { eof: 0, sigterm: 0 };
  const late = new Map<() => void, Cancel>();
  const pass = (forMs: number, action: () => void): void => {
    if (forMs === 0) return action();
    const cancel = clock.schedule(forMs, () => {
      late.delete(action);
      action();
    });
    late.set(action, cancel);
  };
  return {
    ignore(what, forMs) {
      lateMs.eof = Math.max(lateMs.eof, forMs);
      if (what === 'ignore-eof-and-sigterm') lateMs.sigterm = Math.max(lateMs.sigterm, forMs);
    },
    onInputEnd: (action) => pass(lateMs.eof, action),
    onSigterm: (action) => pass(lateMs.sigterm, action),
    release() {
      lateMs.eof = 0;
      lateMs.sigterm = 0;
      for (const [action, cancel] of late) {
        late.delete(action);
        cancel();
        action();
      }
    },
  };
}
