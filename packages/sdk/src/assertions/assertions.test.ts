import { describe, expect, test } from 'vitest';
import { createCatalogue, requirePlan, type Plan } from '../core/index.js';
import * as faults from '../faults/index.js';
import { wrapFetch, type WrapFetchOptions, type WrappedFetch } from '../interceptors/fetch.js';
import { createManualClock } from '../testing/manual-clock.js';
import { expectEveryRuleFired, expectFired, expectNoDuplicateWrite } from './expectations.js';
import { expectGaveUpWithin } from './gave-up.js';
import { firedCount } from './plan-run.js';
import { withPlan } from './with-plan.js';

const catalogue = createCatalogue(faults);
const planOf = (...rules: object[]): Plan => requirePlan({ version: 1, seed: 1, rules }, catalogue, { transport: 'fetch' });
const flaky = { id: 'flaky', fault: 'error-response', when: { tool: 'search' } };

/** A server without a network: every call works. */
const answer = async (_: unknown, init?: RequestInit): Promise<Response> => {
  const { id } = (await new Response(init?.body).json()) as { id: number };
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
};

const start = (plan: Plan, options: Partial<WrapFetchOptions> = {}): WrappedFetch =>
  wrapFetch(answer, { plan, observesAll: true, isAllowed: () => true, label: 'agent', ...options });

let ids = 0;
async function call(run: WrappedFetch, name: string, given: object = {}): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++ids, method: 'tools/call', params: { name, arguments: given } });
  const response = await run.fetch('http://localhost/mcp', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return 'result' in ((await response.json()) as object);
}

async function ran(plan: Plan, names: readonly string[], options: Partial<WrapFetchOptions> = {}): Promise<WrappedFetch> {
  const run = start(plan, options);
  for (const name of names) await call(run, name);
  run.stop();
  return run;
}

describe('expectFired', () => {
  test('holds for the right number, and throws what test runners know for a wrong one', async () => {
    const run = await ran(planOf(flaky), ['search', 'search']);
    expectFired(run, 'flaky');
    expectFired(run, 'flaky', 2);
    expectFired(run, 'flaky', { atMost: 2 });
    expect(firedCount(run, 'flaky')).toBe(2);
    expect(() => expectFired(run, 'flaky', 3)).toThrow(
      expect.objectContaining({
        name: 'AssertionError',
        code: 'ERR_ASSERTION',
        actual: 2,
        expected: 3,
        message: 'Rule "flaky" fired 2 times, not 3.',
      }),
    );
    expect(() => expectFired(run, 'flaky', { atLeast: 3 })).toThrow('not at least 3');
    expect(() => expectFired(run, 'flaky', { atLeast: 3, atMost: 4 })).toThrow('not 3 to 4');
  });
});

describe('a rule that never fired says why', () => {
  const why = async (plan: Plan, names: readonly string[], options: Partial<WrapFetchOptions> = {}): Promise<string> => {
    const run = await ran(plan, names, options);
    try {
      expectEveryRuleFired(run, { plan });
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it was meant to fail');
  };

  test('no call matched: the nearest tool', async () => {
    expect(await why(planOf({ ...flaky, when: { tool: 'serach' } }), ['search', 'pay'])).toBe(
      '1 of 1 rules never fired.\n  flaky: no call matched when.tool "serach"; seen: "search", "pay" (did you mean "search"?)',
    );
  });

  test('no call matched: the nearest session and target', async () => {
    expect(await why(planOf({ ...flaky, when: { session: 'agnet' } }), ['search'])).toContain(
      'when.session "agnet"; seen: "agent" (did you mean "agent"?)',
    );
    expect(await why(planOf({ ...flaky, when: { target: 'shpo' } }), ['search'], { target: 'shop' })).toContain(
      'when.target "shpo"; seen: "shop" (did you mean "shop"?)',
    );
    expect(await why(planOf({ ...flaky, when: { target: 'shop' } }), ['search'])).toContain('when.target "shop"; seen: nothing');
  });

  test('it lost its draws', async () => {
    expect(await why(planOf({ ...flaky, probability: 0.0001 }), ['search', 'search'])).toContain(
      '"search" was called 2 times, and it lost every draw (probability 0.0001)',
    );
    expect(await why(planOf({ ...flaky, at: { nth: 5 } }), ['search'])).toContain(
      '"search" was called once, and at {"nth":[5]} chose none of them',
    );
    expect(await why(planOf({ ...flaky, when: { args: { q: 'x' } } }), ['search'])).toContain('when.args matched none of them');
  });

  test('another rule or a limit took its place', async () => {
    const plan = planOf({ ...flaky, id: 'first' }, flaky);
    expect(await why(plan, ['search'])).toBe('1 of 2 rules never fired.\n  flaky: it fired once, and was "suppressed by first"');
  });

  test('the guard is on: which variable', async () => {
    const plan = planOf(flaky);
    expect(await why(plan, ['search'], { isAllowed: () => false })).toContain('nothing is injected here, because isAllowed said no');
    const { CHAOS_ENABLED: before } = process.env;
    delete process.env['CHAOS_ENABLED'];
    try {
      await expect(withPlan(plan, () => 'fine')).rejects.toThrow('nothing is injected here, because CHAOS_ENABLED is not "true"');
    } finally {
      if (before !== undefined) process.env['CHAOS_ENABLED'] = before;
    }
  });

  test('nothing was called, nothing was observed, or the name of the rule is wrong', async () => {
    expect(await why(planOf(flaky), [])).toContain('no tool was called through it');
    expect(await why(planOf(flaky), ['pay'], { observesAll: false })).toMatch(/no tool was called through it|observesAll/);
    const run = await ran(planOf(flaky), ['search']);
    expect(() => expectFired(run, 'flakky')).toThrow('there is no such rule: did you mean "flaky"?');
    expect(() => expectEveryRuleFired(run, { except: ['other'] })).toThrow('other: there is no such rule: the plan has "flaky"');
    expect(() => expectEveryRuleFired({ journal: [], stop: () => {} })).toThrow('Nothing ran');
  });

  test('a rule that is switched off is not expected', async () => {
    const run = await ran(planOf({ ...flaky, enabled: false }), ['search']);
    expectEveryRuleFired(run);
    expect(() => expectFired(run, 'flaky')).toThrow('it is switched off in the plan');
  });
});

describe('withPlan', () => {
  const written = { version: 1, rules: [flaky] };

  test('returns what the work returns, and stops the plan', async () => {
    let kept: WrappedFetch | undefined;
    const value = await withPlan(
      written,
      async (run) => {
        kept = run;
        expect(await call(run, 'search')).toBe(false);
        return 'done';
      },
      { start },
    );
    expect(value).toBe('done');
    expect(kept!.journal.at(-1)).toMatchObject({ kind: 'end', fired: { flaky: 1 } });
    expect(await call(kept!, 'search')).toBe(true);
  });

  test('an assertion inside it knows the plan, and says what the rule was looking for', async () => {
    const plan = { version: 1, rules: [{ ...flaky, when: { tool: 'serach' } }] };
    const work = async (run: WrappedFetch): Promise<void> => {
      await call(run, 'search');
      expectFired(run, 'flaky');
    };
    await expect(withPlan(plan, work, { start })).rejects.toThrow(
      'no call matched when.tool "serach"; seen: "search" (did you mean "search"?)',
    );
  });

  test('fails when a rule never fired, unless told otherwise', async () => {
    await expect(withPlan(written, () => 'fine', { start })).rejects.toThrow('1 of 1 rules never fired');
    expect(await withPlan(written, () => 'fine', { start, mayNotFire: ['flaky'] })).toBe('fine');
    expect(await withPlan(written, () => 'fine', { start, mayNotFire: true })).toBe('fine');
  });

  test('a failure of the work itself is what the test sees, and the plan is stopped', async () => {
    let isStopped = false;
    const work = (): never => {
      throw new Error('my own');
    };
    await expect(withPlan(written, work, { start: () => ({ journal: [], stop: () => void (isStopped = true) }) })).rejects.toThrow(
      'my own',
    );
    expect(isStopped).toBe(true);
  });

  test('refuses a plan that is wrong before anything runs', async () => {
    await expect(withPlan({ version: 1, rules: [{ id: 'a', fault: 'latencyy' }] }, () => 'fine', { start })).rejects.toThrow('latencyy');
    await expect(withPlan({ version: 1, rules: [], limits: {} }, () => 'fine', { start })).resolves.toBe('fine');
  });
});

describe('expectNoDuplicateWrite', () => {
  test('sees a call that went on to the server twice, and one that a fault repeated', async () => {
    const run = start(planOf({ id: 'twice', fault: 'double-execute', when: { tool: 'refund' } }));
    await call(run, 'pay', { order: 1 });
    await call(run, 'pay', { order: 2 });
    expectNoDuplicateWrite(run, { tools: ['pay'] });
    await call(run, 'pay', { order: 2 });
    expect(() => expectNoDuplicateWrite(run, { tools: ['pay'] })).toThrow('pay was sent 2 times with the same arguments');
    await call(run, 'refund', { order: 2 });
    expect(() => expectNoDuplicateWrite(run, { tools: ['refund'] })).toThrow('refund was sent 2 times');
  });

  test('a call that never reached the server does not count, and one that was never made is no proof', async () => {
    const run = start(planOf({ ...flaky, at: { first: 1 } }));
    await call(run, 'search', { q: 1 });
    await call(run, 'search', { q: 1 });
    expectNoDuplicateWrite(run, { tools: ['search'] });
    expect(() => expectNoDuplicateWrite(run, { tools: ['pay'] })).toThrow('No call of pay was seen, so nothing was checked; seen: search');
  });
});

describe('expectGaveUpWithin', () => {
  test('returns what the caller gave up with', async () => {
    const error = new Error('too slow');
    expect(await expectGaveUpWithin(1000, () => Promise.reject(error))).toBe(error);
    expect(await expectGaveUpWithin(1000, () => Promise.resolve({ state: 'failed' }))).toEqual({ state: 'failed' });
  });

  test('fails when it succeeded, and when it is still waiting, without waiting for it', async () => {
    await expect(expectGaveUpWithin(1000, () => Promise.resolve('fine'))).rejects.toThrow('but it succeeded after');
    const clock = createManualClock();
    const waiting = expectGaveUpWithin(1000, () => new Promise(() => {}), { clock });
    clock.advance(1000);
    await expect(waiting).rejects.toThrow('The caller was to give up within 1000 ms, but it is still waiting.');
  });

  test('leaves no timer behind', async () => {
    const clock = createManualClock();
    await expectGaveUpWithin(1000, () => Promise.reject(new Error('no')), { clock });
    expect(clock.waiting).toBe(0);
  });
});
