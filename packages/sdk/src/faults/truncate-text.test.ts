import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../core/fixtures/any-character.js';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { truncateText } from './truncate-text.js';

faultContract(truncateText, { example: { keepRatio: 0.5 } });

function cut(result: JsonObject, params: JsonObject = {}): JsonObject {
  const rig = createTestRig(truncateText, { params });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  return (rig.ends.messages('to-client')[0] as JsonObject)['result'] as JsonObject;
}
const saying = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });

test.each([
  ['Total: 12345 EUR', { keepRatio: 0.6 }, 'Total: 12'],
  ['Total: 12345 EUR', { keepRatio: 0.6, midWord: false }, 'Total:'],
  ['Total: 12345 EUR', { keepRatio: 0.75, midWord: false }, 'Total: 12345'],
  ['Unbreakable', { midWord: false }, 'Unbre'],
  ['🦊🦊🦊', {}, '🦊'],
])('cuts %s with %j', (text, params, expected) => {
  expect(cut(saying(text), params)).toEqual(saying(expected));
});

test('cuts JSON text like any other, and leaves no structured content that would know better', () => {
  const whole = JSON.stringify({ total: 12345 });
  expect(cut(exampleResult({ total: 12345 }))).toEqual(saying(whole.slice(0, Math.floor(whole.length / 2))));
  expect(cut(exampleResult({ total: 12345 }), { keepsStructured: true })).toMatchObject({ structuredContent: { total: 12345 } });
});

test('says so when there is no text', () => {
  const rig = createTestRig(truncateText);
  rig.request(exampleCall());
  rig.answer(exampleAnswer({ content: [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }] }));
  expect(rig.outcomes).toEqual(['not-delivered: there is no text to break off']);
});

test('what is left is a beginning of the text, without half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, minLength: 2 }), fc.boolean(), (text, midWord) => {
      const [{ text: kept }] = cut(saying(text), { midWord })['content'] as [{ text: string }];
      expect(text.startsWith(kept)).toBe(true);
      expect(() => encodeURIComponent(kept)).not.toThrow();
    }),
  );
});
