/** "Did you mean ...?" One implementation for keys, fault names, parameters, choices and command-line words. */

/** Longer words are not compared: nobody mistypes them, and the distance costs length x length. */
const MAX_LENGTH = 64;

/** The candidate that a person most likely meant, or undefined when none is close. */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  const given = normalise(word);
  if (given.length === 0 || given.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const wanted = normalise(candidate);
    if (wanted.length > MAX_LENGTH) continue;
    // A third of the longer word may be wrong; beyond that a suggestion misleads more than it helps.
    const limit = Math.max(1, Math.floor(Math.max(given.length, wanted.length) / 3));
    const distance = editDistance(given, wanted);
    if (distance <= limit && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? completion(given, candidates);
}

/** `Did you mean "x"?`, or the list when nothing is close. */
export function suggest(word: string, candidates: readonly string[]): string {
  const nearest = nearestWord(word, candidates);
  if (nearest !== undefined) return `Did you mean "${nearest}"?`;
  return candidates.length === 0 ? 'Nothing is allowed here.' : `Allowed: ${candidates.join(', ')}.`;
}

/** Spelling conventions are not mistakes: addedMs, added_ms and added-ms are the same word. */
function normalise(word: string): string {
  return word.toLowerCase().replace(/[\s_-]/g, '');
}

/** The only candidate that the word begins or ends, for words of three letters or more. */
function completion(given: string, candidates: Iterable<string>): string | undefined {
  if (given.length < 3) return undefined;
  const found: string[] = [];
  for (const candidate of candidates) {
    const wanted = normalise(candidate);
    if (wanted.startsWith(given) || wanted.endsWith(given)) found.push(candidate);
  }
  return found.length === 1 ? found[0] : undefined;
}

/** Insertions, deletions, replacements and swaps of neighbours, one each. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
