import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchBytes, batchOf, createBatchSieve, isUntouchedBatch, MAX_BATCH_ELEMENTS, rebuildBatch, type Batch } from './batch.js';
import { frameBytes, frameFromBytes, frameFromMessage, frameHead, type Frame } from './frame.js';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (frame: Frame | undefined): string | undefined =>
  frame === undefined ? undefined : new TextDecoder().decode(frameBytes(frame));
const batch = (text: string): Batch | undefined => batchOf(frameFromBytes('to-server', utf8(text)));

const space = fc.string({ maxLength: 3, unit: fc.constantFrom(' ', '\t', '\n', '\r') });
/** JSON texts as peers write them: with white space, brackets and quotes in strings, arrays in arrays. */
const element = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.json().map((json) => `{"jsonrpc":"2.0",  "id":7,"method":"tools/call","params":${json}}`),
  fc.constantFrom('[]', '{}', '"]"', '"[\\"}"', '-0', '1e400', '12345678901234567890', '{"a":1,"a":2}', '[[[]]]', '"\\u005d"'),
);
const written = fc
  .array(fc.tuple(space, element, space), { minLength: 1, maxLength: 8 })
  .map((items) => ({ items: items.map(([, json]) => json), text: `[${items.map((item) => item.join('')).join(',')}]` }));

test('finds the elements of any array, byte for byte', () => {
  fc.assert(
    fc.property(space, written, space, (before, { items, text }, after) => {
      expect(batch(before + text + after)?.elements.map(textOf)).toEqual(items);
    }),
  );
});

test('an array put together again without a change is the same bytes', () => {
  fc.assert(
    fc.property(written, ({ text }) => {
      const found = batch(text)!;
      const places = found.elements.map((one) => [one]);
      expect(isUntouchedBatch(found, places)).toBe(true);
      expect(textOf(rebuildBatch(found, places))).toBe(text);
    }),
  );
});

test('what happens to one element leaves the others as they were', () => {
  const fate = fc.constantFrom('kept', 'gone', 'edited', 'twice');
  fc.assert(
    fc.property(written, fc.array(fate, { minLength: 8, maxLength: 8 }), ({ items, text }, fates) => {
      const found = batch(text)!;
      const places = found.elements.map((one, index) => {
        const edited = frameFromMessage('to-server', { edited: index });
        return { kept: [one], gone: [], edited: [edited], twice: [one, one] }[fates[index]!];
      });
      const expected = items.flatMap((item, index) => {
        return { kept: [item], gone: [], edited: [`{"edited":${index}}`], twice: [item, item] }[fates[index]!];
      });
      const rebuilt = rebuildBatch(found, places);
      if (expected.length === 0) {
        expect(rebuilt).toBeUndefined();
        return;
      }
      expect(batch(textOf(rebuilt)!)?.elements.map(textOf)).toEqual(expected);
      expect(batch(new TextDecoder().decode(batchBytes(places.flat())))?.elements.map(textOf)).toEqual(expected);
    }),
  );
});

test('never throws, and never takes other bytes for a batch', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (bytes, isBracketed) => {
      const all = isBracketed ? Uint8Array.of(0x5b, ...bytes, 0x5d) : bytes;
      const found = batchOf(frameFromBytes('to-client', all));
      if (found === undefined) return;
      expect(JSON.parse(new TextDecoder().decode(all))).toHaveLength(found.elements.length);
    }),
  );
});

describe('is no batch', () => {
  test.each(['[]', ' [ ] ', '{}', '[1', '[1,]', '[,]', '[1 2]', '[nope]', '[1]x', '', '\ufeff[1]', '"[1]"', 'null'])('%j', (text) => {
    expect(batch(text)).toBeUndefined();
  });

  test('an array of more elements than anybody sends, or one that nests without end', () => {
    expect(batch(`[${'1,'.repeat(MAX_BATCH_ELEMENTS)}1]`)).toBeUndefined();
    expect(batch(`[${'1,'.repeat(MAX_BATCH_ELEMENTS - 1)}1]`)?.elements).toHaveLength(MAX_BATCH_ELEMENTS);
    expect(batch(`[${'{},'.repeat(100_000)}{}]`)).toBeUndefined();
    expect(batch('['.repeat(200_000))).toBeUndefined();
  });

  test('a frame over the limit', () => {
    expect(batchOf(frameFromBytes('to-server', utf8('[1]'), true))).toBeUndefined();
  });
});

test('an array in an array is an element that is no message', () => {
  const [inner] = batch('[[{"id":1,"method":"ping"}]]')!.elements;
  expect(frameHead(inner!).kind).toBe('other');
});

test('what is sent while an element is decided on takes its place', () => {
  const found = batch('[1,2,3,4]')!;
  const sieve = createBatchSieve();
  const nine = frameFromMessage('to-server', 9);
  expect(sieve.take(nine)).toBe(false);
  const places = sieve.sift(found, (one) => {
    if (textOf(one) === '2') return false;
    if (textOf(one) === '3') return !sieve.take(nine);
    return true;
  });
  expect(textOf(rebuildBatch(found, places))).toBe('[1,9,4]');
  expect(sieve.take(nine)).toBe(false);
});
