import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameFromMessage, frameHead } from './frame.js';
import { readJsonHead, type JsonHead } from './json-head.js';

const encoder = new TextEncoder();
const read = (text: string): JsonHead => readJsonHead(encoder.encode(text));

/** What JSON.parse and plain property access say: the oracle. */
const parsed = (text: string): JsonHead => frameHead(frameFromMessage('to-server', JSON.parse(text)));

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 });

/** Writes a string with some characters escaped, as any JSON writer may. */
const spell = (text: string, mask: readonly boolean[]): string => {
  let written = '"';
  for (let index = 0; index < text.length; index++) {
    const isEscaped = mask.length > 0 && mask[index % mask.length] === true;
    const hex = text.charCodeAt(index).toString(16).padStart(4, '0');
    written += isEscaped ? `\\u${hex}` : JSON.stringify(text[index]).slice(1, -1);
  }
  return `${written}"`;
};

const spelled = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.array(fc.boolean(), { maxLength: 4 })).map(([value, mask]) => spell(value, mask));

// Units, not characters: lone surrogates are legal in JSON escapes.
const anyText = fc.string({
  unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':', '\u0000', 'é', '😀', '\ud800', '\udc00'),
  maxLength: 12,
});

const { value: anyValue } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '0', '-0', '1', '12345678901234567890', '-7', '1.5', '1e3', '1E-2', '""', '[]', '{}'),
    fc.integer().map(String),
    spelled(anyText),
    spelled(fc.constantFrom('tools/call', 'search', 'id', 'method')),
    fc.array(tie('value'), { maxLength: 3 }).map((parts) => `[${parts.join(' , ')}]`),
    tie('object'),
  ),
  object: members(fc.constantFrom('name', 'arguments', 'id', '_meta'), tie('value')),
}));

function members(names: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(space, spelled(fc.oneof(names, anyText)), space, space, value, space);
  return fc.tuple(space, fc.array(member, { maxLength: 7 })).map(([empty, list]) => {
    if (list.length === 0) return `{${empty}}`;
    return `{${list.map(([a, key, b, c, part, d]) => `${a}${key}${b}:${c}${part}${d}`).join(',')}}`;
  });
}

const anyMessage = fc
  .tuple(space, members(fc.constantFrom('id', 'method', 'params', 'result', 'error', 'jsonrpc'), anyValue), space)
  .map((parts) => parts.join(''));

describe('on valid JSON', () => {
  test('agrees with JSON.parse for any spelling, spacing, order and repetition of keys', () => {
    fc.assert(
      fc.property(anyMessage, (text) => {
        expect(read(text)).toEqual(parsed(text));
      }),
      { numRuns: 3000 },
    );
  });

  test('reads escaped keys', () => {
    const text = String.raw`{"\u0069d":7,"m\u0065thod":"tools\/call","params":{"n\u0061me":"sea\u0072ch"}}`;
    expect(read(text)).toEqual({ kind: 'request', id: 7, method: 'tools/call', tool: 'search', isComplete: true });
  });

  test('takes the last of duplicate keys, at both levels', () => {
    const text = '{"id":1,"id":"two","method":"a","params":{"name":"x","name":"y"},"method":"tools/call"}';
    expect(read(text)).toMatchObject({ id: 'two', method: 'tools/call', tool: 'y' });
    expect(read('{"id":1,"method":"tools/call","params":{"name":"x"},"params":[]}').tool).toBeUndefined();
    expect(read('{"id":1,"id":true,"method":"ping"}')).toMatchObject({ kind: 'request', id: undefined });
  });

  test('keeps ids as they are: 0, null, negative, fractional, long and numeric text', () => {
    for (const id of ['0', 'null', '-1', '1.5', '12345678901234567', '"0"', '"\\ud800"']) {
      expect(read(`{"id":${id},"result":{}}`).id).toEqual(JSON.parse(id));
    }
  });

  test('finds no tool in a response and no message in a batch or a bare value', () => {
    expect(read('{"id":1,"result":{},"params":{"name":"x"}}').tool).toBeUndefined();
    for (const text of ['[{"id":1,"method":"ping"}]', '1', '"text"', 'null']) expect(read(text).kind).toBe('other');
  });

  test('is not confused by brackets, quotes and keys inside strings', () => {
    const text = JSON.stringify({ params: { arguments: { q: '}],"id":9,"method":"x"\\"' }, name: 'n' }, id: 1, method: 'm' });
    expect(read(text)).toEqual({ kind: 'request', id: 1, method: 'm', tool: 'n', isComplete: true });
  });

  test('reads the same method again after many others', () => {
    for (let index = 0; index < 2000; index++) expect(read(`{"method":"m/${index % 700}"}`).method).toBe(`m/${index % 700}`);
  });
});

describe('on anything else', () => {
  test('never throws, whatever the bytes', () => {
    const jsonish = fc
      .array(fc.constantFrom(...encoder.encode('{}[]",:\\ \n"id"method0n\ufeff')), { maxLength: 60 })
      .map((list) => Uint8Array.from(list));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), jsonish), (bytes) => {
        expect(typeof readJsonHead(bytes).isComplete).toBe('boolean');
      }),
      { numRuns: 3000 },
    );
  });

  test('reads from a prefix only what the whole message says', () => {
    const value = fc.jsonValue({ maxDepth: 2 }).map((part) => JSON.stringify(part));
    const message = fc.tuple(fc.integer(), value, fc.shuffledSubarray(['id', 'method', 'params', 'result', 'jsonrpc'], { minLength: 1 }));
    fc.assert(
      fc.property(message, fc.nat(), ([id, part, keys], cut) => {
        const parts: Record<string, string> = {
          id: `${id}`,
          method: '"tools/call"',
          params: `{"name":"t","arguments":${part}}`,
          result: part,
          jsonrpc: '"2.0"',
        };
        const bytes = encoder.encode(`{${keys.map((key) => `"${key}":${parts[key]}`).join(',')}}`);
        const whole = readJsonHead(bytes);
        const head = readJsonHead(bytes.subarray(0, cut % bytes.length));
        expect(head.isComplete).toBe(false);
        if (head.id !== undefined) expect(head.id).toBe(whole.id);
        if (head.method !== undefined) expect(head.method).toBe(whole.method);
        if (head.tool !== undefined) expect(head.tool).toBe(whole.tool ?? 't');
      }),
      { numRuns: 1000 },
    );
  });

  test('tells whose answer an endless result is, and which tool endless arguments go to', () => {
    expect(read('{"jsonrpc":"2.0","id":7,"result":{"content":[{"text":"aaaa')).toMatchObject({
      kind: 'response',
      id: 7,
      isComplete: false,
    });
    expect(read('{"id":7,"method":"tools/call","params":{"name":"put","arguments":{"text":"aa')).toMatchObject({
      kind: 'request',
      tool: 'put',
    });
  });

  test('does not trust a number that was cut off', () => {
    expect(read('{"method":"x","id":12').id).toBeUndefined();
  });

  test('calls trailing garbage, a trailing comma and a byte order mark incomplete', () => {
    for (const text of ['{"id":1} x', '{"id":1,}', '\ufeff{"id":1}', '{"id":1']) expect(read(text).isComplete).toBe(false);
    expect(read('{"id":\ufeff1,"method":"x"}').id).toBeUndefined();
  });

  // Counted in work, not in time: each of these would take minutes if any part of the scan were quadratic.
  test.each([
    ['backslashes', '\\'],
    ['quotes', '"'],
    ['escaped quotes', '\\"'],
    ['long runs of backslashes before quotes', `${'\\'.repeat(63)}"`],
    ['open brackets', '['],
    ['open members', '{"a":'],
    ['empty strings', '"",'],
    ['keys', '"id":1,'],
    ['names', '"params":{"name":"x"},'],
    ['spaces', ' '],
  ])('ends at once on a megabyte of %s', (_name, unit) => {
    const body = unit.repeat(Math.ceil(1_000_000 / unit.length));
    for (const opening of ['', '{', '{"', '{"a":"', '{"params":{"', '{"params":{"a":']) {
      const bytes = encoder.encode(opening + body);
      expect(readJsonHead(bytes).kind).toBeDefined();
    }
  });
});
