import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.js';
import { parseRetryAfter, watchRetryAfter } from './retry-after.js';

test.each([
  ['3', undefined, 3000],
  [' 0 ', undefined, 0],
  ['999999999999999999999', undefined, 86_400_000],
  ['Wed, 18 Nov 2026 10:00:05 GMT', 'Wed, 18 Nov 2026 10:00:00 GMT', 5000],
  ['Wed, 18 Nov 2026 09:00:00 GMT', 'Wed, 18 Nov 2026 10:00:00 GMT', 0],
  ['Wed, 18 Nov 2026 10:00:05 GMT', undefined, undefined],
  ['-3', undefined, undefined],
  ['1.5', undefined, undefined],
  ['soon', 'Wed, 18 Nov 2026 10:00:00 GMT', undefined],
  ['', undefined, undefined],
])('%j beside %j asks for %j ms', (value, date, expected) => {
  expect(parseRetryAfter(value, date)).toBe(expected);
});

test('any header gives a wait within a day, or none', () => {
  fc.assert(
    fc.property(fc.string(), fc.option(fc.string()), (value, date) => {
      const waitMs = parseRetryAfter(value, date);
      if (waitMs !== undefined) expect(waitMs >= 0 && waitMs <= 86_400_000).toBe(true);
    }),
  );
});

test('remembers the longest wait until it is over, and leaves responses alone', async () => {
  const clock = createManualClock();
  const responses = [
    new Response('', { status: 429, headers: { 'retry-after': '5' } }),
    new Response('', { status: 503, headers: { 'retry-after': '2' } }),
    new Response('fine', { headers: { 'retry-after': '60' } }),
  ];
  const given = [...responses];
  const watch = watchRetryAfter((_url: string) => Promise.resolve(given.shift()!), { clock });
  expect(watch.leftMs()).toBe(0);
  for (const response of responses) expect(await watch.fetch('http://x')).toBe(response);
  expect(watch.leftMs()).toBe(5000);
  clock.advance(4000);
  expect(watch.leftMs()).toBe(1000);
  clock.advance(4000);
  expect(watch.leftMs()).toBe(0);
});
