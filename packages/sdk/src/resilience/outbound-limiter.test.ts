import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutboundLimiter, type LimiterAnswer } from './outbound-limiter.js';

/** Calls per second for so many seconds, evenly; how many got through in each second. */
function throughput(limiter: { take(nowMs: number): LimiterAnswer }, perSecond: number, seconds: number, fromMs = 0): readonly number[] {
  return Array.from({ length: seconds }, (_, second) => {
    let went = 0;
    for (let call = 0; call < perSecond; call++) {
      if (limiter.take(fromMs + second * 1000 + (call * 1000) / perSecond) === 'go') went++;
    }
    return went;
  });
}

test('lets everything through below its limit, and never more than its limit in any second', () => {
  expect(throughput(createOutboundLimiter({ perSecond: 100 }), 90, 5)).toEqual([90, 90, 90, 90, 90]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (gaps, perSecond) => {
      const limiter = createOutboundLimiter({ perSecond });
      const went: number[] = [];
      let nowMs = 0;
      for (const gap of gaps) {
        nowMs += gap;
        if (limiter.take(nowMs) === 'go') went.push(nowMs);
      }
      // A slice of the window may be forgotten up to 50 ms early.
      for (const at of went) expect(went.filter((other) => other > at - 950 && other <= at).length).toBeLessThanOrEqual(perSecond);
    }),
  );
});

test('a limiter that counts what it refuses lets nothing through while too much is asked for', () => {
  expect(throughput(createOutboundLimiter({ perSecond: 100 }), 300, 4).at(-1)).toBeGreaterThan(80);
  const trap = createOutboundLimiter({ perSecond: 100, countsRefused: true });
  expect(throughput(trap, 300, 4)).toEqual([100, 0, 0, 0]);
  expect(throughput(trap, 90, 3, 4000).at(-1), 'it recovers only when less is asked for').toBe(90);
});

test('as a breaker it stops for a while, then lets normal traffic through again', () => {
  const breaker = createOutboundLimiter({ perSecond: 100, mode: 'breaker', openMs: 3000 });
  const first = throughput(breaker, 300, 1);
  expect(first).toEqual([100]);
  expect(breaker.isOpen(1000)).toBe(true);
  expect(breaker.take(1000)).toBe('open');
  expect(breaker.isOpen(3400)).toBe(false);
  expect(throughput(breaker, 90, 2, 3400)).toEqual([90, 90]);
});
