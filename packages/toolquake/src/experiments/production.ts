/** Does a text speak of production? One answer for every spelling: case, percent signs, look-alike letters, invisible characters. Pure. */
import { domainToUnicode } from 'node:url';

/** Letters that look like those of the words, in other alphabets; what Unicode itself calls compatible is folded before. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    p: 'рρᴘᴩᑭƿþꮲⲣꓑ',
    r: 'гᴦꭇꮁʀɼɽꮢⲅꓣ',
    o: 'оοօᴑᴼꓳഠ໐०০੦૦௦౦೦๐ᴏøס٥ⲟ𐐬',
    d: 'ԁɗđժᴅᏧᑯꭰꓒꓓ',
    u: 'υսᴜꞟцʋꓴ',
    c: 'сϲᴄⲥꮯꓚ',
    t: 'тτᴛŧⲧꭲꓔ',
    i: 'іιɩıӏɪꭵⲓꓲ',
    n: 'ոռпηɴⲛꓠ',
  }).flatMap(([letter, others]) => Array.from(others).map((other) => [other, letter] as const)),
);

/** Digits that stand for letters; only asked of words that are none otherwise. */
const LEET: ReadonlyMap<string, string> = new Map([
  ['0', 'o'],
  ['1', 'i'],
  ['7', 't'],
]);

const WORD = /^(?:prod|prods|production|productive|prd)\d*$/;
/** `prod*`, but neither a product nor what produces one. */
const BEGINNING = /^(?:prod(?!uct(?!ion)|uce|uz|ig)|prd)/;

/** The text in every reading that a system on the way may have of it. */
function readingsOf(text: string): readonly string[] {
  let decoded = text;
  // Encoded twice is decoded twice; nobody encodes more often than this in good faith.
  for (let round = 0; round < 8 && decoded.includes('%'); round++) {
    const next = decoded.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'));
    if (next === decoded) break;
    decoded = next;
  }
  const unicode = decoded.replace(/[a-z0-9-]+/gi, (label) => (/^xn--/i.test(label) ? domainToUnicode(label) || label : label));
  return [...new Set([text, decoded, unicode])];
}

/** Plain small letters, everything invisible and every accent gone. */
function fold(text: string): string {
  const bare = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu, '')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
  return Array.from(bare)
    .map((letter) => LOOK_ALIKES.get(letter) ?? letter)
    .join('');
}

const leet = (word: string): string =>
  Array.from(word)
    .map((letter) => LEET.get(letter) ?? letter)
    .join('');

function wordsOf(text: string): readonly string[] {
  return readingsOf(text).flatMap((reading) => {
    // shopProd is two words, and PrOd is one: both ways are tried.
    const apart = reading
      .normalize('NFKD')
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
    return [reading, apart].flatMap((one) => fold(spacesForBreaks(one)).split(/[^\p{L}\p{N}]+/u));
  });
}

/** A line break parts words, unlike the other characters that cannot be seen. */
const spacesForBreaks = (text: string): string => text.replace(/[\t\n\r\v\f]/g, ' ');

/** `prod`, `production` or `prd` stands in it as a word, in any spelling: `shop-prod`, `PRD1`, `eu.prod.example`. */
export function namesProduction(text: string): boolean {
  return wordsOf(text).some((word) => WORD.test(word) || WORD.test(leet(word)));
}

/** It names production, or begins like it: `prodeu`. */
export function beginsLikeProduction(text: string): boolean {
  return namesProduction(text) || wordsOf(text).some((word) => BEGINNING.test(word) || BEGINNING.test(leet(word)));
}

/** A word of a key, in any spelling. */
export const keyWordsOf = (key: string): readonly string[] => [...new Set(wordsOf(key))];
