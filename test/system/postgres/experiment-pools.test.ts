/** Steps of experiments on real pools of a real PostgreSQL: what is cut comes back, and what is used up is seen. */
import { fileURLToPath } from 'node:url';
import { mountNodeAdmin, startPlan } from '@toolquake/sdk/controller';
import { readPool } from '@toolquake/sdk/interceptors';
import type pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { callTool } from '../../../packages/toolquake/src/actions/kinds/call-tool.js';
import { exhaustPool } from '../../../packages/toolquake/src/actions/kinds/exhaust-pool.js';
import { runLoad } from '../../../packages/toolquake/src/actions/kinds/run-load.js';
import { shrinkPool } from '../../../packages/toolquake/src/actions/kinds/shrink-pool.js';
import { listen, liveWorld, loadOf, perform, readParams, worker } from '../../experiments/calls-harness.js';
import { startPoolShop } from '../../servers/pool-shop.mjs';
import { ask } from './start-postgres.js';
import { openShop, where } from './shop.js';

openShop();

type PoolShop = Awaited<ReturnType<typeof startPoolShop>>;

/** A server over a pool, with open admin routes. */
async function shop(options: { max?: number; onFull?: string; isAllowed?: boolean } = {}): Promise<PoolShop> {
  const run = startPlan({ rules: [] }, { isAllowed: () => options.isAllowed ?? true });
  const started = await startPoolShop({
    ...options,
    where: where(),
    admin: (pool: pg.Pool) => mountNodeAdmin(run, { token: 's3cret', pools: { orders: pool } }),
  });
  onTestFinished(() => started.stop());
  onTestFinished(() => run.stop());
  return started;
}

const worldOf = ({ url }: PoolShop): ReturnType<typeof liveWorld> => liveWorld({ kind: 'url', name: 'shop', url });

const cut = (shops: readonly PoolShop[], change: object) => ({
  adminUrls: shops.map(({ origin }) => origin),
  tokenVariable: 'CHAOS_ADMIN_TOKEN',
  pool: 'orders',
  ...change,
});

test.each([30, 50, 70, 90])('a cut of %i percent is seen at the pool, and taken back, twice if need be', async (percent) => {
  const one = await shop();
  const done = await perform(shrinkPool, cut([one], { percent }), worldOf(one));
  expect(readPool(one.pool).max).toBe(10 - percent / 10);
  expect(await done.prepared.verifyEffect()).toMatchObject({ isInEffect: true, proof: `max ${10 - percent / 10}, 0 open, 0 waiting` });
  expect(await done.verify()).toMatchObject([{ is: 'not-undone', why: /still is shrunk/ }]);
  expect(await done.undo()).toMatchObject([{ is: 'undone', proof: /may have 10 again/ }]);
  expect(await done.undo()).toMatchObject([{ is: 'undone' }]);
  expect(readPool(one.pool).max).toBe(10);
  expect(JSON.stringify(done.undoSteps)).not.toContain('s3cret');
});

test('of three replicas as many are cut as were asked for, and a lower stage cuts less', async () => {
  const shops = [await shop(), await shop(), await shop()];
  const params = readParams(shrinkPool, cut(shops, { percent: 80, replicas: 2 }));
  const done = await perform(shrinkPool, shrinkPool.scale(params, 0.5), worldOf(shops[0]!));
  expect(shops.map(({ pool }) => readPool(pool).max)).toEqual([6, 6, 10]);
  expect(done.prepared.hits).toHaveLength(2);
  expect(await done.undo()).toMatchObject([{ is: 'undone' }, { is: 'undone' }]);
  expect(shops.map(({ pool }) => readPool(pool).max)).toEqual([10, 10, 10]);
});

test('a pool of one connection has nothing to take away', async () => {
  const one = await shop({ max: 1 });
  const params = readParams(shrinkPool, cut([one], { percent: 90 }));
  expect(await shrinkPool.feasibility(params, worldOf(one))).toMatchObject({ isFeasible: false, why: /one connection only/ });
  await expect(shrinkPool.prepare(params, worldOf(one))).rejects.toThrow(/would keep 1/);
});

test('a cut ends by itself when nobody is left to take it back', async () => {
  const one = await shop();
  const done = await perform(shrinkPool, cut([one], { max: 2 }), { ...worldOf(one), lastsMs: 200 });
  expect(readPool(one.pool).max).toBe(2);
  await vi.waitFor(async () => expect(await done.verify()).toMatchObject([{ is: 'undone' }]), { timeout: 10_000 });
});

test('a service that is guarded has no such routes, and one that is gone has no such pool', async () => {
  const guarded = await shop({ isAllowed: false });
  const params = readParams(shrinkPool, cut([guarded], { percent: 50 }));
  expect(await shrinkPool.feasibility(params, worldOf(guarded))).toMatchObject({ isFeasible: false });
  const one = await shop();
  const done = await perform(shrinkPool, cut([one], { percent: 50 }), worldOf(one));
  await one.stop();
  expect(await done.undo()).toMatchObject([{ is: 'gone' }]);
});

test('callers of a pool that was cut fail, and are well again as soon as it is restored', async () => {
  const one = await shop();
  const load = await worker('load', {
    load: loadOf({ tool: 'orders', arguments: { holdMs: 100 }, clients: 8, perSecond: 60, notEmpty: 'items' }),
    target: { kind: 'url', name: 'shop', url: one.url },
  });
  const heard = listen(load);
  load.go();
  const lastEnds = (): Set<string> => new Set(heard.calls.slice(-20).map(({ sample }) => sample.end));
  const isWell = (): Promise<void> =>
    vi.waitFor(() => expect([heard.calls.length >= 20, lastEnds()]).toEqual([true, new Set(['ok'])]), { timeout: 30_000 });
  await isWell();
  const done = await perform(shrinkPool, cut([one], { max: 1 }), worldOf(one));
  await vi.waitFor(() => expect(lastEnds()).toContain('rejected'), { timeout: 30_000 });
  await done.undo();
  await isWell();
});

const exhausted = { sessions: 40, tool: 'orders', arguments: { holdMs: 150 }, every: '200ms', timeout: '5s', notEmpty: 'items' };

test.each<[string, RegExp, string]>([
  ['wait', /40 of 40 sessions are open; \d+ calls wait/, 'ok'],
  ['refuse', /refused or failed/, 'rejected'],
  ['silent', /answered with nothing, as if there were nothing/, 'empty'],
])(
  'forty sessions on four connections: a server that would "%s" is seen through, and has its pool back afterwards',
  async (onFull, proof, end) => {
    const one = await shop({ max: 4, onFull });
    const world = worldOf(one);
    const done = await perform(exhaustPool, exhausted, world);
    await vi.waitFor(async () => expect(await done.prepared.verifyEffect()).toMatchObject({ isInEffect: true, proof }), {
      timeout: 60_000,
    });
    await vi.waitFor(() => expect(world.seen.map((sample) => (sample.source === 'call' ? sample.end : ''))).toContain(end), {
      timeout: 30_000,
    });
    expect(world.seen.every((sample) => sample.source === 'call' && sample.lane === 'faulted')).toBe(true);
    expect(done.undoSteps).toMatchObject([{ kind: 'end-process', data: { pid: expect.any(Number) } }]);
    expect(await done.undo()).toMatchObject([{ is: 'gone' }]);
    await vi.waitFor(() => expect([one.pool.waitingCount, one.pool.totalCount - one.pool.idleCount]).toEqual([0, 0]), { timeout: 30_000 });
  },
);

test.each<[string, RegExp]>([
  ['wait', /6 of 6 sessions are open; \d+ calls wait/],
  ['refuse', /refused or failed/],
  ['silent', /answered with nothing, as if there were nothing/],
])(
  'over stdio each session is a server of its own, and what they share is the database: "%s" is seen through, and none is left afterwards',
  async (onFull, proof) => {
    const program = fileURLToPath(new URL('../../servers/pool-shop.mjs', import.meta.url));
    const database = where().port!;
    const sql = `CREATE ROLE ${onFull}_few LOGIN CONNECTION LIMIT 2`;
    expect(await ask(database, sql)).toMatchObject({ code: 0 });
    // Each call takes a connection of its own: whoever kept one while it rests would leave nothing to queue for.
    const options = { where: { ...where(), user: `${onFull}_few`, maxUses: 1 }, max: 1, onFull };
    const target = {
      kind: 'command',
      name: 'shop',
      command: [process.execPath, program],
      env: { POOL_SHOP: JSON.stringify(options) },
      era: 'legacy',
    } as const;
    const world = liveWorld(target);
    expect(await exhaustPool.feasibility(readParams(exhaustPool, exhausted), world)).toMatchObject({ how: /each with a pool of its own/ });
    const done = await perform(exhaustPool, { ...exhausted, sessions: 6 }, world);
    // All have knocked when the step is done; what becomes of their calls is seen a moment later.
    expect((await done.prepared.verifyEffect()).proof).toMatch(/^6 of 6 sessions are open/);
    await vi.waitFor(async () => expect(await done.prepared.verifyEffect()).toMatchObject({ isInEffect: true, proof }), {
      timeout: 60_000,
    });
    expect(await done.undo()).toMatchObject([{ is: 'gone' }]);
    const connections = async (): Promise<string> =>
      (await ask(database, `SELECT count(*) FROM pg_stat_activity WHERE usename = '${onFull}_few'`)).stdout.trim();
    await vi.waitFor(async () => expect(await connections()).toBe('0'), { timeout: 30_000 });
  },
);

test('a switch of the service is turned by a tool, and turned back once, however often it is undone', async () => {
  const one = await shop();
  const step = {
    tool: 'set_flag',
    arguments: { on: false },
    undo: { tool: 'set_flag', arguments: { on: true } },
    check: { tool: 'get_flags', path: 'checkout' },
  };
  const done = await perform(callTool, step, worldOf(one));
  expect(await done.prepared.verifyEffect()).toEqual({ isInEffect: true, proof: 'checkout of get_flags is not what it was' });
  expect(await done.verify()).toMatchObject([{ is: 'not-undone' }]);
  expect(await done.undo()).toMatchObject([{ is: 'undone' }]);
  expect(await done.undo()).toMatchObject([{ is: 'undone' }]);
  await expect(perform(callTool, { tool: 'no_such_tool', readOnly: true }, worldOf(one))).rejects.toThrow(
    /answered 1 of 1 calls with an error/,
  );
});

test('more load is seen at the server, and ends with its process', async () => {
  const one = await shop();
  const world = worldOf(one);
  const done = await perform(runLoad, { tool: 'orders', arguments: { holdMs: 5 }, perSecond: 50, clients: 4 }, world);
  await vi.waitFor(async () => expect(await done.prepared.verifyEffect()).toMatchObject({ isInEffect: true, proof: /ok/ }), {
    timeout: 30_000,
  });
  expect(await done.undo()).toMatchObject([{ is: 'gone' }]);
  const afterwards = world.seen.length;
  expect(await done.undo()).toMatchObject([{ is: 'gone' }]);
  expect(world.seen.length).toBe(afterwards);
});
