import { expect, test } from 'vitest';
import { changeProse, proseOf } from './prose.js';

const words = { type: 'text', text: '[WARN] disk almost full' };
const data = { type: 'text', text: '{"free":3}' };
const image = { type: 'image', data: '', mimeType: 'image/png' };

test('words are texts that hold no JSON, even when they look like it', () => {
  expect(proseOf({ content: [data, words, image, null, { type: 'text', text: 7 }] })).toEqual([words]);
});

test('changes words and nothing else, and never in place', () => {
  const result = { content: [data, words, image], structuredContent: { free: 3 } };
  const changed = changeProse(result, ({ text }) => text.toUpperCase());
  expect(changed).toEqual({ ...result, content: [data, { type: 'text', text: '[WARN] DISK ALMOST FULL' }, image] });
  expect(words.text).toBe('[WARN] disk almost full');
});

test.each([{}, { content: 'none' }, { content: null }])('a result without blocks has no words: %j', (result) => {
  expect(proseOf(result)).toEqual([]);
  expect(changeProse(result, () => 'other')).toBe(result);
});
