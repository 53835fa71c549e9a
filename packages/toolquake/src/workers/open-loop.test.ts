import { createManualClock } from '@toolquake/sdk/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createShortageNotes, runOpenLoop } from './open-loop.js';

function paced(perSecond: number): { clock: ReturnType<typeof createManualClock>; arrivals: number[]; stop: () => Promise<void> } {
  const clock = createManualClock();
  const controller = new AbortController();
  const arrivals: number[] = [];
  const over = runOpenLoop({ clock, perSecond, signal: controller.signal, onArrival: () => arrivals.push(clock.nowMs()) });
  return {
    clock,
    arrivals,
    stop: () => {
      controller.abort();
      return over;
    },
  };
}

test('as many arrive as were asked for, however the time is cut', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 20 }), (perSecond, steps) => {
      const { clock, arrivals } = paced(perSecond);
      for (const ms of steps) clock.advance(ms);
      const due = Math.floor((clock.nowMs() * perSecond) / 1000) + 1;
      expect(Math.abs(arrivals.length - due)).toBeLessThanOrEqual(1);
    }),
  );
});

test('a long sleep of this machine is not made up for in one blow', () => {
  let nowMs = 0;
  let turn = (): void => {};
  const clock = { nowMs: () => nowMs, schedule: (_: number, action: () => void) => ((turn = action), () => {}) };
  let arrivals = 0;
  void runOpenLoop({ clock, perSecond: 100, signal: new AbortController().signal, onArrival: () => arrivals++ });
  nowMs = 3_600_000;
  turn();
  expect(arrivals).toBeLessThanOrEqual(1002);
});

test('it ends when it is told to, and leaves nothing scheduled', async () => {
  const { clock, arrivals, stop } = paced(10);
  clock.advance(250);
  await stop();
  clock.advance(1000);
  expect([arrivals, clock.waiting]).toEqual([[0, 100, 200], 0]);
});

test('a shortage of callers is told when it begins and when it is over, and not in between', () => {
  const told: string[] = [];
  const notes = createShortageNotes((text) => told.push(text));
  for (const [second, missed] of [0, 0, 5, 12, 30, 30, 30, 31].entries()) notes.look(missed, second * 1000);
  expect(told).toEqual([
    expect.stringContaining('no free caller, and are counted'),
    '30 arrivals found no free caller in 3 s.',
    expect.stringContaining('no free caller, and are counted'),
  ]);
});
