/** A server that logs more than a pipe holds: what a client sees of it depends on whether it reads stderr. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { proxyCommand, serverCommand, start } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'toolquake-flood-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const BYTES = 300_000;
const plan = join(folder, 'plan.json');
const rules = [{ id: 'chatty', fault: 'stderr-flood', params: { bytes: BYTES }, when: { tool: 'refund' } }];
writeFileSync(plan, JSON.stringify({ version: 1, seed: 7, rules }));

const flooded = (): ReturnType<typeof start> => start(proxyCommand(serverCommand('bank'), '--plan', plan));

/** Is one of the proxy's processes stopped? Others come and go, also between two looks. */
const isStopped = (pid: number | undefined): boolean =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .some((child) => {
      try {
        return readFileSync(`/proc/${child}/stat`, 'utf8').split(') ')[1]?.[0] === 'T';
      } catch {
        return false;
      }
    });

test('a client that reads stderr gets all of it, and its answer', async () => {
  const { client, stderr, exited } = flooded();
  client.call(1, 'refund');
  expect(await client.text(1)).toBe('refund 1');
  client.end();
  expect(await exited).toEqual({ code: 0, signal: null });
  const logged = stderr.received().toString().split('toolquake: ')[0] ?? '';
  expect(logged.length).toBe(BYTES);
});

test('a client that does not read stderr waits, until it does', async () => {
  const { child, client, exited } = flooded();
  child.stderr?.pause();
  client.call(1, 'refund');
  while (!isStopped(child.pid)) await new Promise((resolve) => setImmediate(resolve));
  let isAnswered = false;
  const answer = client.text(1).then((text) => {
    isAnswered = true;
    return text;
  });
  // As far as the pipe goes, and no further: what is left keeps the server standing.
  while ((child.stderr?.readableLength ?? 0) < 16_384) await new Promise((resolve) => setImmediate(resolve));
  expect([isAnswered, isStopped(child.pid)]).toEqual([false, true]);
  child.stderr?.resume();
  expect(await answer).toBe('refund 1');
  client.end();
  expect(await exited).toEqual({ code: 0, signal: null });
});

test('a client that never reads stderr can still end its server', async () => {
  const { child, client, exited } = flooded();
  child.stderr?.pause();
  client.call(1, 'refund');
  while (!isStopped(child.pid)) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGTERM');
  child.once('exit', () => child.stderr?.resume());
  expect(await exited).toEqual({ code: null, signal: 'SIGTERM' });
});
