/** A run that is killed with its rules in place: its warden takes them back, and the rules of others are as they were. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { findLeftovers } from '../../../packages/toolquake/src/undo/leftovers.js';
import type { RunnerOrder } from './driver/runner.js';
import { WORKER } from './action-world.js';
import { makePlace } from './place.js';

const WARDEN = fileURLToPath(new URL('../../../packages/toolquake/dist/warden.js', import.meta.url));
let driver: string;

// Real processes need real programs, and Node 20 reads no TypeScript.
beforeAll(async () => {
  const input = { runner: fileURLToPath(new URL('driver/runner.ts', import.meta.url)) };
  const build = await rolldown({ input, platform: 'node', logLevel: 'silent' });
  driver = mkdtempSync(join(tmpdir(), 'toolquake-driver-'));
  await build.write({ dir: driver, format: 'esm', entryFileNames: '[name].js' });
  await build.close();
});
afterAll(() => rmSync(driver, { recursive: true, force: true }));

test.each([
  ['block-dependency', { how: 'reset', via: 'nft' }],
  ['block-dependency', { how: 'drop', via: 'iptables' }],
  ['slow-dependency', { delayMs: 200, via: 'redirect' }],
])('%s %j is taken back by the warden when the run is killed', async (action, special) => {
  const place = await makePlace();
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-killed-'));
  onTestFinished(async () => {
    await place.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  await place.inside('iptables', '-w', '-A', 'OUTPUT', '-d', '10.9.8.7', '-p', 'tcp', '-j', 'DROP');
  await place.inside('nft', 'add', 'table', 'inet', 'theirs');
  const before = await place.rules();
  const pids = await place.pids();
  const env = { ...process.env, TOOLQUAKE_STATE_DIR: join(folder, 'state') };
  const params = { host: '127.0.0.1', port: place.port, namespace: place.name, ...special };
  const order: RunnerOrder = { action, params, runDirectory: join(folder, 'run'), worker: WORKER, warden: WARDEN };
  const runner = spawn(process.execPath, [join(driver, 'runner.js'), JSON.stringify(order)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => runner.once('exit', resolve));
  const line = await new Promise<string>((resolve) =>
    createInterface({ input: runner.stdout })
      .once('line', resolve)
      .once('close', () => resolve('{}')),
  );
  expect(JSON.parse(line)).toMatchObject({ isInEffect: true });
  expect(await place.rules()).not.toBe(before);

  runner.kill('SIGKILL');
  await ended;
  await vi.waitFor(() => expect(findLeftovers(env)).toEqual([]), { timeout: 20_000, interval: 50 });
  expect(await place.rules()).toBe(before);
  await vi.waitFor(async () => expect(await place.pids(), 'no relay is left').toEqual(pids), { timeout: 10_000, interval: 50 });
});
