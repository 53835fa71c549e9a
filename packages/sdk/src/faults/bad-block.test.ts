import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { badBlock } from './bad-block.js';

describe.each(['unknown-type', 'zero-width'])('%s', (what) => {
  faultContract(badBlock, { example: { what } });
});

function bad(result: JsonObject, what: string, seed = 1): { content: JsonObject[]; structuredContent?: JsonObject } {
  const rig = createTestRig(badBlock, { params: { what }, seed });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  return (rig.ends.messages('to-client')[0] as JsonObject)['result'] as never;
}
const words = { type: 'text', text: 'Some words.' };

test('breaks the image that is there, and keeps the rest', () => {
  const image = { type: 'image', data: 'aGVsbG8gd29ybGQ=', mimeType: 'image/png' };
  const [kept, broken] = bad({ content: [words, image] }, 'base64').content;
  expect(kept).toEqual(words);
  expect(() => atob(String(broken?.['data']))).toThrow();
  expect(bad({ content: [image] }, 'mime').content).toEqual([{ ...image, mimeType: 'application/pdf' }]);
});

test('brings a bad block along where there is none to break', () => {
  const types = ['base64', 'mime', 'unknown-type', 'dead-link'].map((what) =>
    bad({ content: [words] }, what).content.map(({ type }) => type),
  );
  expect(types).toEqual([
    ['text', 'image'],
    ['text', 'image'],
    ['text', 'table'],
    ['text', 'resource_link'],
  ]);
});

test('hides characters in a text, in both places alike', () => {
  const { content, structuredContent } = bad(exampleResult({ name: 'Zoë Müller' }), 'zero-width');
  expect(JSON.parse(String(content[0]?.['text']))).toEqual(structuredContent);
  const name = String(structuredContent?.['name']);
  expect(name).not.toBe('Zoë Müller');
  expect(name.replace(/[\u200B-\u200D\u2060\uFEFF]/gu, '')).toBe('Zoë Müller');
});

test('colours words for a terminal that is not there', () => {
  // oxlint-disable-next-line no-control-regex -- escapes are what it is about
  expect(String(bad({ content: [words] }, 'ansi').content[0]?.['text']).replace(/\u001B\[\d+m/g, '')).toBe('Some words.');
});

test('draws each kind, by seed', () => {
  const all = Array.from({ length: 60 }, (_, seed) => JSON.stringify(bad({ content: [words] }, 'auto', seed)).replace(/\d+/g, ''));
  expect(new Set(all).size).toBeGreaterThan(5);
});
