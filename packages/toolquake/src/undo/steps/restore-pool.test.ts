import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { closedPort } from '../fixtures/closed-port.js';
import { restorePool } from './restore-pool.js';

const world = () => ({ env: { T: 's3cret' }, signal: AbortSignal.timeout(5000) });

/** A service that says this of its pools. */
async function saying(pools: unknown): Promise<Record<string, unknown>> {
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ pools })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    adminUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokenVariable: 'T',
    pool: 'orders',
    shrink: 'run-1',
    max: 10,
  };
}

test.each<[string, unknown, string]>([
  ['the maximum is back', [{ name: 'orders', max: 10, shrinks: [] }], 'undone'],
  ['its owner made it larger meanwhile', [{ name: 'orders', max: 20, shrinks: [] }], 'undone'],
  ['another shrink still holds, which has an undo of its own', [{ name: 'orders', max: 5, shrinks: [{ id: 'run-2' }] }], 'undone'],
  ['ours still holds', [{ name: 'orders', max: 3, shrinks: [{ id: 'run-1' }] }], 'not-undone'],
  ['nobody shrinks it, and it is small all the same', [{ name: 'orders', max: 3, shrinks: [] }], 'not-undone'],
  ['there is no such pool any more', [], 'gone'],
])('%s: %j is %s', async (_, pools, is) => {
  expect(await restorePool.verify((await saying(pools)) as never, world())).toMatchObject({ is });
});

test('where nobody listens any more, the pool is gone', async () => {
  const data = { adminUrl: `http://127.0.0.1:${await closedPort()}`, tokenVariable: 'T', pool: 'orders', shrink: 'run-1', max: 10 };
  await restorePool.undo(data, world());
  expect(await restorePool.verify(data, world())).toMatchObject({ is: 'gone' });
});
