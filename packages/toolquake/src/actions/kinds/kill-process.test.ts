import { expect, test } from 'vitest';
import { killProcess } from './kill-process.js';

test('trips when the server is not back after five minutes', () => {
  expect(killProcess.trips).toEqual([expect.objectContaining({ signal: 'outage_seconds', above: 300 })]);
});

test('hits the whole server at the full dose, and fewer replicas below', () => {
  expect(killProcess.blast).toBe('server');
  expect(killProcess.scale({ replicas: 4 }, 0.25)).toEqual({ replicas: 1 });
});
