/** Cluster workers, worker threads and processes: each has a controller and runs of its own, and this is how to reach all. */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const ENV = { ...process.env, CHAOS_ENABLED: 'true', NODE_ENV: 'test' };

test('under cluster an admin call reaches the one worker that takes it, and a broadcast by the primary reaches all', async () => {
  const service = fork(fileURLToPath(new URL('cluster-service.mjs', import.meta.url)), { env: ENV });
  onTestFinished(() => void service.kill());
  const [{ port }] = (await once(service, 'message')) as [{ port: number }];
  const fault = { target: 'api', config: { type: 'error', statusCode: 503 } };
  const ask = async (path: string): Promise<{ worker: number; count: number }> => {
    const init = path === '/' ? {} : { method: 'POST', body: JSON.stringify(fault) };
    return (await (await fetch(`http://127.0.0.1:${port}${path}`, init)).json()) as { worker: number; count: number };
  };
  const counts = async (): Promise<ReadonlyMap<number, number>> => {
    const seen = new Map<number, number>();
    // Workers take turns; a few more asks than there are workers, in case one was busy.
    while (seen.size < 2) {
      const { worker, count } = await ask('/');
      seen.set(worker, count);
    }
    return seen;
  };
  expect([...(await counts()).values()]).toEqual([0, 0]);
  const { worker } = await ask('/one');
  const afterOne = await counts();
  expect([...afterOne].filter(([id]) => id === worker)).toEqual([[worker, 1]]);
  expect([...afterOne].filter(([id]) => id !== worker).map(([, count]) => count)).toEqual([0]);
  await ask('/all');
  // The message is on its way through the primary; ask until it has arrived everywhere.
  await expect.poll(async () => [...(await counts()).values()].toSorted((one, other) => one - other), { timeout: 60_000 }).toEqual([1, 2]);
  const exited = once(service, 'exit');
  service.send({ stop: true });
  // Nobody is killed: the primary and its workers end by themselves.
  expect((await exited)[0]).toBe(0);
});

test('a worker thread has a controller of its own, and a BroadcastChannel reaches all of them', () => {
  expect(output('worker-threads.mjs')).toBe('in the worker before: 0\nin the worker after: 1\nin the main thread: 2');
});

test('a process with faults, waits, wrapped clients and runs ends by itself, and every patch is put back', () => {
  expect(output('ends-by-itself.mjs')).toBe('AbortError\nok\non true true');
});

/** What a program prints. It is killed, and the test fails, when it does not end by itself. */
function output(program: string): string {
  const file = fileURLToPath(new URL(program, import.meta.url));
  return execFileSync(process.execPath, [file], { env: ENV, timeout: 60_000 }).toString().trim();
}
