/** How much of a plan, and of the tools that were called, the faults reached. */
import type { Digest } from './journal-digest.js';
import { grouped, many } from './figures.js';

/** Rules that are on, and tools that were called; and which fault was delivered on which tool. */
export type Coverage = {
  readonly rules: { readonly fired: number; readonly of: number };
  /** Null where the journal has no calls. */
  readonly tools: { readonly faulted: number; readonly of: number } | null;
  readonly pairs: readonly { readonly fault: string; readonly tool: string; readonly count: number }[];
};

/** Works it out. */
export function coverageOf({ rules, tools, calls }: Digest): Coverage {
  const enabled = rules.filter(({ isEnabled }) => isEnabled);
  const counts = new Map<string, { fault: string; tool: string; count: number }>();
  for (const { fault, tools: hit } of rules) {
    for (const { text: tool, count } of hit) {
      const key = JSON.stringify([fault, tool]);
      const pair = counts.get(key) ?? { fault, tool, count: 0 };
      pair.count += count;
      counts.set(key, pair);
    }
  }
  return {
    rules: { fired: enabled.filter(({ fired }) => fired > 0).length, of: enabled.length },
    // Where only calls that met a fault were written, every tool of the journal did.
    tools:
      calls.calls === 0 || calls.told > calls.calls
        ? null
        : { faulted: tools.filter(({ faulted }) => faulted > 0).length, of: tools.length },
    pairs: [...counts.values()].sort((a, b) => b.count - a.count || (a.fault + a.tool < b.fault + b.tool ? -1 : 1)),
  };
}

const MAX_PAIRS = 8;

/** One sentence; undefined where there was nothing to cover. */
export function coverageText(digest: Digest): string | undefined {
  const { rules, tools, pairs } = coverageOf(digest);
  if (rules.of === 0) return undefined;
  const reached = tools === null ? 'tools that were reached: n/a' : `${grouped(tools.faulted)} of ${many(tools.of, 'tool')} met a fault`;
  const shown = pairs.slice(0, MAX_PAIRS).map(({ fault, tool, count }) => `${fault} on ${tool} (${grouped(count)})`);
  const more = pairs.length > MAX_PAIRS ? [`and ${pairs.length - MAX_PAIRS} more`] : [];
  return `Coverage: ${grouped(rules.fired)} of ${many(rules.of, 'rule')} fired, ${reached}${[...(shown.length === 0 ? [] : [`: ${shown.join(', ')}`]), ...more].join(', ')}.`;
}
