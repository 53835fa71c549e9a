/** Two runs on one server: the second one is refused, whatever it calls the server. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { binPath, createDesk } from '../cli/harness.js';
import { startSdk1 } from '../servers/http-sdk1.mjs';

const waiting = (url: string): string => `version: 1
id: quiet
question: Nothing happens when nothing is done.
target: { url: "${url}" }
environment: test
monitor: { every: 1s }
actions: [{ action: wait, for: 30s }]
rollback_on: [{ signal: outage_seconds, above: 300 }]
`;

test('a server has one experiment at a time, by whatever name and path it is reached (invariant 12)', async () => {
  const server = await startSdk1();
  onTestFinished(() => server.stop());
  const { port } = new URL(server.url);
  const names = [`http://localhost:${port}/mcp`, `http://[::1]:${port}/mcp`, `http://127.0.0.2:${port}/sse?x=1`];
  const desk = createDesk({ 'e.yaml': waiting(server.url), ...Object.fromEntries(names.map((url, at) => [`${at}.yaml`, waiting(url)])) });
  const env = { NODE_ENV: '', TOOLQUAKE_STATE_DIR: join(desk.folder, 'state') };
  const first = spawn(process.execPath, [binPath, 'run', 'e.yaml', '--yes'], {
    cwd: desk.folder,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => first.once('close', resolve));
  const locks = join(desk.folder, 'state', 'locks');
  const taken = (): readonly string[] => (existsSync(locks) ? readdirSync(locks, { recursive: true, encoding: 'utf8' }) : []);
  await vi.waitFor(() => expect(taken().filter((name) => name.endsWith('.json'))).toHaveLength(1), { timeout: 30_000 });
  for (const at of names.keys()) {
    const { code, stderr } = await desk.run(['run', `${at}.yaml`, '--yes'], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Another experiment has http://localhost')]);
  }
  first.kill('SIGTERM');
  expect(await ended).toBe(130);
});
