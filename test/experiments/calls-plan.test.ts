/** The step "plan" on a real proxy, by its admin routes. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { plan } from '../../packages/toolquake/src/actions/kinds/plan.js';
import { httpProxy } from '../admin/harness.js';
import { call, messagesOf, post, textOf } from '../http/harness.js';
import { liveWorld, perform, readParams } from './calls-harness.js';

const refuse = { id: 'refuse', fault: 'http-status', params: { status: 503 }, when: { tool: 'refund' } };

async function shop(files: Record<string, string> = {}) {
  const proxy = await httpProxy({ argv: ['--seed', '7'], files });
  const world = liveWorld({ kind: 'url', name: 'bank', url: proxy.url });
  const where = { where: 'admin', adminUrl: proxy.adminUrl, tokenVariable: 'CHAOS_ADMIN_TOKEN' };
  return {
    proxy,
    world,
    where,
    faults: async () => (await proxy.admin('GET', '/chaos/status')).body['faults'] as { id: string; expiresInMs: number }[],
  };
}

test('rules hit what they say, end by themselves with the lease, and are cleared by their ids', async () => {
  const { proxy, world, where, faults } = await shop();
  await proxy.admin('POST', '/chaos/inject', { config: { id: 'somebody-else', fault: 'latency', params: { addedMs: 1 } } });
  const done = await perform(
    plan,
    { ...where, plan: { rules: [refuse, { id: 'slow', fault: 'latency', params: { addedMs: 1 }, when: { tool: 'refund' } }] } },
    world,
  );
  expect(done.undoSteps).toEqual([
    { kind: 'clear-rules', data: { adminUrl: proxy.adminUrl, tokenVariable: 'CHAOS_ADMIN_TOKEN', rules: ['refuse', 'slow'] } },
  ]);
  expect(JSON.stringify(done.undoSteps)).not.toContain('s3cret');
  expect(await done.prepared.verifyEffect()).toMatchObject({ isInEffect: false });
  expect([await proxy.statusOf('refund'), await proxy.statusOf('echo')]).toEqual([503, 200]);
  expect(await done.prepared.verifyEffect()).toMatchObject({ isInEffect: true, proof: /calls were hit by refuse, slow/ });
  const ours = (await faults()).filter(({ id }) => id !== 'somebody-else');
  expect(ours.map(({ id }) => id).toSorted()).toEqual(['refuse', 'slow']);
  expect(Math.max(...ours.map(({ expiresInMs }) => expiresInMs))).toBeLessThanOrEqual(60_000);

  expect(await done.verify()).toMatchObject([{ is: 'not-undone', why: /refuse, slow still are active/ }]);
  expect(await done.undo()).toMatchObject([{ is: 'undone' }]);
  expect(await done.undo()).toMatchObject([{ is: 'undone' }]);
  expect(await proxy.statusOf('refund')).toBe(200);
  expect((await faults()).map(({ id }) => id)).toEqual(['somebody-else']);
});

test('where no proxy of the run counts, it counts itself what its rules hit, for as long as they are there', async () => {
  const { proxy, world, where } = await shop();
  const { seen } = world;
  const never = { ...refuse, id: 'never', when: { tool: 'nobody' } };
  const done = await perform(plan, { ...where, plan: { rules: [refuse, never] } }, world);
  expect(await done.prepared.verifyEffect()).toMatchObject({ isInEffect: false });
  await proxy.statusOf('refund');
  expect(await done.prepared.verifyEffect()).toMatchObject({ isInEffect: true });
  await proxy.statusOf('refund');
  await proxy.statusOf('refund');
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ source: 'faults', calls: 3, delivered: 3 }), { timeout: 10_000 });
  expect(seen.slice(0, 2)).toMatchObject([{ delivered: 0 }, { delivered: 1, hits: { refuse: 1, never: 0 } }]);
});

test('a server that a rule keeps down is up again with the undo, whatever time the rule has', async () => {
  const { proxy, world, where } = await shop();
  const down = { id: 'down', fault: 'crash', params: { downMs: 600_000 }, when: { tool: 'refund' } };
  const done = await perform(plan, { ...where, plan: { rules: [down] } }, world);
  await expect(proxy.statusOf('refund')).rejects.toThrow();
  await expect(proxy.statusOf('echo')).rejects.toThrow();
  expect(await done.undo()).toMatchObject([{ is: 'undone' }]);
  await expect.poll(() => proxy.statusOf('echo').catch(() => 0)).toBe(200);
});

test('without anybody, the rules are gone when their time is over', async () => {
  const { proxy, world, where } = await shop();
  const done = await perform(plan, { ...where, plan: { rules: [refuse] } }, { ...world, lastsMs: 300 });
  expect(await proxy.statusOf('refund')).toBe(503);
  await vi.waitFor(async () => expect(await done.verify()).toMatchObject([{ is: 'undone' }]), { timeout: 10_000 });
  expect(await proxy.statusOf('refund')).toBe(200);
});

test('an id that somebody uses already is refused before anything is written down, and his rule stays', async () => {
  const { proxy, world, where, faults } = await shop();
  await proxy.admin('POST', '/chaos/inject', { config: refuse });
  await expect(plan.prepare(readParams(plan, { ...where, plan: { rules: [refuse] } }), world)).rejects.toThrow(/a rule refuse already/);
  expect((await faults()).map(({ id }) => id)).toEqual(['refuse']);
});

test('a proxy that is gone has no rules any more, and one that does not let us in is not undone', async () => {
  const { proxy, world, where } = await shop();
  const done = await perform(plan, { ...where, plan: { rules: [refuse] } }, world);
  const stranger = { ...world, env: { CHAOS_ADMIN_TOKEN: 'wrong' } };
  expect(await plan.feasibility(readParams(plan, { ...where, plan: { rules: [refuse] } }), stranger)).toMatchObject({
    isFeasible: false,
    why: /403/,
  });
  await proxy.stop();
  expect(await done.undo()).toMatchObject([{ is: 'gone' }]);
});

test('a plan may stand in a file, and goes where the proxy of the run is', async () => {
  const { proxy, world } = await shop({ 'plan.yaml': `version: 1\nrules:\n  - ${JSON.stringify(refuse)}\n` });
  const front = {
    url: proxy.url,
    adminUrl: proxy.adminUrl,
    adminTokenVariable: 'CHAOS_ADMIN_TOKEN',
    counts: () => ({ calls: 0, delivered: 0 }),
  };
  const done = await perform(plan, { file: `${proxy.desk.folder}/plan.yaml` }, { ...world, front });
  expect(await proxy.statusOf('refund')).toBe(503);
  expect(await done.undo()).toMatchObject([{ is: 'undone' }]);
});

test('the dose is a share of calls within binomial bounds, and the same seed hits the same calls (invariant 21)', async () => {
  const CALLS = 600;
  const statuses = async (share: number): Promise<boolean[]> => {
    const { proxy, world, where } = await shop();
    const params = plan.scale(readParams(plan, { ...where, plan: { rules: [refuse] } }), share);
    await perform(plan, params, world);
    const hits: boolean[] = [];
    for (let number = 0; number < CALLS; number++) hits.push((await proxy.statusOf('refund')) === 503);
    await proxy.stop();
    return hits;
  };
  for (const share of [0.1, 0.5]) {
    const [one, other] = [await statuses(share), await statuses(share)];
    expect(one).toEqual(other);
    const deviation = Math.sqrt(CALLS * share * (1 - share));
    expect(Math.abs(one.filter(Boolean).length - CALLS * share)).toBeLessThan(4 * deviation);
  }
});

test('calls that no rule means are passed on byte by byte while others are hit (invariant 20)', async () => {
  const { proxy, world, where } = await shop();
  await perform(plan, { ...where, plan: { rules: [refuse] } }, world);
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('sse', 'json'),
      fc.integer({ min: 0, max: 3 }),
      async (text, as, events) => {
        const message = call(1, 'echo', { text, as, events });
        const [through, direct] = [await post(proxy.url, message), await post(proxy.bank.url, message)];
        expect(Buffer.concat([...through.chunks]).equals(Buffer.concat([...direct.chunks]))).toBe(true);
        expect(proxy.bank.log.at(-2)).toEqual(proxy.bank.log.at(-1));
        expect(await proxy.statusOf('refund')).toBe(503);
      },
    ),
    { numRuns: 25 },
  );
  expect(textOf(messagesOf((await post(proxy.url, call(1, 'echo', { text: 'hi' }))).body)[0])).toBe('hi');
});
