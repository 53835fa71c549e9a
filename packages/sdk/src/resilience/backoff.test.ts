import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.js';

test('doubles up to its limit', () => {
  const options = { firstMs: 100, factor: 2, maxMs: 1000, jitter: 0 };
  expect([0, 1, 2, 3, 4, 400].map((retry) => backoffMs(options, retry, () => 0.5))).toEqual([100, 200, 400, 800, 1000, 1000]);
});

test('jitter only ever shortens a wait, by its share at most', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.nat(20), share, share, (retry, jitter, drawn) => {
      const options = { firstMs: 50, factor: 3, maxMs: 10_000 };
      const full = backoffMs({ ...options, jitter: 0 }, retry, () => drawn);
      const waitMs = backoffMs({ ...options, jitter }, retry, () => drawn);
      expect(waitMs).toBeLessThanOrEqual(full);
      expect(waitMs).toBeGreaterThanOrEqual(full * (1 - jitter) - 1e-9);
    }),
  );
});
