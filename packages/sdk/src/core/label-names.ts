/**
 * Names from outside as labels of metrics: clients, servers and callers choose them, so there is a bound to how many are
 * told apart. All further ones share one label, and so do names that are too long to be names.
 */
import { wholeText } from './metrics-text.js';

const MAX_LABEL_LENGTH = 128;

/** The name as a label: itself while there is room, else `other`. */
export function createLabelNames(max: number, other: string): (name: string) => string {
  const known = new Set<string>();
  return (given) => {
    if (given.length > MAX_LABEL_LENGTH) return other;
    // Before it is counted: two names must not end up as one label twice.
    const name = wholeText(given);
    if (known.has(name)) return name;
    if (known.size >= max) return other;
    known.add(name);
    return name;
  };
}
