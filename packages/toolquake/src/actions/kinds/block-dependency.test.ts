import { expect, test } from 'vitest';
import { blockDependency } from './block-dependency.js';

const world = { env: {}, signal: new AbortController().signal, manager: undefined, front: undefined, upstream: undefined as never };

test('trips when the probe of the protocol fails: the process crashed', () => {
  expect(blockDependency.trips).toMatchObject([{ signal: 'protocol_failures', above: 0 }]);
});

test('blocks as much in every stage: a dependency is there or not', () => {
  const params = { host: '127.0.0.1', port: 5432, namespace: 'shop' };
  expect(blockDependency.scale(params, 0.1)).toEqual(params);
});

test.each(['drop', 'unreachable'])('refuses how: %s in a relay, where open connections would not stall', async (how) => {
  const params = { host: '127.0.0.1', port: 6380, via: 'relay', admin: 'http://127.0.0.1:9901', how };
  await expect(blockDependency.feasibility(params, world)).rejects.toThrow('a relay can only reset');
});

test('says that a relay needs its token', async () => {
  const params = { host: '127.0.0.1', port: 6380, via: 'relay', admin: 'http://127.0.0.1:9901' };
  expect(await blockDependency.feasibility(params, world)).toMatchObject({
    isFeasible: false,
    act: expect.stringContaining('TOOLQUAKE_ADMIN_TOKEN') as string,
  });
});
