import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVirtualClock } from './virtual-clock.js';

test('lets events happen in the order of their time, and of their scheduling when the time is the same', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 }), (waits) => {
      const clock = createVirtualClock();
      const happened: { wait: number; index: number; atMs: number }[] = [];
      for (const [index, wait] of waits.entries()) clock.schedule(wait, () => happened.push({ wait, index, atMs: clock.nowMs() }));
      expect(clock.run()).toBe(waits.length);
      const expected = waits.map((wait, index) => ({ wait, index, atMs: wait })).sort((a, b) => a.wait - b.wait || a.index - b.index);
      expect(happened).toEqual(expected);
    }),
  );
});

test('never moves backwards, also when events schedule more events', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: -5, max: 9 }), fc.integer({ min: -5, max: 9 })), { maxLength: 60 }), (pairs) => {
      const clock = createVirtualClock();
      const seen: number[] = [];
      for (const [first, second] of pairs) {
        clock.enqueue(first, () => {
          seen.push(clock.nowMs());
          clock.enqueue(second, () => seen.push(clock.nowMs()));
        });
      }
      clock.run();
      expect(seen).toHaveLength(2 * pairs.length);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    }),
  );
});

test('a cancelled event neither happens nor moves the time, and cancelling twice is fine', () => {
  const clock = createVirtualClock();
  const cancel = clock.schedule(50, () => expect.unreachable());
  clock.schedule(10, () => undefined);
  cancel();
  cancel();
  expect(clock.run()).toBe(1);
  expect(clock.nowMs()).toBe(10);
});

test('advances by exactly what it is told, and only lets happen what is due', () => {
  const clock = createVirtualClock();
  const seen: string[] = [];
  clock.schedule(5, () => seen.push('due'));
  clock.schedule(5, () => seen.push('cancelled'))();
  clock.schedule(8, () => seen.push('later'));
  clock.advance(7);
  expect([clock.nowMs(), seen, clock.pending()]).toEqual([7, ['due'], 1]);
  clock.advance(1);
  expect(seen).toEqual(['due', 'later']);
});

test('stops after the number of events it was allowed, and goes on from there', () => {
  const clock = createVirtualClock();
  for (let n = 0; n < 5; n++) clock.enqueue(n, () => undefined);
  expect([clock.run(3), clock.run(3), clock.run(3)]).toEqual([3, 2, 0]);
  expect(clock.step()).toBe(false);
});

test('events of lanes happen exactly when and in the order that they would without', () => {
  const moves = fc.array(fc.tuple(fc.constantFrom(0, 3, 7, 20), fc.integer({ min: 0, max: 5 }), fc.boolean()), { maxLength: 100 });
  fc.assert(
    fc.property(moves, (steps) => {
      const happened = (usesLanes: boolean): readonly string[] => {
        const clock = createVirtualClock();
        const seen: string[] = [];
        const note = (index: number): void => void seen.push(`${index} at ${clock.nowMs()}`);
        const lanes = new Map([0, 3, 7, 20].map((ms) => [ms, clock.lane<number, undefined>(ms, note)]));
        for (const [index, [ms, gap, isPlain]] of steps.entries()) {
          if (usesLanes && !isPlain) lanes.get(ms)!(index, undefined);
          else clock.deliver(ms, note, index, undefined);
          clock.advance(gap);
        }
        clock.run();
        return seen;
      };
      expect(happened(true)).toEqual(happened(false));
    }),
  );
});

test('a lane forgets what need not happen any more, and nothing else', () => {
  const clock = createVirtualClock();
  const happened: number[] = [];
  const items = Array.from({ length: 20_000 }, (_, number) => ({ number, isOver: false }));
  const later = clock.lane(
    1_000_000,
    ({ number, isOver }: { number: number; isOver: boolean }) => void (isOver || happened.push(number)),
    ({ isOver }) => isOver,
  );
  for (const item of items) {
    later(item, undefined);
    item.isOver = item.number % 1000 !== 0;
    clock.advance(1);
  }
  expect(clock.run()).toBeLessThan(9000);
  expect(happened).toEqual(Array.from({ length: 20 }, (_, index) => 1000 * index));
});
