/** Tools that read like one another: a model that chooses between them guesses. */
import type { JsonObject } from '@toolquake/sdk/core';
import { similarity, wordsOf } from './text-risk.js';

/** From here on two descriptions are the same to a reader. */
const SIMILAR = 0.9;
/** Shorter descriptions are alike by chance. */
const LEAST_WORDS = 4;
/** Tools that one is compared with at most: hostile descriptions can share their rarest words with everybody. */
const MAX_COMPARED = 200;

/** Finds the first other tool with the same title, or nearly the same description. */
export function neighboursOf(tools: ReadonlyMap<string, JsonObject>): (name: string) => string | undefined {
  const words = new Map([...tools].map(([name, tool]) => [name, wordsOf(tool['description'])]));
  const counts = new Map<string, number>();
  for (const said of words.values()) for (const word of said) counts.set(word, (counts.get(word) ?? 0) + 1);
  const byTitle = new Map<unknown, string[]>();
  const byWord = new Map<string, string[]>();
  for (const [name, tool] of tools) {
    if (typeof tool['title'] === 'string') append(byTitle, tool['title'], name);
    for (const word of marksOf(words.get(name)!, counts)) append(byWord, word, name);
  }
  return (name) => {
    const twin = byTitle.get(tools.get(name)?.['title'])?.find((one) => one !== name);
    const said = words.get(name);
    if (twin !== undefined || said === undefined || said.size < LEAST_WORDS) return twin;
    let left = MAX_COMPARED;
    for (const word of marksOf(said, counts)) {
      for (const other of byWord.get(word) ?? []) {
        if (other === name) continue;
        if (similarity(said, words.get(other)!) >= SIMILAR) return other;
        if (--left === 0) return undefined;
      }
    }
    return undefined;
  };
}

/** The rarest words of a text: two texts that share nine words of ten cannot differ in all of these. */
function marksOf(said: ReadonlySet<string>, counts: ReadonlyMap<string, number>): readonly string[] {
  const rare = [...said].sort((a, b) => counts.get(a)! - counts.get(b)! || (a < b ? -1 : 1));
  return rare.slice(0, said.size - Math.ceil(SIMILAR * said.size) + 1);
}

function append<Key>(lists: Map<Key, string[]>, key: Key, name: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [name]);
  else list.push(name);
}
