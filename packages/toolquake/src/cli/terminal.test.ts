import { expect, test } from 'vitest';
import { coloursFor, displayWidth, padEnd, renderTable, wrap } from './terminal.js';

test.each([
  ['abc', 3],
  ['\u001b[31mred\u001b[39m', 3],
  ['日本', 4],
  ['e\u0301', 1],
  ['👩‍👩‍👧', 2],
  ['naïve', 5],
  ['한글', 4],
  ['', 0],
])('%j takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('tables stay aligned with wide characters and colours, and wrap their last column', () => {
  const table = renderTable(
    [
      ['日本', 'one', 'a long text that does not fit on one line'],
      ['\u001b[1mab\u001b[22m', 'three', 'short'],
    ],
    { width: 40, indent: 2 },
  );
  expect(table.replaceAll('\u001b[1m', '').replaceAll('\u001b[22m', '').split('\n')).toEqual([
    '  日本  one    a long text that does not',
    '               fit on one line',
    '  ab    three  short',
    '',
  ]);
});

test('wrap keeps long words whole', () => {
  expect(wrap('see https://example.com/a/very/long/address now', 10)).toEqual(['see', 'https://example.com/a/very/long/address', 'now']);
  expect(padEnd('日', 4)).toBe('日  ');
});

test('NO_COLOR wins over everything, then FORCE_COLOR, then the terminal', () => {
  const isColoured = (isTTY: boolean, env: Record<string, string>): boolean => coloursFor({ isTTY }, env).isColorSupported;
  expect(isColoured(true, {})).toBe(true);
  expect(isColoured(false, {})).toBe(false);
  expect(isColoured(true, { NO_COLOR: '1', FORCE_COLOR: '1' })).toBe(false);
  expect(isColoured(true, { NO_COLOR: '' })).toBe(true);
  expect(isColoured(false, { FORCE_COLOR: '1' })).toBe(true);
  expect(isColoured(true, { FORCE_COLOR: '0' })).toBe(false);
  expect(isColoured(true, { TERM: 'dumb' })).toBe(false);
});
