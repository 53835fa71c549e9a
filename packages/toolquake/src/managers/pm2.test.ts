import { expect, test } from 'vitest';
import type { Pm2Process } from './pm2-list.js';
import { openPm2, pm2Home, pm2Policy } from './pm2.js';

const online: Pm2Process = {
  id: 3,
  name: 'demo',
  pid: 4711,
  status: 'online',
  isRestarted: true,
  restarts: 0,
  unstableRestarts: 0,
  maxRestarts: 16,
  minUptimeMs: 1000,
  stopExitCodes: [],
};

test('a process of PM2 is restarted unless its settings say otherwise', () => {
  expect(pm2Policy([online])).toEqual({ restarts: true, why: 'PM2 restarts it, and gives up after 16 ends within 1000 ms' });
});

test.each([
  ['no process of this name', []],
  ['is stopped, not online', [online, { ...online, status: 'stopped' }]],
  ['autorestart is false', [{ ...online, isRestarted: false }]],
  ['stop_exit_codes', [{ ...online, stopExitCodes: [0] }]],
  ['gives up at 3', [{ ...online, unstableRestarts: 2, maxRestarts: 3 }]],
])('a kill is refused where %s', (why, found) => {
  expect(pm2Policy(found)).toMatchObject({ restarts: false, why: expect.stringContaining(why) as string });
});

test('the folder of PM2 is PM2_HOME, else .pm2 at home', () => {
  expect(pm2Home({ PM2_HOME: '/srv/pm2', HOME: '/root' })).toBe('/srv/pm2');
  expect(pm2Home({ HOME: '/home/x' })).toBe('/home/x/.pm2');
});

test('with its folder, all that PM2 ran is gone', async () => {
  const manager = openPm2('demo', { env: { PM2_HOME: '/nowhere/at/all' }, signal: AbortSignal.timeout(5000) });
  expect(await manager.look()).toMatchObject({ processes: [], expected: 0 });
});
