import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differences, withoutPaths } from './compare.js';
import { knownSecrets, withoutSecrets } from './known-secrets.js';
import { lineDiff } from './line-diff.js';
import { textOfPath } from './matcher.js';
import { mergeExpectation } from './merge-expectation.js';
import { volatilePaths } from './volatile.js';

const found = (...recordings: readonly unknown[]) => volatilePaths(recordings).map(textOfPath);

test('names what differs as shortly as it can', () => {
  expect(found({ a: 1, b: 2 }, { a: 1, b: 3 })).toEqual(['b']);
  expect(found({ list: [{ at: 1 }, { at: 2 }] }, { list: [{ at: 3 }, { at: 4 }] })).toEqual(['list[*].at']);
  expect(found({ list: [{ at: 1 }, { at: 2 }] }, { list: [{ at: 1 }, { at: 4 }] })).toEqual(['list[1].at']);
  expect(found({ list: [1] }, { list: [1, 2] })).toEqual(['list']);
  expect(found({ a: 1 }, { a: 1, b: 2 })).toEqual(['b']);
  expect(found('one', 'two')).toEqual(['$']);
  expect(found(1, 1, 1)).toEqual([]);
});

test('a name that no path can spell makes its owner volatile', () => {
  expect(found({ in: { 'a.b': 1 } }, { in: { 'a.b': 2 } })).toEqual(['in']);
  expect(found({ '': 1 }, { '': 2 })).toEqual(['$']);
});

test('recordings are the same without what is volatile', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(value, value, value, (...given) => {
      const recordings = given.map((one): unknown => JSON.parse(JSON.stringify({ one, same: 1 })));
      const paths = volatilePaths(recordings);
      const [first, ...others] = recordings.map((one) => withoutPaths(one, paths));
      for (const other of others) expect(differences(first, other, { isPartial: false })).toEqual([]);
    }),
  );
});

test('finds secrets of the environment in every spelling, and no short words', () => {
  const secrets = knownSecrets({ API_TOKEN: 'swordfish/42', HOME: '/home/swordfish', DB_PASSWORD: 'short' });
  const bytes = Buffer.from('swordfish/42');
  for (const text of [
    'swordfish/42',
    encodeURIComponent('swordfish/42'),
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ])
    expect(JSON.stringify(withoutSecrets({ list: [`x ${text} y`], [text]: 1 }, secrets))).not.toContain(text);
  expect(withoutSecrets('short', secrets)).toBe('short');
});

test('an approved change keeps what people wrote', () => {
  const before = { exact: { a: 1 }, types: { b: 'text' }, latencyMs: 5, range: { a: { max: 3 } } };
  expect(mergeExpectation(before, { exact: { a: 2 } })).toEqual({ exact: { a: 2 }, latencyMs: 5, range: { a: { max: 3 } } });
  expect(mergeExpectation({ data: { a: 1, gone: 1 } }, { exact: { a: 2, b: 3 } })).toEqual({ data: { a: 2 } });
  expect(mergeExpectation({ range: {} }, { exact: 1 })).toBeUndefined();
});

test('a diff holds both texts', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after);
      const side = (mark: string) =>
        lines
          .filter((line) => line.startsWith(mark) || line.startsWith('  '))
          .map((line) => line.slice(2))
          .join('\n');
      expect([side('- '), side('+ ')]).toEqual([before, after]);
    }),
  );
});
