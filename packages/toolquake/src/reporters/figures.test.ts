import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counted, figure, nullsFor, percent, range, share, table } from './figures.js';

test('a share that is not quite 0 or 1 never reads as 0 or 1', () => {
  expect([0, 0.0001, 0.004999, 0.005, 0.12, 0.994, 0.995, 0.9999, 1, undefined].map(share)).toEqual([
    '0.00',
    '<0.01',
    '<0.01',
    '0.01',
    '0.12',
    '0.99',
    '>0.99',
    '>0.99',
    '1.00',
    'n/a',
  ]);
  fc.assert(
    fc.property(fc.double({ min: Number.MIN_VALUE, max: 1 - Number.EPSILON, noNaN: true }), (value) => {
      expect(['0.00', '1.00']).not.toContain(share(value));
    }),
  );
});

test('percentages have the digits that they need', () => {
  expect([0.02, 0.0025, 0.01625, 1, 0, undefined].map(percent)).toEqual(['2 %', '0.25 %', '1.6 %', '100 %', '0 %', 'n/a']);
  expect([0.994, 0.996, 0.99999].map(percent), 'not quite all').toEqual(['99 %', '>99 %', '>99 %']);
});

test('what is unknown is n/a in text and null in JSON', () => {
  expect([figure(undefined, 2), figure(8, 1), range(undefined), range({ low: 0.1, high: 0.2 })]).toEqual([
    'n/a',
    '8.0',
    '',
    '(0.10 to 0.20)',
  ]);
  expect(nullsFor({ known: 1, unknown: undefined })).toEqual({ known: 1, unknown: null });
});

test('nouns follow their number', () => {
  expect([counted(1, 'task'), counted(2, 'task'), counted(0, 'call')]).toEqual(['1 task', '2 tasks', '0 calls']);
});

test('columns align whatever is painted, and no line ends in spaces', () => {
  const paint = (text: string): string => `<${text}>`;
  const rows = [
    ['', 'a', { text: 'words', paint }],
    ['first', '10', 'x'],
    ['second', { text: '9', paint }, ''],
  ];
  expect(table(rows, { indent: 1, left: [2] })).toBe('           a   <words>\n first    10   x\n second   < 9>\n');
});
