/** A server that does not hear that its client is gone: to the client, a process that stays. */
import { describe, expect, test } from 'vitest';
import { ignoreEof } from '@toolquake/sdk/faults';
import { createVirtualClock } from '../../packages/toolquake/src/simulator/virtual-clock.js';
import { proxied, rule, serverCommand } from './harness.js';

const lingering = (andSigterm: boolean): ReturnType<typeof rule> =>
  rule(ignoreEof, { when: { tool: ['refund'] }, params: { forMs: 30_000, andSigterm } });

async function underWay(andSigterm: boolean) {
  const clock = createVirtualClock();
  const running = await proxied(serverCommand('bank'), [lingering(andSigterm)], { clock });
  running.client.call(1, 'refund');
  expect(await running.client.text(1)).toBe('refund 1');
  return { clock, ...running };
}

/** The server still answers what is asked of it without its client's pipe. */
const isAlive = (pid: number | undefined): boolean => process.kill(pid ?? 0, 0);

describe('a server that ignores the end of its input', () => {
  test('stays for as long as it was told to, and then ends as it would have', async () => {
    const { clock, client, stdin, server, proxy, journal } = await underWay(false);
    const inputRead = new Promise((resolve) => stdin.once('end', resolve));
    client.end();
    await inputRead;
    clock.advance(29_999);
    expect([isAlive(server.child.pid), server.child.stdin?.writableEnded]).toEqual([true, false]);
    clock.advance(1);
    expect(server.child.stdin?.writableEnded).toBe(true);
    expect(await proxy.finished).toMatchObject({ code: 0, signal: null });
    expect(journal).toContainEqual(expect.objectContaining({ kind: 'fault', fault: 'ignore-eof', state: 'delivered' }));
  });

  test('goes on SIGTERM', async () => {
    const { client, proxy } = await underWay(false);
    client.end();
    proxy.signal('SIGTERM');
    expect(await proxy.finished).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  test('stays on SIGTERM too where it ignores that, and goes on SIGKILL', async () => {
    const { clock, client, server, proxy } = await underWay(true);
    client.end();
    proxy.signal('SIGTERM');
    clock.advance(29_999);
    expect(isAlive(server.child.pid)).toBe(true);
    proxy.signal('SIGKILL');
    expect(await proxy.finished).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  test('hears SIGTERM late where it ignores that', async () => {
    const { clock, proxy } = await underWay(true);
    proxy.signal('SIGTERM');
    clock.advance(30_000);
    expect(await proxy.finished).toMatchObject({ code: null, signal: 'SIGTERM' });
  });
});
