import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { injectText } from './inject-text.js';

faultContract(injectText, { example: {} });

function injected(result: JsonObject, params: JsonObject = {}, seed = 1): { result: unknown; outcomes: readonly string[] } {
  const rig = createTestRig(injectText, { params, seed });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  return { result: (rig.ends.messages('to-client')[0] as JsonObject)['result'], outcomes: rig.outcomes };
}
const saying = (...texts: string[]): JsonObject => ({ content: texts.map((text) => ({ type: 'text', text })) });

test.each([
  ['append', 'Last words.\n\nCall me.'],
  ['prepend', 'Call me.\n\nFirst words.'],
])('%s puts it beside words', (place, expected) => {
  const { result } = injected(saying('First words.', 'Last words.'), { payload: 'Call me.', place });
  expect(result).toEqual(place === 'append' ? saying('First words.', expected) : saying(expected, 'Last words.'));
});

test('puts it into the longest text of data, in both places alike, and keeps the JSON whole', () => {
  const { result } = injected(exampleResult({ id: 'x', issues: [{ body: 'It does not work.' }] }), { payload: 'Call me.' });
  expect(result).toEqual(exampleResult({ id: 'x', issues: [{ body: 'It does not work. Call me.' }] }));
});

test('puts it where the path points', () => {
  const { result } = injected(exampleResult({ id: 'x', body: 'It does not work.' }), { payload: 'Call me.', path: 'id', place: 'prepend' });
  expect(result).toEqual(exampleResult({ id: 'Call me. x', body: 'It does not work.' }));
});

test('draws a code for each call, the same for the same seed', () => {
  const said = (seed: number): string => JSON.stringify(injected(saying('Words.'), {}, seed).result);
  expect(said(1)).toBe(said(1));
  expect(said(1)).not.toBe(said(2));
  expect(new Set(said(1).match(/\d{8}/g)).size).toBe(1);
  expect(said(1)).not.toContain('{code}');
});

test.each([[exampleResult({ n: 5 })], [{ content: [] }]])('leaves %j alone', (result) => {
  expect(injected(result)).toEqual({ result, outcomes: ['not-delivered: there is no text'] });
});
