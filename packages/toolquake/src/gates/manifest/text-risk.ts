/**
 * Does a change of a text look like poisoning? Models obey descriptions, so a text that gains orders, addresses or hidden
 * characters, or becomes another text altogether, is for a person to read. A heuristic: it raises a hand, it proves nothing.
 */

/** Longer texts are judged by their beginning; that they are so long is told by the size of the manifest. */
const MAX_LENGTH = 32_768;

/** Why a new text wants to be read by a person; undefined when nothing stands out. */
export function textRisk(before: unknown, after: unknown): string | undefined {
  if (typeof after !== 'string') return undefined;
  const [old, now] = [(typeof before === 'string' ? before : '').slice(0, MAX_LENGTH), after.slice(0, MAX_LENGTH)];
  const hidden = [...new Set(now.match(HIDDEN))].filter((character) => !old.includes(character));
  if (hidden.length > 0) return `It has hidden characters now: ${hidden.slice(0, 5).map(codePoint).join(', ')}.`;
  const orders = ORDERS.flatMap((pattern) => now.match(pattern)?.slice(0, 1) ?? []).filter(
    (order) => !old.toLowerCase().includes(order.toLowerCase()),
  );
  if (orders.length > 0) return `It gives an order now: "${orders[0]}".`;
  // A new text may name its documentation; a text that gains an address is another matter.
  if (old === '') return undefined;
  const address = now.match(ADDRESS)?.find((one) => !old.includes(one));
  if (address !== undefined) return `It names an address now: ${address.slice(0, 100)}`;
  return isAnotherText(old, now) ? 'It is another text: less than half of its words are left.' : undefined;
}

// Format characters (zero width, direction, tags), private use, and fillers; a joiner inside an emoji is none of them.
const HIDDEN = /(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d)(?:[\p{Cf}\p{Co}\u115f\u1160\u3164\uffa0]|[\u{e0100}-\u{e01ef}])/gu;

const ADDRESS = /\b(?:https?|wss?|ftp|data|file):[^\s"'<>)]{3,}/gi;

const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:previous|prior|above|earlier|other|all|any)\b/i,
  /\b(?:do not|don't|never|without)\b[^.]{0,20}\b(?:tell|mention|inform|reveal|ask|asking|telling|notify|confirm\w*|show)\b/i,
  /\b(?:must|always|first)\b[^.]{0,20}\b(?:call|use|read|send|include|pass|run|execute|fetch|append)\b/i,
  /\bbefore (?:using|calling|any|every)\b/i,
  /\binstead of\b[^.]{0,30}\b(?:tool|calling|using)\b/i,
  /\bsystem prompt\b/i,
  /<\/?(?:important|system|instructions?|secret)>/i,
  /\b(?:api[_ -]?keys?|passwords?|private keys?|credentials|access tokens?|ssh keys?|\.env)\b/i,
];

const codePoint = (character: string): string => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Shorter texts are rewritten all the time. */
const LEAST_WORDS = 8;

function isAnotherText(before: string, after: string): boolean {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  return old.size >= LEAST_WORDS && similarity(old, now) < 0.5 && [...old].filter((word) => now.has(word)).length < old.size / 2;
}

/** The words of a text, each once. */
export const wordsOf = (text: unknown): ReadonlySet<string> =>
  new Set(
    typeof text === 'string'
      ? text
          .slice(0, MAX_LENGTH)
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu)
      : [],
  );

/** From 0 (nothing shared) to 1 (the same words). */
export function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 && other.size === 0) return 1;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared / (one.size + other.size - shared);
}
