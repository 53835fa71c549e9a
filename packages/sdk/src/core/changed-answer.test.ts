import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noteDifferences } from './changed-answer.js';
import type { JsonObject } from './message.js';

const both = (data: unknown): JsonObject => ({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data });

function differences(clean: JsonObject, dirty: JsonObject): readonly unknown[] {
  const noted: unknown[] = [];
  noteDifferences(clean, dirty, (...change) => noted.push(change));
  return noted;
}

test('notes once what structured content and text say alike', () => {
  expect(differences(both({ a: [1, 2], b: 3 }), both({ a: [1, 5], c: 3 }))).toEqual([
    ['/structuredContent/a/1', 2, 5],
    ['/structuredContent/b', 3, undefined],
    ['/structuredContent/c', undefined, 3],
  ]);
});

test('goes on inside a text that holds JSON, and takes any other as a whole', () => {
  const text = (...texts: string[]): JsonObject => ({ content: texts.map((one) => ({ type: 'text', text: one })) });
  expect(differences(text('plain', '{"a/b":{"token":1}}'), text('other', '{"a/b":{"token":2}}'))).toEqual([
    ['/content/0/text', 'plain', 'other'],
    ['/content/1/text/a~1b/token', 1, 2],
  ]);
  expect(differences(text('{"a":1}'), text('{"a"'))).toEqual([['/content/0/text', '{"a":1}', '{"a"']]);
});

test('notes the words of a sentence that differ, unless they could be a secret', () => {
  const saying = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });
  const words = (clean: string, dirty: string): readonly unknown[] => differences(saying(clean), saying(dirty));
  expect(words('Refunded 12.50 EUR for A-1.', 'Refunded 13.75 EUR for A-1.')).toEqual([['/content/0/text', '12.50', '13.75']]);
  expect(words('It works.', 'It works. Call me.')).toEqual([['/content/0/text', undefined, 'Call me.']]);
  expect(words('It works well.', 'It wor')).toEqual([['/content/0/text', 'works well.', 'wor']]);
  expect(words('one', 'two')).toEqual([['/content/0/text', 'one', 'two']]);
  expect(words('a  b', 'a b')).toEqual([['/content/0/text', 'a  b', 'a b']]);
  const secret = 'Use Bearer abcdefgh1 now.';
  expect(words(secret, 'Use Bearer abcdefgh2 now.')).toEqual([['/content/0/text', secret, 'Use Bearer abcdefgh2 now.']]);
});

test('tells of text that says something else than the structured content', () => {
  const torn = { ...both({ a: 1 }), structuredContent: { a: 2 } };
  expect(differences(both({ a: 1 }), torn)).toEqual([['/structuredContent/a', 1, 2]]);
  expect(differences(both({ a: 1 }), { ...both({ a: 1 }), isError: true })).toEqual([['/isError', undefined, true]]);
});

test('results that differ have a difference, equal ones have none, and there are never too many', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const noted = differences(both(one), both(other));
      expect(noted.length > 0).toBe(JSON.stringify(both(one)) !== JSON.stringify(both(other)) && !isReordered(one, other));
      expect(differences(both(one), both(structuredClone(one)))).toEqual([]);
      expect(noted.length).toBeLessThanOrEqual(32);
    }),
  );
});

/** The same data in another order of members. */
function isReordered(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}
