import { expect, test } from 'vitest';
import { bar, sparkline } from './sparks.js';

test('a bar is as long as its share, and what is not quite nothing shows', () => {
  expect([0, 0.0001, 0.5, 1, 2, undefined].map((share) => bar(share, 4))).toEqual(['    ', '▏   ', '██  ', '████', '████', '    ']);
});

test('a sparkline shows the worst of what it joins', () => {
  expect(sparkline([0, 1, 2, 4, 8])).toBe('▁▁▂▄█');
  expect(sparkline([])).toBe('');
  expect(sparkline([0, 0])).toBe('▁▁');
  expect(sparkline(Array.from({ length: 1000 }, (_, index) => (index === 500 ? 9 : 0)))).toContain('█');
});
