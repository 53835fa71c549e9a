import { defineMatcher } from '../matcher.js';

/** What a model has to read, by its size. */
export const budget = defineMatcher({
  word: 'budget',
  field: {
    kind: 'group',
    about: 'How large the answer may be.',
    fields: {
      bytes: { kind: 'whole', min: 0, max: Number.MAX_SAFE_INTEGER, about: 'Bytes of the result as JSON.' },
      tokens: {
        kind: 'whole',
        min: 0,
        max: Number.MAX_SAFE_INTEGER,
        about: 'Tokens of its text, by an estimate: four bytes of UTF-8 are one.',
      },
    },
  },
  example: '{ bytes: 20000, tokens: 4000 }',
  isStable: () => false,
  judge({ bytes, tokens }, { result, blocks }) {
    const size = Buffer.byteLength(JSON.stringify(result));
    const text = blocks.map((block) => (typeof block['text'] === 'string' ? block['text'] : '')).join('');
    const estimate = Math.ceil(Buffer.byteLength(text) / 4);
    return [
      ...(bytes !== undefined && size > bytes ? [{ says: `the result has ${size} bytes, at most ${bytes} expected` }] : []),
      ...(tokens !== undefined && estimate > tokens ? [{ says: `the text has about ${estimate} tokens, at most ${tokens} expected` }] : []),
    ];
  },
});
