import { expect, test } from 'vitest';
import { restarts } from './restarts.js';

const world = (signal: AbortSignal): Parameters<typeof restarts.run>[1] & { told: unknown[] } => {
  const told: unknown[] = [];
  return { env: {}, signal, emit: (message) => void told.push(message), hostMs: () => 0, told };
};

test('an order without a manager is refused', async () => {
  for (const manager of [undefined, { kind: 'pm2', name: '--all' }]) {
    const config = manager === undefined ? {} : { manager, times: 1, gapMs: 0 };
    await expect(restarts.run(config, world(AbortSignal.timeout(5000)))).rejects.toThrow('names no process manager');
  }
});

test('a restart that fails is told, and the next one is tried', async () => {
  const seen = world(AbortSignal.timeout(5000));
  const config = { manager: { kind: 'pm2', name: 'demo' }, variables: { PM2_HOME: '/nowhere/at/all' }, times: 2, gapMs: 0 };
  await restarts.run(config, seen);
  expect(seen.told).toEqual([expect.objectContaining({ kind: 'failed' }), expect.objectContaining({ kind: 'failed' })]);
});

test('who is let go restarts nothing any more', async () => {
  const seen = world(AbortSignal.abort());
  await restarts.run({ manager: { kind: 'pm2', name: 'demo' }, times: 5, gapMs: 60_000 }, seen);
  expect(seen.told).toEqual([]);
});
