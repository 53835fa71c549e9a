import { expect, onTestFinished, test, vi } from 'vitest';
import { coloursFor, displayWidth, padEnd, renderTable, withProgress, wrap } from './terminal.js';

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

test('work that takes long says how far it is, on a terminal, and wipes the line when it ends or fails', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const written: string[] = [];
  // All that a progress line needs of a terminal.
  const stderr = { isTTY: true, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream;
  const running = withProgress({ stderr, env: {} }, 'working', async (onProgress) => {
    onProgress(0.25);
    await vi.advanceTimersByTimeAsync(2000);
    onProgress(0.5);
    await vi.advanceTimersByTimeAsync(200);
    throw new Error('broke');
  });
  await expect(running).rejects.toThrow('broke');
  expect(written).toEqual(['\r\u001b[Kworking ... 25 %', '\r\u001b[Kworking ... 50 %', '\r\u001b[K']);
});
