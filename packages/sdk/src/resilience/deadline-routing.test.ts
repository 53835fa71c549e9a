import { expect, test } from 'vitest';
import { createDeadlineRouting } from './deadline-routing.js';

test('makes every call until it knows better', () => {
  const routing = createDeadlineRouting({ minCalls: 4 });
  for (let call = 0; call < 3; call++) routing.record(10_000);
  expect([routing.estimateMs(), routing.isWorthCalling(1)]).toEqual([undefined, true]);
});

test('does not make a call that will not be back in time, except for a probe now and then', () => {
  const routing = createDeadlineRouting({ probeInterval: 5 });
  for (let call = 0; call < 50; call++) routing.record(4000);
  expect(routing.isWorthCalling(5000)).toBe(true);
  const asked = Array.from({ length: 10 }, () => routing.isWorthCalling(1000));
  expect(asked.filter(Boolean)).toHaveLength(2);
});

test('calls again once the tool is fast again', () => {
  const routing = createDeadlineRouting();
  for (let call = 0; call < 50; call++) routing.record(4000);
  for (let call = 0; call < 100; call++) routing.record(50);
  expect(routing.isWorthCalling(500)).toBe(true);
});

test('a spread of latencies raises the estimate above the mean', () => {
  const routing = createDeadlineRouting();
  for (let call = 0; call < 200; call++) routing.record(call % 2 === 0 ? 100 : 300);
  expect(routing.estimateMs()).toBeGreaterThan(300);
  routing.record(Number.NaN);
  expect(routing.estimateMs()).toBeGreaterThan(300);
});
