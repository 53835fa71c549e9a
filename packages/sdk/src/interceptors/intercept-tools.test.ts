import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planFromEnvironment } from '../controller/environment-plan.js';
import type { Run } from '../controller/run.js';
import { startPlan } from '../controller/start-plan.js';
import * as faults from '../faults/index.js';
import { createManualClock } from '../testing/manual-clock.js';
import { interceptServer, interceptTools } from './intercept-tools.js';
import { whyNotInHandler } from './tool-ends.js';

const start = (rules: readonly object[] = []): Run => startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });
const RESULT = { content: [{ type: 'text', text: 'paid' }], structuredContent: { amount: 5, items: ['a', 'b', 'c', 'd'] } };

describe('a tool handler', () => {
  test('gets its very arguments and gives its very result while no rule looks', async () => {
    const seen: unknown[][] = [];
    const result = {};
    const given = [{ amount: 5 }, { sessionId: 'x' }] as const;
    for (const run of [start(), start([{ fault: 'hang', when: { tool: 'other' } }])]) {
      const handler = interceptTools(run).wrap('pay', (args: object, context: object) => (seen.push([args, context]), result));
      expect(await handler(...given)).toBe(result);
      expect(seen.at(-1)![0]).toBe(given[0]);
      expect(seen.at(-1)![1]).toBe(given[1]);
    }
  });

  test('passes its own error on, the very object', async () => {
    const error = new Error('broken');
    const fail = (): never => {
      throw error;
    };
    for (const rules of [[], [{ fault: 'latency', params: { addedMs: 0 } }]]) {
      await expect(interceptTools(start(rules)).wrap('pay', fail)()).rejects.toBe(error);
    }
  });

  test('does not run when the fault comes before it, and has run when it comes after', async () => {
    let runs = 0;
    const handler = (): object => (runs++, RESULT);
    const before = start([{ id: 'x', fault: 'error-response', params: { code: -32000, message: 'no room' } }]);
    const context = { signal: new AbortController().signal };
    await expect(interceptTools(before).wrap('pay', handler as (...given: object[]) => object)({}, context)).rejects.toMatchObject({
      message: 'no room',
      code: -32000,
    });
    expect([runs, before.fired('x')]).toEqual([0, 1]);
    const after = start([{ fault: 'tool-error', phase: 'post' }]);
    expect(await interceptTools(after).wrap('pay', handler)()).toMatchObject({ isError: true });
    expect(runs).toBe(1);
  });

  test('a hang ends with the signal of its caller, in the words of both SDK generations', async () => {
    for (const context of [(signal: AbortSignal) => ({ signal }), (signal: AbortSignal) => ({ mcpReq: { signal } })]) {
      const run = start([{ id: 'hang', fault: 'hang' }]);
      const giveUp = new AbortController();
      let runs = 0;
      const call = interceptTools(run).wrap('pay', (_args: object, _context: object) => void runs++)({}, context(giveUp.signal));
      expect(run.fired('hang')).toBe(1);
      giveUp.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
      run.stop();
      expect(runs).toBe(0);
    }
  });

  test('a held call goes on when the run stops, and is the plain handler afterwards', async () => {
    const run = start([{ fault: 'hang' }]);
    const handler = interceptTools(run).wrap('pay', () => RESULT);
    const held = handler();
    run.stop();
    expect(await held).toBe(RESULT);
    expect(await handler()).toBe(RESULT);
  });

  test('refuses what a function cannot show, with what it can', () => {
    const run = start();
    interceptTools(run, { target: 'bank' });
    expect(() => run.use({ fault: 'connection-drop' })).toThrow(/cannot act on bank: A tool handler can only return/);
    expect(() => run.use({ fault: 'shuffle-tools' })).toThrow(/tools\/list/);
    expect(() => run.use({ fault: 'connection-drop' })).toThrow(
      expect.objectContaining({ advice: expect.stringMatching(/^What can: .*latency/) }),
    );
  });

  const accepted = Object.values(faults).filter(
    (fault) => whyNotInHandler(fault) === undefined && fault.cannot['in-process'] === undefined,
  );

  test.each(accepted.filter(({ carriers }) => carriers.includes('mcp')).map(({ type }) => type))(
    'performs %s, or says why in the words of the fault',
    async (type) => {
      const clock = createManualClock();
      const run = startPlan({ seed: 1, rules: [{ id: 'x', fault: type }] }, { isAllowed: () => true, clock });
      const { wrap } = interceptTools(run);
      const calls = ['pay', 'pay', 'read'].map((tool) => wrap(tool, async (_args: object) => RESULT)({ amount: 5 }));
      for (let turn = 0; turn < 20; turn++) {
        await Promise.resolve();
        clock.advance(100);
      }
      run.stop();
      await Promise.allSettled(calls);
      const entries = run.journal.flatMap((entry) => (entry.kind === 'fault' ? [entry] : []));
      expect(entries.length).toBeGreaterThan(0);
      for (const { why } of entries) expect(why ?? '').not.toMatch(/tool handler|performed/);
    },
  );
});

test('any values pass through as the same objects, also with rules that leave them alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), fc.anything(), fc.boolean(), async (args, result, isIdle) => {
      const run = start(isIdle ? [] : [{ fault: 'latency', params: { addedMs: 0 } }]);
      const value = { result };
      let seen: unknown;
      const handler = interceptTools(run).wrap('pay', (given: unknown) => ((seen = given), value));
      expect(await handler(args)).toBe(value);
      expect(Object.is(seen, args)).toBe(true);
      run.stop();
    }),
  );
});

describe('a server', () => {
  test('registers its tools with handlers under the rules, and is put back exactly', async () => {
    const handlers = new Map<string, (...given: unknown[]) => unknown>();
    class Server {
      registerTool(name: string, _config: object, handler: (...given: unknown[]) => unknown): string {
        handlers.set(name, handler);
        return `registered ${name}`;
      }
    }
    const server = new Server();
    const run = start([{ id: 'down', fault: 'error-response', when: { args: { amount: 5 } } }]);
    const undo = interceptServer(run, server, { target: 'bank' });
    expect(server.registerTool('pay', {}, () => RESULT)).toBe('registered pay');
    await expect(handlers.get('pay')!({ amount: 5 }, {})).rejects.toThrow();
    // Without a schema a handler gets the context alone: that is no argument.
    expect(await handlers.get('pay')!({ amount: 5 })).toBe(RESULT);
    undo();
    expect(Object.hasOwn(server, 'registerTool')).toBe(false);
    expect(await handlers.get('pay')!({ amount: 5 }, {})).toBe(RESULT);
  });
});

describe('CHAOS_DELAY_MS and CHAOS_ERROR_RATE', () => {
  test('are about one target, where it is named', async () => {
    const plan = planFromEnvironment({ CHAOS_ERROR_RATE: '1' }, { target: 'tools' });
    const run = startPlan(plan, { isAllowed: () => true });
    const [tools, others] = ['tools', 'others'].map((target) => interceptTools(run, { target }).wrap('pay', () => RESULT));
    await expect(tools!()).rejects.toThrow();
    expect(await others!()).toBe(RESULT);
  });

  test('delay every call, then fail this share of them', async () => {
    const clock = createManualClock();
    const run = startPlan(planFromEnvironment({ CHAOS_DELAY_MS: '200', CHAOS_ERROR_RATE: '0.5' }), { isAllowed: () => true, clock });
    const { middleware } = interceptTools(run);
    const startedAtMs: number[] = [];
    const ended: { isOk: boolean; atMs: number }[] = [];
    const note = (isOk: boolean) => (): void => void ended.push({ isOk, atMs: clock.nowMs() });
    for (let call = 0; call < 200; call++) {
      void middleware('search', { query: 'x' }, (tool, args) => (startedAtMs.push(clock.nowMs()), { tool, args })).then(
        note(true),
        note(false),
      );
    }
    clock.advance(199);
    await Promise.resolve();
    expect([startedAtMs, ended]).toEqual([[], []]);
    clock.advance(1);
    await expect.poll(() => ended).toHaveLength(200);
    const failed = ended.filter(({ isOk }) => !isOk).length;
    expect(failed).toBeGreaterThan(70);
    expect(failed).toBeLessThan(130);
    expect(startedAtMs).toHaveLength(200 - failed);
  });

  test('neither set, or 0, or empty: no rules', () => {
    for (const env of [{}, { CHAOS_DELAY_MS: '0', CHAOS_ERROR_RATE: '0' }, { CHAOS_DELAY_MS: '', CHAOS_ERROR_RATE: ' ' }]) {
      expect(planFromEnvironment(env)).toEqual({ version: 1, rules: [] });
    }
  });

  test.each([
    ['CHAOS_DELAY_MS', ['abc', '-1', '1.5', '1e3', 'NaN', 'Infinity', '99999999999', '200ms'], 'a whole number of milliseconds'],
    ['CHAOS_ERROR_RATE', ['abc', '-0.1', '1.01', '2', 'NaN', 'Infinity', '50%', '1e-1'], 'a number from 0 to 1'],
  ])('%s that makes no sense is refused with its name, its value and what is allowed', (name, values, allowed) => {
    for (const value of values) {
      expect(() => planFromEnvironment({ [name]: value })).toThrow(`${name} is "${value}", and must be ${allowed}`);
    }
  });

  test('any text is either a plan that starts or an error of ours', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (delay, rate) => {
        try {
          startPlan(planFromEnvironment({ CHAOS_DELAY_MS: delay, CHAOS_ERROR_RATE: rate }), { isAllowed: () => true }).stop();
        } catch (error) {
          expect(error).toMatchObject({ code: 'OUT_OF_RANGE' });
        }
      }),
    );
  });
});
