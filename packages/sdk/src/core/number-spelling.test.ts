import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editFrame, frameBytes, frameFromBytes, frameObject } from './frame.js';
import { numberSpelling, stringifyLike } from './number-spelling.js';
import { changeData } from './tool-result.js';

const again = (text: string): string => stringifyLike(JSON.parse(text), numberSpelling(text));

test.each([
  '{"id":12345678901234567890,"price":1.0,"big":1e5,"zero":-0,"small":0.10}',
  '[1.0,2.50,3E+2]',
  '{"a":{"b":[{"c":9007199254740993},{"c":9007199254740992}]}}',
  '7.0',
])('writes %s as it came', (text) => expect(again(text)).toBe(text));

test.each(['{"a":1,"b":2.5,"c":"1.0"}', '[]', '"1.0"', 'null', 'true', '{'])('has nothing to keep of %s', (text) =>
  expect(numberSpelling(text)).toBeUndefined(),
);

describe('in an edited message', () => {
  const text =
    '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"order":12345678901234567890,"total":1.50,"items":[7.0,2.0,3.0]},"content":[{"type":"text","text":"{\\"order\\":12345678901234567890,\\"total\\":1.50}"}]}}';
  const frame = frameFromBytes('to-client', new TextEncoder().encode(text));
  const edit = (change: (result: Record<string, unknown>) => unknown): string => {
    const message = structuredClone(frameObject(frame)!) as { result: Record<string, unknown> };
    return new TextDecoder().decode(frameBytes(editFrame(frame, { ...message, result: change(message.result) })));
  };

  test('what nobody touched is spelled as it was', () => {
    const edited = edit((result) => ({ ...result, structuredContent: { ...(result['structuredContent'] as object), total: 99.5 } }));
    expect(edited).toBe(text.replace('"total":1.50,"items"', '"total":99.5,"items"'));
  });

  test('also where it has moved, or been renamed', () => {
    const edited = edit(({ structuredContent }) => ({ orders: [structuredContent] }));
    expect(edited).toContain('"orders":[{"order":12345678901234567890,"total":1.50,"items":[7.0,2.0,3.0]}]');
  });

  test('and in JSON that stands in a text', () => {
    const { result } = frameObject(frame) as { result: Record<string, unknown> };
    const changed = changeData(result, (data) => ({ ...(data as object), total: 2 }));
    expect(changed).toMatchObject({ content: [{ text: '{"order":12345678901234567890,"total":2}' }] });
  });

  test('an edited frame that is edited again still knows', () => {
    const once = editFrame(frame, frameObject(frame));
    expect(new TextDecoder().decode(frameBytes(editFrame(once, frameObject(once))))).toBe(text);
  });
});

test('no text in the message is ever taken for a number', () => {
  const text = '{"a":1.0,"b":"number:5","c":"number::6","number:7":"x"}';
  expect(again(text)).toBe(text);
});

test('whatever the value, what is written means the same; and every number is spelled as it was', () => {
  const spellings = fc.oneof(
    fc.constantFrom('1.0', '-0', '1e5', '1E-7', '12345678901234567890', '0.10', '100', '3'),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      spellings,
      fc.string().map((text) => JSON.stringify(text)),
      fc.constantFrom('true', 'false', 'null'),
      fc.array(tie('json'), { maxLength: 4 }).map((parts) => `[${parts.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(fc.string(), tie('json')), { maxLength: 4, selector: ([name]) => name })
        .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${String(value)}`).join(',')}}`),
    ),
  }));
  fc.assert(
    fc.property(json, (text) => {
      const written = again(String(text));
      expect(JSON.parse(written)).toEqual(JSON.parse(String(text)));
      // Integer-like member names come first when JavaScript writes an object; where none is, nothing moves at all.
      if (!/"\d+":/.test(String(text))) expect(written).toBe(text);
    }),
  );
});

test('any text at all is read without harm', () => {
  fc.assert(fc.property(fc.string(), (text) => void numberSpelling(text)));
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('{', '[', '"', ':', ',', '1.0', '}', ']', '\\', 'true', ' ', '-', '.', 'e')),
      (parts) => void numberSpelling(parts.join('')),
    ),
  );
});
