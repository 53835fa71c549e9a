import { describe, expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.js';
import { createDeadline } from './deadline.js';
import { reportAsToolResult, type CallReport } from './call-report.js';
import type { AttemptOptions, ResilienceOptions, Route } from './resilience-options.js';
import { withResilience, type ResilientTools } from './resilient-tools.js';
import { contractsFromHints, type ToolCall, type ToolContracts } from './tool-contract.js';

type Result = { content: unknown[]; isError?: boolean };
const fine: Result = { content: [{ type: 'text', text: 'fine' }] };
const read = { look: { kind: 'read' } } as const;
const refused = (): Error =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
const reset = (): Error => Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('no'), { code: 'ECONNRESET' }) });

/** What a server does with its calls, in order: an answer, an error, or nothing at all. The last one repeats. */
type Script = readonly (Result | Error | 'hang')[];

function rig(script: Script, options: ResilienceOptions<Result> = {}) {
  const clock = createManualClock();
  const sent: { call: ToolCall; options: AttemptOptions; atMs: number }[] = [];
  const callTool = (call: ToolCall, given: AttemptOptions): Promise<Result> => {
    const step = script[Math.min(sent.length, script.length - 1)]!;
    sent.push({ call, options: given, atMs: clock.nowMs() });
    if (step === 'hang') return new Promise(() => {});
    return step instanceof Error ? Promise.reject(step) : Promise.resolve(step);
  };
  const tools = withResilience(callTool, { clock, random: () => 0, createKey: () => 'key-1', contracts: read, ...options });
  return { clock, sent, tools, callTool };
}

/** Moves the clock until the operation is over. */
async function settled<Value>(clock: ReturnType<typeof createManualClock>, promise: Promise<Value>, stepMs = 50): Promise<Value> {
  let value: { told: Value } | undefined;
  void promise.then((told) => (value = { told }));
  for (let step = 0; step < 5000; step++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (value !== undefined) return value.told;
    clock.advance(stepMs);
  }
  throw new Error('it never ended');
}

const look = (tools: ResilientTools<Result>, clock: ReturnType<typeof createManualClock>): Promise<CallReport<Result>> =>
  settled(clock, tools.callTool({ name: 'look' }));

test('a call that works is made once, with a signal and its share of the deadline', async () => {
  const { tools, sent, clock } = rig([fine], { deadlineMs: 9000 });
  expect(await look(tools, clock)).toMatchObject({
    state: 'complete',
    result: fine,
    tool: 'look',
    key: 'key-1',
    attempts: [{ route: 'server' }],
  });
  expect(sent).toHaveLength(1);
  expect(sent[0]!.options).toMatchObject({ timeout: 3000, signal: { aborted: false } });
  expect(clock.waiting, 'no timer is left').toBe(0);
});

describe('retries', () => {
  test('a read is repeated after longer and longer waits, and no more often than the budget allows', async () => {
    const { tools, sent, clock } = rig([reset()], { backoff: { firstMs: 100, factor: 2, maxMs: 1000, jitter: 0 } });
    const report = await look(tools, clock);
    expect(report).toMatchObject({ state: 'failed', failure: { kind: 'disconnected' } });
    expect(sent.map(({ atMs }) => atMs)).toEqual([0, 100, 300]);
    expect(tools.retries()).toBe(2);
  });

  test('over all operations, retries are a share of first attempts', async () => {
    const { tools, sent, clock } = rig([reset()], { retry: { maxRetries: 2, maxShare: 0.1, reserve: 1 }, breaker: false });
    for (let call = 0; call < 20; call++) await look(tools, clock);
    expect(sent).toHaveLength(20 + 3);
  });

  test('what will not pass is not repeated', async () => {
    const wrong = Object.assign(new Error('MCP error -32602: bad arguments'), { code: -32602 });
    const { tools, sent, clock } = rig([wrong]);
    expect(await look(tools, clock)).toMatchObject({
      state: 'failed',
      failure: { kind: 'rpc-error', message: 'MCP error -32602: bad arguments' },
    });
    expect(sent).toHaveLength(1);
  });

  test('a tool that says it failed is believed at once, and its own words are handed on', async () => {
    const sorry: Result = { content: [{ type: 'text', text: 'no such city' }], isError: true };
    const { tools, sent, clock } = rig([sorry]);
    const report = await look(tools, clock);
    expect(report).toMatchObject({ state: 'failed', failure: { kind: 'tool-error', message: 'no such city' }, result: sorry });
    expect(reportAsToolResult(report)).toBe(sorry);
    expect(sent).toHaveLength(1);
  });

  test('waits as long as the server asked for, and gives up at once when that is beyond the deadline', async () => {
    const busy = (retryAfterMs: number): Error => Object.assign(new Error('busy'), { code: -32000, data: { retryAfterMs } });
    const patient = rig([busy(4000), fine]);
    expect(await look(patient.tools, patient.clock)).toMatchObject({ state: 'complete' });
    expect(patient.sent.map(({ atMs }) => atMs)).toEqual([0, 4000]);
    const hopeless = rig([busy(60_000), fine]);
    expect(await look(hopeless.tools, hopeless.clock)).toMatchObject({ state: 'failed', elapsedMs: 0 });
  });
});

describe('the deadline', () => {
  test('covers all attempts, and each is told to stop', async () => {
    const { tools, sent, clock } = rig(['hang'], { deadlineMs: 3000 });
    const report = await look(tools, clock);
    expect(report).toMatchObject({ state: 'failed', failure: { kind: 'no-answer' } });
    expect(report.elapsedMs).toBeLessThanOrEqual(3000);
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.every(({ options }) => options.signal.aborted)).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test('is shared by the operations that it is handed to', async () => {
    const { tools, clock } = rig(['hang'], { retry: { maxRetries: 0 } });
    const deadline = createDeadline(1000, { clock });
    const first = await settled(clock, tools.callTool({ name: 'look' }, { deadline }));
    const second = await settled(clock, tools.callTool({ name: 'look' }, { deadline }));
    expect([first.elapsedMs, second.elapsedMs]).toEqual([1000, 0]);
    expect(second).toMatchObject({ state: 'failed', failure: { kind: 'refused', executed: 'no' } });
  });

  test('a caller that loses interest is answered at once, during a call and during a wait', async () => {
    for (const script of [['hang'], [reset()]] as const) {
      const { tools, clock, sent } = rig(script);
      const controller = new AbortController();
      const report = tools.callTool({ name: 'look' }, { signal: controller.signal });
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      expect(await report).toMatchObject({ state: 'failed', elapsedMs: 0 });
      expect(sent).toHaveLength(1);
      expect(clock.waiting).toBe(0);
    }
    const { tools, sent } = rig([fine]);
    expect(await tools.callTool({ name: 'look' }, { signal: AbortSignal.abort() })).toMatchObject({
      failure: { kind: 'cancelled', executed: 'no' },
    });
    expect(sent).toHaveLength(0);
  });
});

describe('writes', () => {
  test('an unknown tool is a write: what may have happened is not repeated, what surely did not is', async () => {
    const lost = rig(['hang', fine], { contracts: {} });
    const report = await settled(lost.clock, lost.tools.callTool({ name: 'pay' }));
    expect(report).toMatchObject({ state: 'failed', failure: { kind: 'no-answer', executed: 'maybe-later' } });
    expect(JSON.stringify(reportAsToolResult(report))).toContain('check before trying again');
    expect(lost.sent).toHaveLength(1);
    const never = rig([refused(), fine], { contracts: {} });
    expect(await settled(never.clock, never.tools.callTool({ name: 'pay' }))).toMatchObject({ state: 'complete' });
    expect(never.sent).toHaveLength(2);
  });

  test('an idempotent tool is called again under the same key', async () => {
    const contracts = { pay: { kind: 'idempotent', keyArgument: 'key', keyMeta: 'shop/key' } } as const;
    const { tools, sent, clock } = rig([reset(), fine], { contracts });
    expect(await settled(clock, tools.callTool({ name: 'pay', arguments: { amount: 3 } }))).toMatchObject({ state: 'complete' });
    const keyed = { name: 'pay', arguments: { amount: 3, key: 'key-1' }, _meta: { 'shop/key': 'key-1' } };
    expect(sent.map(({ call }) => call)).toEqual([keyed, keyed]);
  });

  test('a read-back that finds it takes the place of the lost answer', async () => {
    const contracts = { pay: { kind: 'write', readBack: () => Promise.resolve({ happened: true, result: fine }) } } as const;
    const { tools, sent, clock } = rig(['hang'], { contracts });
    const report = await settled(clock, tools.callTool({ name: 'pay' }));
    expect(report).toMatchObject({ state: 'complete', result: fine, attempts: [{ readBack: 'happened' }] });
    expect(sent).toHaveLength(1);
  });

  test('a read-back that finds nothing proves something only once nothing can be on its way', async () => {
    const asked: number[] = [];
    const contractsOf = (clock: ReturnType<typeof createManualClock>, landsWithinMs?: number) => ({
      pay: {
        kind: 'write',
        landsWithinMs,
        readBack: () => {
          asked.push(clock.nowMs());
          return Promise.resolve({ happened: false } as const);
        },
      } as const,
    });
    const clock = createManualClock();
    const early = rig(['hang', fine], { clock, contracts: contractsOf(clock) });
    expect(await settled(clock, early.tools.callTool({ name: 'pay' }))).toMatchObject({ failure: { executed: 'maybe-later' } });
    expect([early.sent.length, asked]).toEqual([1, [10_000]]);
    asked.length = 0;
    const other = createManualClock();
    const late = rig(['hang', fine], { clock: other, contracts: contractsOf(other, 12_000) });
    expect(await settled(other, late.tools.callTool({ name: 'pay' }))).toMatchObject({ state: 'complete' });
    expect([late.sent.length, asked]).toEqual([2, [12_000]]);
  });

  test('a read-back that fails or hangs leaves it unknown', async () => {
    for (const readBack of [() => Promise.reject(new Error('no')), () => new Promise<never>(() => {})]) {
      const { tools, sent, clock } = rig([reset(), fine], { contracts: { pay: { kind: 'write', readBack, landsWithinMs: 0 } } });
      expect(await settled(clock, tools.callTool({ name: 'pay' }))).toMatchObject({
        state: 'failed',
        failure: { executed: 'maybe-later' },
      });
      expect(sent).toHaveLength(1);
    }
  });

  test('the same key asked for twice is one operation, until it surely did not happen', async () => {
    const { tools, sent, clock } = rig([fine], { contracts: {} });
    const pay = (): Promise<CallReport<Result>> => tools.callTool({ name: 'pay' }, { idempotencyKey: 'order-7' });
    const [one, two] = await settled(clock, Promise.all([pay(), pay()]));
    expect(one).toBe(two);
    expect(sent).toHaveLength(1);
    const failing = rig([refused(), refused(), refused(), fine], { contracts: {} });
    const again = (): Promise<CallReport<Result>> =>
      settled(failing.clock, failing.tools.callTool({ name: 'pay' }, { idempotencyKey: 'order-7' }));
    expect((await again()).state).toBe('failed');
    expect((await again()).state).toBe('complete');
  });

  test('hints of a server make contracts, and a missing hint makes none', () => {
    const tools = [{ name: 'a', annotations: { readOnlyHint: true } }, { name: 'b', annotations: { idempotentHint: true } }, { name: 'c' }];
    expect(contractsFromHints(tools)).toEqual({ a: { kind: 'read' }, b: { kind: 'idempotent' } });
  });
});

describe('routes', () => {
  const two = (first: Script, second: Script, options: ResilienceOptions<Result> = {}) => {
    const a = rig(first);
    const b = rig(second);
    const routes: Route<Result>[] = [
      { name: 'a', callTool: a.callTool },
      { name: 'b', callTool: b.callTool, translate: (call) => ({ ...call, name: 'look_too' }) },
    ];
    const clock = createManualClock();
    return { a, b, clock, tools: withResilience(routes, { clock, contracts: read, random: () => 0, ...options }) };
  };

  test('another route is tried at once, in its own words', async () => {
    const { a, b, tools, clock } = two([reset()], [fine]);
    expect(await look(tools, clock)).toMatchObject({ state: 'complete', elapsedMs: 0, attempts: [{ route: 'a' }, { route: 'b' }] });
    expect([a.sent.length, b.sent[0]!.call.name]).toEqual([1, 'look_too']);
  });

  test('a write in doubt stays where it was', async () => {
    const contractsOf: ToolContracts<Result>[] = [{}, { look: { kind: 'idempotent' } }];
    for (const contracts of contractsOf) {
      const { a, b, tools, clock } = two([reset()], [fine], { contracts });
      expect(await look(tools, clock)).toMatchObject({ state: 'failed' });
      expect([a.sent.length > 0, b.sent.length]).toEqual([true, 0]);
    }
  });

  test('an open breaker sends calls to the other route, and a probe brings them back', async () => {
    const script: (Result | Error)[] = Array.from({ length: 6 }, () => reset());
    const { a, b, tools, clock } = two([...script, fine], [fine]);
    for (let call = 0; call < 5; call++) await look(tools, clock);
    expect(tools.openBreakers()).toEqual({ a: ['look'], b: [] });
    const before = a.sent.length;
    for (let call = 0; call < 4; call++) await look(tools, clock);
    expect([a.sent.length, b.sent.length]).toEqual([before, 9]);
    for (let call = 0; call < 10; call++) await look(tools, clock);
    expect(tools.openBreakers()['a']).toEqual([]);
  });

  test('when the other route refuses, the first is tried again after all', async () => {
    const { a, tools, clock } = two([reset(), fine], [fine], { maxInFlight: 1, retry: { maxRetries: 1 } });
    const blocked = two(['hang'], ['hang'], { maxInFlight: 1, retry: { maxRetries: 0 } });
    void blocked.tools.callTool({ name: 'look' });
    void blocked.tools.callTool({ name: 'look' });
    expect(await look(blocked.tools, blocked.clock)).toMatchObject({
      failure: { kind: 'refused', executed: 'no', message: 'no route takes it (a: 1 calls are under way; b: 1 calls are under way)' },
    });
    expect(await look(tools, clock)).toMatchObject({ state: 'complete' });
    expect(a.sent).toHaveLength(1);
  });

  test('a tool that will not be back in time is passed over', async () => {
    const { clock, tools, a, b } = two([fine], [fine], { deadlineMs: 300 });
    const slow = a.callTool;
    const routes: Route<Result>[] = [
      { name: 'slow', callTool: (call, given) => new Promise((resolve) => clock.schedule(90, () => resolve(slow(call, given)))) },
      { name: 'fast', callTool: b.callTool },
    ];
    const routed = withResilience(routes, { clock, contracts: read, deadlineMs: 300, attemptMs: 100, random: () => 0 });
    for (let call = 0; call < 10; call++) await settled(clock, routed.callTool({ name: 'look' }), 10);
    expect(a.sent).toHaveLength(10);
    const report = await settled(clock, routed.callTool({ name: 'look' }, { deadlineMs: 80 }), 10);
    expect(report).toMatchObject({ state: 'complete', attempts: [{ route: 'fast' }] });
    expect(tools.retries()).toBe(0);
  });
});

describe('degradation', () => {
  const cached: Result = { content: [{ type: 'text', text: 'yesterday' }] };
  const fallback = (): { result: Result; missing: string } => ({ result: cached, missing: 'today; this is from yesterday' });

  test('a lesser result is partial and says what is missing, to code and to a model', async () => {
    const { tools, clock } = rig([reset()], { fallback });
    const report = await look(tools, clock);
    expect(report).toMatchObject({ state: 'partial', result: cached, missing: 'today; this is from yesterday' });
    expect(reportAsToolResult(report)).toMatchObject({
      content: [{ text: 'Partial result: today; this is from yesterday.' }, { text: 'yesterday' }],
    });
  });

  test('a tool that says its result is partial is partial', async () => {
    const { tools, clock } = rig([fine], { isPartial: () => 'the last page' });
    expect(await look(tools, clock)).toMatchObject({ state: 'partial', missing: 'the last page' });
  });

  test('a write that may have happened is never covered up', async () => {
    const { tools, clock } = rig([reset()], { fallback, contracts: {} });
    expect(await look(tools, clock)).toMatchObject({ state: 'failed', failure: { executed: 'maybe-later' } });
  });

  test('a fallback that fails is told with the failure', async () => {
    const { tools, clock } = rig([reset()], { fallback: () => Promise.reject(new Error('cache is empty')) });
    expect(await look(tools, clock)).toMatchObject({
      failure: { message: 'fetch failed; its fallback failed too: Error: cache is empty' },
    });
  });

  test('a fallback that throws what cannot be put into words is told all the same', async () => {
    const { tools, clock } = rig([reset()], { fallback: () => Promise.reject(Object.create(null) as Error) });
    expect(await look(tools, clock)).toMatchObject({
      failure: { message: 'fetch failed; its fallback failed too: something was thrown that is no error' },
    });
  });

  test('a result that cannot be used counts as a failure, also for the breaker', async () => {
    const { tools, clock } = rig([fine], { isUnusable: () => 'no temperature in it', retry: { maxRetries: 0 } });
    for (let call = 0; call < 5; call++)
      expect(await look(tools, clock)).toMatchObject({ failure: { kind: 'bad-answer', message: 'no temperature in it' } });
    expect(tools.openBreakers()).toEqual({ server: ['look'] });
  });
});

test.each([
  ['deadlineMs', { deadlineMs: Number.NaN }],
  ['attemptMs', { attemptMs: 0 }],
  ['retry.maxRetries', { retry: { maxRetries: -1 } }],
  ['backoff.jitter', { backoff: { firstMs: 1, factor: 2, maxMs: 1, jitter: 2 } }],
  ['breaker.threshold', { breaker: { threshold: 3 } }],
  ['maxInFlight', { maxInFlight: 0 }],
])('refuses a %s that makes no sense', (name, options) => {
  expect(() => rig([fine], options)).toThrow(name);
  expect(() => withResilience([], {})).toThrow('routes');
});
