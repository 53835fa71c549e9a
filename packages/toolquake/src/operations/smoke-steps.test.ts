import { createManualClock } from '@toolquake/sdk/testing';
import { ToolquakeError } from '@toolquake/sdk/core';
import { expect, test } from 'vitest';
import { TargetFailure } from '../core/connection.js';
import { passed } from '../gates/smoke/outcome.js';
import { SMOKE_BUDGETS_MS, type SmokeOutcome } from '../gates/smoke/smoke-report.js';
import { createStepRunner } from './smoke-steps.js';
import { ManifestRefusal } from './take-manifest.js';

/** Work that ends only when it is told to, as everything that waits must. */
const untilStopped = (signal: AbortSignal): Promise<SmokeOutcome> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

function runner(signal?: AbortSignal) {
  const clock = createManualClock();
  return { clock, ...createStepRunner({ clock, signal, budgets: SMOKE_BUDGETS_MS, startMs: 0 }) };
}

test('a step that takes too long is stopped at its budget, and named', async () => {
  const { clock, run, steps } = runner();
  const running = run('calls', 0, untilStopped);
  clock.advance(10_000);
  await running;
  expect(steps).toMatchObject([{ step: 'calls', reason: 'canary_timeout', detail: 'not done within 10000 ms', durationMs: 10_000 }]);
});

test('what a step has used before counts, and so does the whole pass', async () => {
  const { clock, run, steps } = runner();
  const hello = run('hello', 4000, untilStopped);
  clock.advance(1000);
  await hello;
  expect(steps[0]).toMatchObject({ reason: 'initialize_timeout', durationMs: 5000 });
  clock.advance(20_000);
  const calls = run('calls', 0, untilStopped);
  clock.advance(4000);
  await calls;
  expect(steps[1]).toMatchObject({ reason: 'deploy_too_slow', detail: 'the whole pass took longer than its 25000 ms', durationMs: 4000 });
});

test('an unhealthy server is a result, whichever way it is told; a defect of ours is none', async () => {
  const { run, steps } = runner();
  const failure = new TargetFailure({ reason: 'http_server_error', step: 'list', detail: 'HTTP status 500' });
  const wrapped = new ToolquakeError('UPSTREAM_UNREACHABLE', { message: 'no manifest', cause: failure });
  await run('hello', 0, () => Promise.reject(failure));
  await run('manifest', 0, () => Promise.reject(wrapped));
  await run('calls', 0, () => Promise.reject(new ManifestRefusal('tools_empty', 'nothing is listed', 'Look.')));
  expect(steps.map(({ reason, state }) => `${reason} ${state}`)).toEqual([
    'http_server_error failed',
    'http_server_error failed',
    'tools_empty failed',
  ]);
  await expect(run('auth', 0, () => Promise.reject(new TypeError('ours')))).rejects.toThrow('ours');
});

test('an interruption waits until the work has stopped', async () => {
  const controller = new AbortController();
  const { run, steps } = runner(controller.signal);
  let hasStopped = false;
  const running = run('hello', 0, async (signal) => {
    try {
      return await untilStopped(signal);
    } finally {
      await Promise.resolve();
      hasStopped = true;
    }
  });
  controller.abort(new Error('Ctrl-C'));
  await expect(running).rejects.toThrow('Ctrl-C');
  expect(hasStopped).toBe(true);
  expect(steps).toEqual([]);
  await expect(run('calls', 0, () => Promise.resolve(passed('late')))).rejects.toThrow('Ctrl-C');
});
