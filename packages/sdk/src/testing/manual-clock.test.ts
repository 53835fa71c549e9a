import { expect, test } from 'vitest';
import { createManualClock } from './manual-clock.js';

test('runs what falls due in order of time, then of scheduling', () => {
  const clock = createManualClock();
  const ran: string[] = [];
  clock.schedule(20, () => ran.push(`late at ${clock.nowMs()}`));
  clock.schedule(10, () => ran.push(`first at ${clock.nowMs()}`));
  clock.schedule(10, () => ran.push(`second at ${clock.nowMs()}`));
  clock.advance(15);
  expect(ran).toEqual(['first at 10', 'second at 10']);
  expect([clock.nowMs(), clock.waiting]).toEqual([15, 1]);
});

test('runs what is scheduled on the way, and never what was cancelled', () => {
  const clock = createManualClock();
  const ran: number[] = [];
  const cancel = clock.schedule(5, () => ran.push(-1));
  clock.schedule(1, () => {
    cancel();
    clock.schedule(2, () => ran.push(clock.nowMs()));
  });
  clock.advance(10);
  cancel();
  expect(ran).toEqual([3]);
});
