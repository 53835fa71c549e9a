/** What rules keep broken at the ends for a while (a server that stands still, a port that refuses), so that it ends with its rule. */
import type { Effect } from './effect.js';

/** See the module comment. */
export type Lasting = {
  /** Effects of a rule were performed. */
  note(ruleId: string, effects: readonly Effect[], nowMs: number): void;
  /** These rules are gone. True when something of theirs is still to last. */
  endWith(ruleIds: readonly string[], nowMs: number): boolean;
  /** Everything was ended at once. */
  endAll(): void;
};

const lastsMs = (effect: Effect): number => {
  if (effect.kind === 'signal-server') return effect.forMs;
  return effect.kind === 'disconnect' ? effect.forMs : 0;
};

/** Nothing lasts yet. Remembers one moment for each rule. */
export function createLasting(): Lasting {
  const untilMs = new Map<string, number>();
  return {
    note(ruleId, effects, nowMs) {
      for (const effect of effects) {
        const forMs = lastsMs(effect);
        if (forMs > 0) untilMs.set(ruleId, Math.max(untilMs.get(ruleId) ?? 0, nowMs + forMs));
      }
    },
    endWith(ruleIds, nowMs) {
      let isLasting = false;
      for (const id of ruleIds) {
        if ((untilMs.get(id) ?? -Infinity) > nowMs) isLasting = true;
        untilMs.delete(id);
      }
      return isLasting;
    },
    endAll: () => untilMs.clear(),
  };
}
