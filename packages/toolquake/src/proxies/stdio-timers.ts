/** Timers that end with their owner. */
import type { Cancel, Clock } from '@toolquake/sdk/core';

/** A clock whose timers can be cancelled together, and whose actions report what they throw. */
export function ownTimers(clock: Clock, onError: (error: unknown) => void): Clock & { cancelAll(): void } {
  const pending = new Set<Cancel>();
  return {
    nowMs: () => clock.nowMs(),
    schedule(afterMs, action) {
      const cancel = clock.schedule(afterMs, () => {
        pending.delete(cancel);
        try {
          action();
        } catch (error) {
          onError(error);
        }
      });
      pending.add(cancel);
      return () => {
        pending.delete(cancel);
        cancel();
      };
    },
    cancelAll() {
      for (const cancel of pending) cancel();
      pending.clear();
    },
  };
}
