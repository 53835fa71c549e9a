/** Pools of a service under the admin routes: what is shrunk has an end, whoever forgets it. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { readPool } from '../core/pool-figures.js';
import { createManualClock } from '../testing/manual-clock.js';
import { mountWebAdmin } from './mount-admin.js';
import { createPoolControl } from './pool-control.js';
import { startPlan } from './start-plan.js';

/** What `pg-pool` has inside, as far as a shrink looks. */
class QuietPool extends EventEmitter {
  options = { max: 10 };
  ending = false;
  totalCount = 0;
  idleCount = 0;
  waitingCount = 0;
  _idle = [];
  _expired = new WeakSet();
  _remove(): void {}
  _pulseQueue(): void {}
}

function control(isKilled = () => false) {
  const pool = new QuietPool();
  const clock = createManualClock();
  return { pool, clock, pools: createPoolControl({ pools: { orders: pool }, clock, isKilled }) };
}

test('a pool is smaller for as long as it was asked, and has back what it had', () => {
  const { pool, clock, pools } = control();
  expect(pools.shrink('orders', { id: 'run-1', max: 3, durationMs: 1000 })).toMatchObject({ shrunk: 'run-1', before: { max: 10 } });
  expect(pools.list()).toMatchObject({ pools: [{ name: 'orders', max: 3, shrinks: [{ id: 'run-1', max: 3, expiresInMs: 1000 }] }] });
  clock.advance(999);
  expect(readPool(pool).max).toBe(3);
  clock.advance(1);
  expect(readPool(pool).max).toBe(10);
  expect(pools.list()).toMatchObject({ pools: [{ shrinks: [] }] });
});

test('what was taken back once is taken back, however often it is asked', () => {
  const { pool, pools } = control();
  pools.shrink('orders', { id: 'run-1', max: 3 });
  expect(pools.restore('orders', { id: 'run-1' })).toMatchObject({ found: true, pool: { max: 10 } });
  expect(pools.restore('orders', { id: 'run-1' })).toMatchObject({ found: false, pool: { max: 10 } });
  expect(pools.restore('orders', { id: 'never' })).toMatchObject({ found: false });
  expect(readPool(pool).max).toBe(10);
});

test.each<[unknown, RegExp]>([
  [{ max: 3 }, /id must be the name of this shrink/],
  [{ id: 'a\nb', max: 3 }, /id must be the name/],
  [{ id: '--all', max: 3 }, /id must be the name/],
  [{ id: 'a', max: 0 }, /max must be/],
  [{ id: 'a', max: 10 }, /max must be/],
  [{ id: 'a', max: 2.5 }, /max must be/],
  [{ id: 'a', max: '3' }, /max must be/],
  [{ id: 'a', max: 3, durationMs: Infinity }, /durationMs must be/],
  [{ id: 'a', max: 3, durationMs: 0 }, /durationMs must be/],
])('%j is refused, and changes nothing', (body, error) => {
  const { pool, pools } = control();
  expect(() => pools.shrink('orders', body as never)).toThrow(error);
  expect([readPool(pool).max, pools.list()]).toMatchObject([10, { pools: [{ shrinks: [] }] }]);
});

test('an id shrinks once, a stranger is no pool, and the kill switch and the end stop everything', () => {
  const { pool, pools } = control();
  pools.shrink('orders', { id: 'a', max: 3 });
  expect(() => pools.shrink('orders', { id: 'a', max: 2 })).toThrow(/shrunk by "a" already/);
  expect(() => pools.shrink('toString', { id: 'b', max: 2 })).toThrow(/There is no pool "toString" here/);
  pools.close();
  expect(readPool(pool).max).toBe(10);
  expect(() => pools.shrink('orders', { id: 'c', max: 2 })).toThrow(/The run has ended/);
  expect(() => control(() => true).pools.shrink('orders', { id: 'a', max: 2 })).toThrow(/kill switch/);
});

function service(isAllowed: boolean) {
  const pool = new QuietPool();
  const run = startPlan({ rules: [] }, { isAllowed: () => isAllowed });
  const admin = mountWebAdmin(run, { token: 't', pools: { 'orders db': pool } });
  const ask = async (route: string, body: object = {}, token = 't') => {
    const [method = '', path = ''] = route.split(' ');
    const headers = { authorization: `Bearer ${token}`, host: 'localhost' };
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await admin(request, { remoteAddress: '127.0.0.1' });
    return answer === undefined ? undefined : { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { pool, run, ask };
}

test('the routes shrink and restore by the name of the pool, and only for who has the token', async () => {
  const { pool, ask } = service(true);
  expect(await ask('POST /chaos/pools/orders%20db', { id: 'a', max: 4 }, 'wrong')).toMatchObject({ status: 403 });
  expect(readPool(pool).max).toBe(10);
  expect(await ask('POST /chaos/pools/orders%20db', { id: 'a', max: 4 })).toMatchObject({ status: 200, body: { shrunk: 'a' } });
  expect(await ask('GET /chaos/pools')).toMatchObject({ status: 200, body: { pools: [{ name: 'orders db', max: 4 }] } });
  expect(await ask('POST /chaos/pools/orders%20db/restore', { id: 'a' })).toMatchObject({ status: 200, body: { found: true } });
  expect(await ask('POST /chaos/pools/others', { id: 'a', max: 4 })).toMatchObject({ status: 404 });
  expect(readPool(pool).max).toBe(10);
});

test('the kill switch and the end of the run give pools back', async () => {
  const { pool, ask, run } = service(true);
  await ask('POST /chaos/pools/orders%20db', { id: 'a', max: 4 });
  await ask('POST /chaos/kill');
  expect(readPool(pool).max).toBe(10);
  await ask('POST /chaos/revive');
  await ask('POST /chaos/pools/orders%20db', { id: 'b', max: 5 });
  expect(readPool(pool).max).toBe(5);
  run.stop();
  expect(readPool(pool).max).toBe(10);
});

test('where the guard refuses, the routes are not there', async () => {
  const { ask } = service(false);
  expect(await ask('GET /chaos/pools')).toBeUndefined();
});
