/** Since when the steady state holds, from the looks at it: each rule since its last break, less the window that its value speaks of. */
import type { RuleReading } from '../../core/run-entry.js';

/** Looks, oldest first. */
export type SteadyAgain = {
  look(atMs: number, rules: readonly RuleReading[]): void;
  /** Never earlier than `fromMs`. Undefined while a rule is broken, or before it held for its window. */
  sinceMs(fromMs: number): number | undefined;
  /** Whether every rule says how far back it looks; one on the newest value does not. */
  knowsWindows(): boolean;
};

/** More rules than these no file has. */
const MAX_RULES = 100;

type Rule = { wasBroken: boolean; firstGoodMs: number | undefined; windowMs: number };

/** No look yet. */
export function createSteadyAgain(): SteadyAgain {
  const rules: Rule[] = [];
  let lastMs: number | undefined;
  return {
    look(atMs, readings) {
      lastMs = Math.max(lastMs ?? 0, atMs);
      for (const [index, { state, windowMs }] of readings.slice(0, MAX_RULES).entries()) {
        const rule = (rules[index] ??= { wasBroken: false, firstGoodMs: undefined, windowMs: 0 });
        rule.windowMs = Math.max(rule.windowMs, windowMs ?? 0);
        if (state === 'holds') rule.firstGoodMs ??= atMs;
        else [rule.wasBroken, rule.firstGoodMs] = [true, undefined];
      }
    },
    sinceMs(fromMs) {
      if (lastMs === undefined || rules.length === 0 || rules.some(({ firstGoodMs }) => firstGoodMs === undefined)) return undefined;
      const since = rules.reduce(
        (latest, { wasBroken, firstGoodMs, windowMs }) => (wasBroken ? Math.max(latest, (firstGoodMs ?? 0) - windowMs) : latest),
        fromMs,
      );
      const longestMs = rules.reduce((most, { windowMs }) => Math.max(most, windowMs), 0);
      return lastMs - since >= longestMs ? since : undefined;
    },
    knowsWindows: () => rules.every(({ windowMs }) => windowMs > 0),
  };
}
