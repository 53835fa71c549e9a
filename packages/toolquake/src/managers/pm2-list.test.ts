import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePm2List } from './pm2-list.js';

const one = (settings: object = {}, own: object = {}): object => ({
  pid: 4711,
  name: 'demo',
  monit: { memory: 1, cpu: 0 },
  pm2_env: { pm_id: 0, status: 'online', autorestart: true, restart_time: 2, unstable_restarts: 1, TOKEN: 'secret', ...settings },
  ...own,
});

describe('the list of PM2', () => {
  test('is read with what PM2 takes where nothing is set', () => {
    expect(parsePm2List(JSON.stringify([one()]))).toEqual([
      {
        id: 0,
        name: 'demo',
        pid: 4711,
        status: 'online',
        isRestarted: true,
        restarts: 2,
        unstableRestarts: 1,
        maxRestarts: 16,
        minUptimeMs: 1000,
        stopExitCodes: [],
      },
    ]);
  });

  test('has no process of a server that PM2 will start again later, though PM2 still tells the one that ended', () => {
    expect(parsePm2List(JSON.stringify([one({ status: 'waiting restart' })]))).toMatchObject([{ pid: 0, status: 'waiting restart' }]);
  });

  test.each([
    [
      'notices before it',
      `\n>>>> In-memory PM2 is out-of-date, do:\n>>>> $ pm2 update\n[PM2] Spawning PM2 daemon\n${JSON.stringify([one()])}`,
    ],
    ['a colour code before it on its line', `\u001b[39m${JSON.stringify([one()])}\n`],
    ['a notice after it', `${JSON.stringify([one()])}\n[PM2][WARN] something\n`],
    ['a notice with brackets after it', `${JSON.stringify([one()])}\n[{not json\n`],
  ])('is found with %s', (_, output) => {
    expect(parsePm2List(output)).toHaveLength(1);
  });

  test('may be empty, which is not the same as missing', () => {
    expect(parsePm2List('[]\n')).toEqual([]);
    expect(parsePm2List('')).toBeUndefined();
    expect(parsePm2List('[PM2] Spawning PM2 daemon with pm2_home=/root/.pm2')).toBeUndefined();
  });

  test('holds nothing of the environment of a server', () => {
    expect(JSON.stringify(parsePm2List(JSON.stringify([one()])))).not.toContain('secret');
  });

  test('leaves out what is no process, and keeps nothing that is no number', () => {
    const hostile = [
      one({ pm_id: 'x' }),
      null,
      7,
      'x',
      {},
      one({ pm_id: '0; rm -rf /' }),
      one({}, { name: 7 }),
      one({}, { pid: -1 }),
      one({ status: '--kill' }),
    ];
    expect(parsePm2List(JSON.stringify(hostile))?.map(({ pid, status }) => [pid, status])).toEqual([
      [0, 'online'],
      [4711, 'unknown'],
    ]);
  });

  test('never throws, whatever stands there', () => {
    fc.assert(fc.property(fc.string(), (text) => void parsePm2List(text)));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const process of parsePm2List(JSON.stringify([{ pm2_env: value }, value])) ?? [])
          expect(Number.isSafeInteger(process.id)).toBe(true);
      }),
    );
  });
});
