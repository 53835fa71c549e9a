import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { openProcess } from './process-figures.js';

test('reads this process', () => {
  const port = openProcess()!;
  const figures = port.read();
  expect(figures.heapLimitBytes).toBeGreaterThan(figures.heapUsedBytes);
  expect(figures.rssBytes).toBeGreaterThan(1e6);
  expect(figures.eventLoopUtilization).toBeGreaterThanOrEqual(0);
  port.stop();
});

test('sees the heap after a major collection, and not before one', async () => {
  const port = openProcess()!;
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  await vi.waitFor(() => expect(port.read().heapAfterGcBytes).toBeGreaterThan(0));
  port.stop();
});

test('a blocked event loop is late by about as long as it was blocked, for the minute in which it was', async () => {
  const port = openProcess()!;
  const lateSeconds = (): number | undefined => port.read().eventLoopDelayP99Seconds;
  await vi.waitFor(() => expect(lateSeconds()).toBeDefined());
  const until = performance.now() + 300;
  while (performance.now() < until);
  await vi.waitFor(() => expect(lateSeconds()).toBeGreaterThan(0.2));
  port.nextMinute();
  expect(lateSeconds()).toBeGreaterThan(0.2);
  port.stop();
});

test("a process that is not Node's says nothing", () => {
  expect(openProcess({ memoryUsage: { rss: () => 1 } })).toBeUndefined();
});
