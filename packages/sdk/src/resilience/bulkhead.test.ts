import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBulkhead } from './bulkhead.js';

test('never lets more in than it has places, and lets in again whoever left', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.boolean(), { maxLength: 100 }), (maxInFlight, moves) => {
      const bulkhead = createBulkhead({ maxInFlight });
      let inside = 0;
      for (const isEntering of moves) {
        if (isEntering) {
          expect(bulkhead.enter()).toBe(inside < maxInFlight);
          inside = Math.min(maxInFlight, inside + 1);
        } else {
          bulkhead.leave();
          inside = Math.max(0, inside - 1);
        }
        expect(bulkhead.inside()).toBe(inside);
      }
    }),
  );
});
