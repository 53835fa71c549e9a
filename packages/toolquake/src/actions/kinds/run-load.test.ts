import { expect, test } from 'vitest';
import { actionWorld, configured } from '../fixtures/action-world.js';
import { runLoad } from './run-load.js';

test('a lower stage has fewer callers and a lower rate, and at least one of each', () => {
  expect(runLoad.scale({ tool: 'x', perSecond: 100, clients: 8 }, 0.25)).toMatchObject({ perSecond: 25, clients: 2 });
  expect(runLoad.scale({ tool: 'x', perSecond: 1 }, 0.1)).toMatchObject({ perSecond: 1, clients: 1 });
});

test('over stdio it says that every caller has a server of its own', async () => {
  const upstream = configured({ kind: 'command', name: 'shop', command: ['node', 'server.mjs'] });
  expect(await runLoad.feasibility({}, actionWorld({ upstream }))).toMatchObject({ how: /server process of its own/ });
});

test('who ended before it began is an error, and nothing is left to undo', async () => {
  const stopped: string[] = [];
  const startWorker = async () => ({
    pid: 0,
    go: () => {},
    onMessage: () => {},
    ended: Promise.resolve({ code: 1, signal: null }),
    stop: async () => void stopped.push('stopped'),
  });
  await expect(runLoad.prepare({ tool: 'x', perSecond: 1 }, actionWorld({ startWorker }))).rejects.toThrow(/ended before it began/);
  expect(stopped).toEqual(['stopped']);
});
