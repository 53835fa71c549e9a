import { expect, test } from 'vitest';
import { hostMs } from '../host-clock.js';
import { load } from './load.js';

const spec = { tool: 'x', arguments: {}, clients: 2, perSecond: 100, timeoutMs: 200, retries: 0, retryDelayMs: 1 };

test('a server that is not there is a result: every call of the schedule is broken, and it ends when it is told to', async () => {
  const said: Record<string, unknown>[] = [];
  const controller = new AbortController();
  const target = { kind: 'command', name: 'nobody', command: ['/nowhere/server'] };
  const emit = (message: Record<string, unknown>): void => {
    said.push(message);
    if (said.length > 20) controller.abort();
  };
  await load.run({ load: spec, target, startedAtHostMs: hostMs() }, { env: {}, signal: controller.signal, emit, hostMs });
  const calls = said.filter((one) => 'key' in one);
  // No request went out, so no proxy on the way can have seen one.
  expect(new Set(calls.map(({ key }) => key))).toEqual(new Set(['']));
  expect(calls[0]).toMatchObject({
    kind: 'sample',
    key: /^[0-9a-f]{32}$/,
    sample: { source: 'call', tool: 'x', end: 'broken', lane: 'control' },
  });
  expect(said.findLast(({ kind }) => kind === 'load')).toMatchObject({
    arrivals: expect.any(Number),
    missed: expect.any(Number),
    calls: calls.length,
  });
});

test('it does nothing for a run that is over already', async () => {
  const said: unknown[] = [];
  const target = { kind: 'command', name: 'nobody', command: ['/nowhere/server'] };
  const config = { load: spec, target, startedAtHostMs: hostMs() };
  await load.run(config, { env: {}, signal: AbortSignal.abort(), emit: (message) => said.push(message), hostMs });
  expect(said).toMatchObject([{ kind: 'load', arrivals: 0, calls: 0 }]);
});
