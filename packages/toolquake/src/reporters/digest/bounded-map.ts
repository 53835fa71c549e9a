/** Maps and lists that stop growing: a journal may hold any number of names, a report only so many. */

/** Under this key everything is counted that came after the map was full. */
export const OTHERS = '(others)';

/** Longer texts are cut: a report is read by people. */
const MAX_TEXT = 200;

/** A text as a digest keeps it. */
export function clipped(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

/** A map that makes its values itself; beyond `max` keys, all further ones share the value of `OTHERS`. */
export type BoundedMap<Value> = {
  at(key: string): Value;
  get(key: string): Value | undefined;
  /** In the order in which keys were first seen, `OTHERS` last. */
  entries(): readonly (readonly [key: string, value: Value])[];
};

/** An empty map. */
export function createBoundedMap<Value>(max: number, make: (key: string) => Value): BoundedMap<Value> {
  const held = new Map<string, Value>();
  let others: Value | undefined;
  return {
    at(given) {
      const key = clipped(given);
      const found = held.get(key);
      if (found !== undefined) return found;
      if (held.size >= max) return (others ??= make(OTHERS));
      const made = make(key);
      held.set(key, made);
      return made;
    },
    get: (key) => held.get(clipped(key)),
    entries: () => (others === undefined ? [...held] : [...held, [OTHERS, others]]),
  };
}

/** How often something was said. */
export type TextCount = { readonly text: string; readonly count: number };

/** Counts texts, the most frequent first. */
export type Counter = { add(text: string, by?: number): void; list(): readonly TextCount[] };

/** An empty counter. */
export function createCounter(max: number): Counter {
  const counts = createBoundedMap(max, () => ({ count: 0 }));
  return {
    add(text, by = 1) {
      counts.at(text).count += by;
    },
    list: () =>
      counts
        .entries()
        .map(([text, { count }]) => ({ text, count }))
        .sort((a, b) => b.count - a.count),
  };
}

/** The first `max` of a series, and how many there were. */
export type Sample<Value> = { readonly values: Value[]; seen: number };

/** Adds to a sample while there is room. */
export function addToSample<Value>(sample: Sample<Value>, value: Value, max: number): void {
  sample.seen++;
  if (sample.values.length < max) sample.values.push(value);
}
