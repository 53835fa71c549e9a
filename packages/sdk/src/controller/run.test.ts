import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { engagementsOf } from '../core/decide.js';
import { callFrame } from '../core/fixtures/rules.js';
import { frameFromMessage, type Frame } from '../core/frame.js';
import type { JournalEntry } from '../core/journal.js';
import type { Ends } from '../core/perform.js';
import { exchangeOf } from '../core/session.js';
import { createManualClock } from '../testing/manual-clock.js';
import type { AttachOptions, Attachment } from './attach.js';
import type { Run } from './run.js';
import { startPlan, type StartPlanOptions } from './start-plan.js';

const NOTHING: Ends = {
  send: () => undefined,
  sendSlice: () => undefined,
  reply: () => undefined,
  emit: () => undefined,
  disconnect: () => undefined,
  signalServer: () => undefined,
};

const LATENCY = { fault: 'latency', params: { addedMs: 50 } };

const start = (rules: readonly object[] = [], options: StartPlanOptions = {}): Run =>
  startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true, ...options });

const attach = (run: Run, options: Partial<AttachOptions> = {}): Attachment =>
  run.attach({ transport: 'fetch', ends: NOTHING, ...options });

/** Ids of the rules that act on a call. */
function call({ performer }: Attachment, session: ReturnType<Attachment['begin']>): string[] {
  const { exchange } = performer.request(session, callFrame('pay'));
  return exchange === undefined ? [] : engagementsOf(exchange).map(({ rule }) => rule.id);
}

const kinds = (entries: readonly JournalEntry[]): string[] => entries.map(({ kind }) => kind);

describe('a run', () => {
  test('takes the data of a plan, or a plan that was checked', () => {
    const first = start([{ id: 'slow', ...LATENCY }]);
    const second = startPlan(first.plan, { isAllowed: () => true });
    expect(second.plan).toEqual(first.plan);
    expect(() => start([{ fault: 'latencyy' }])).toThrow(/unknown fault "latencyy"/);
  });

  test('adds what is used before all other rules, in its order, and restores the plan exactly', () => {
    const run = start([{ id: 'planned', ...LATENCY }]);
    const attachment = attach(run);
    const session = attachment.begin();
    const before = run.plan;
    const undo = run.use([
      { id: 'a', ...LATENCY },
      { id: 'b', ...LATENCY },
    ]);
    run.use({ id: 'c', ...LATENCY });
    expect(call(attachment, session)).toEqual(['c', 'a', 'b', 'planned']);
    undo();
    undo();
    expect(call(attachment, session)).toEqual(['c', 'planned']);
    run.restore();
    expect(call(attachment, session)).toEqual(['planned']);
    expect(run.plan).toBe(before);
    run.stop();
  });

  test('uses all rules of a list or none', () => {
    const run = start();
    expect(() => run.use([LATENCY, { fault: 'nope' }])).toThrow(/nope/);
    expect(run.list()).toEqual([]);
  });

  test('counts the same target in one scope, and keeps targets apart', () => {
    const run = start([{ id: 'once', fault: 'error-response', at: { first: 1 } }]);
    const [one, two, other] = ['redis', 'redis', 'weather'].map((target) => attach(run, { target }));
    expect([one, two, other].map((attachment) => call(attachment!, attachment!.begin()))).toEqual([['once'], [], ['once']]);
    expect(run.fired('once')).toBe(2);
    one!.detach();
    expect(run.fired('once')).toBe(2);
  });

  test('one limit holds for all interceptors', () => {
    const run = startPlan({ rules: [{ id: 'all', fault: 'error-response' }], limits: { maxFaults: 1 } }, { isAllowed: () => true });
    for (const target of ['a', 'b', 'c']) {
      const attachment = attach(run, { target });
      call(attachment, attachment.begin());
    }
    expect(run.fired('all')).toBe(1);
  });

  test('a rule acts only where its fault can be performed, and is not counted elsewhere', () => {
    const run = start([{ id: 'status', fault: 'http-status', at: { first: 1 } }]);
    const inside = attach(run, { transport: 'in-process' });
    const outside = attach(run, { transport: 'fetch' });
    expect(call(inside, inside.begin())).toEqual([]);
    expect(call(outside, outside.begin())).toEqual(['status']);
  });

  test('refuses a fault that nothing attached can perform, and says what can', () => {
    const run = start([]);
    attach(run, { transport: 'in-process', target: 'bank', whyNot: ({ type }) => (type === 'freeze' ? 'No server.' : undefined) });
    for (const inject of [run.use, run.inject]) {
      expect(() => inject({ id: 'x', fault: 'http-status' })).toThrow(/http-status cannot act on bank/);
      expect(() => inject({ id: 'x', fault: 'freeze' })).toThrow(/freeze cannot act on bank: No server/);
      expect(() => inject({ id: 'x', ...LATENCY, when: { target: 'bnak' } })).toThrow(/attached are bank/);
    }
    expect(() => run.use({ fault: 'http-status' })).toThrow(
      expect.objectContaining({ advice: expect.stringMatching(/^What can: .*latency/) }),
    );
    attach(run, { transport: 'fetch', target: 'shop' });
    run.use({ fault: 'http-status' });
    expect(() => run.use({ fault: 'http-status', when: { target: 'bank' } })).toThrow(/cannot act on bank/);
  });

  test('says why a rule of the plan can never act on what is attached', () => {
    const run = start([{ id: 'status', fault: 'http-status' }]);
    expect(run.whyNever('status')).toBeUndefined();
    attach(run, { transport: 'in-process', target: 'bank' });
    expect(run.whyNever('status')).toMatch(/cannot act on bank/);
  });

  test('stop lets held calls go, puts every patch back in reverse, ends the journal, and does so once', () => {
    const order: string[] = [];
    const sent: Frame[] = [];
    const run = start([{ id: 'gone', fault: 'hang' }]);
    const attachment = attach(run, {
      ends: { ...NOTHING, send: (frame) => void sent.push(frame) },
      thaw: () => order.push('thaw'),
      restore: () => order.push('first'),
    });
    attach(run, { restore: () => order.push('second') });
    const frame = callFrame('pay');
    attachment.performer.request(attachment.begin(), frame);
    expect(sent).toEqual([]);
    run.stop();
    run.stop();
    expect(sent).toEqual([frame]);
    expect(order).toEqual(['second', 'thaw', 'first']);
    expect(kinds(run.journal)).toEqual(['start', 'fault', 'call', 'end']);
    expect(run.journal.at(-1)).toMatchObject({ kind: 'end', fired: { gone: 1 }, calls: 1 });
  });

  test('one restore that fails is told and stops nobody else', () => {
    const told: unknown[] = [];
    const run = start([], { onProblem: (error) => void told.push(error) });
    let isRestored = false;
    attach(run, { restore: () => void (isRestored = true) });
    attach(run, {
      restore: () => {
        throw new Error('stuck');
      },
    });
    run.stop();
    expect(isRestored).toBe(true);
    expect(told).toEqual([expect.objectContaining({ message: 'stuck' })]);
  });

  test('an answer under way when the run stops passes untouched, and is in no journal', () => {
    const run = start([{ fault: 'tool-error', phase: 'post' }]);
    const attachment = attach(run);
    const session = attachment.begin();
    attachment.performer.request(session, callFrame('pay'));
    const answer = frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, result: {} });
    const exchange = exchangeOf(session, answer)!;
    run.stop();
    const { length } = run.journal;
    expect(attachment.performer.answer(exchange, answer).effects).toBeUndefined();
    expect(run.journal).toHaveLength(length);
  });

  test.each(['clear', 'restore', 'kill', 'time'])('a server that a rule keeps down or still goes on when the rule ends by %s', (way) => {
    const clock = createManualClock();
    const run = start([], { clock });
    let lets = 0;
    const ends = { ...NOTHING, release: () => void lets++ };
    const attachment = attach(run, { ends, thaw: () => void lets++ });
    const restored = { fault: 'crash', id: 'down', params: { downMs: 600_000 } };
    if (way === 'restore') run.use(restored);
    else run.inject(restored, way === 'time' ? 1000 : 900_000);
    call(attachment, attachment.begin());
    run.inject({ ...LATENCY, id: 'other' });
    run.clear('other');
    expect(lets).toBe(0);
    if (way === 'clear') run.clear('down');
    else if (way === 'restore') run.restore();
    else if (way === 'kill') run.kill();
    else clock.advance(1000);
    expect(lets).toBe(2);
    run.clearAll();
    expect(lets).toBe(2);
  });

  test('what is asked of a run that has ended is refused by name', () => {
    const run = start();
    run.stop();
    const refused = expect.objectContaining({ code: 'STOPPED' });
    expect(() => run.inject(LATENCY)).toThrow(refused);
    expect(() => run.use(LATENCY)).toThrow(refused);
    expect(() => attach(run)).toThrow(refused);
    expect(() => run.replacePlan(run.plan)).toThrow(refused);
    expect(run.clear('x')).toBe(false);
    run.restore();
    run.kill();
  });

  test('under a guard nothing is injected, and the interceptors are told so', () => {
    const told: unknown[] = [];
    const run = startPlan({ rules: [LATENCY] }, { isAllowed: () => false, onProblem: (error) => void told.push(error) });
    expect(run.guarded).toBe('isAllowed said no');
    expect(attach(run).isActive).toBe(false);
    expect(() => run.use(LATENCY)).toThrow(/Nothing is injected here/);
    expect(told).toEqual([expect.objectContaining({ code: 'NOT_ALLOWED' })]);
    expect(run.journal).toEqual([expect.objectContaining({ kind: 'start', guarded: 'isAllowed said no' })]);
  });

  test('a sink that throws breaks no traffic', () => {
    const told: unknown[] = [];
    const run = start([{ id: 'x', fault: 'error-response' }], { onProblem: (error) => void told.push(error) });
    const stop = run.listen(() => {
      throw new Error('full');
    });
    const attachment = attach(run);
    expect(call(attachment, attachment.begin())).toEqual(['x']);
    expect(told.length).toBeGreaterThan(0);
    stop();
    const { length } = told;
    call(attachment, attachment.begin());
    expect(told).toHaveLength(length);
  });

  test('disposes of itself where the platform has a word for it', async () => {
    const run = start();
    await run[Symbol.asyncDispose]();
    expect(run.isStopped).toBe(true);
  });

  test('an injected rule expires, what is used does not', () => {
    const clock = createManualClock();
    const run = start([], { clock });
    run.inject(LATENCY, 10);
    run.use(LATENCY);
    clock.advance(1_000_000_000);
    expect(run.list()).toHaveLength(1);
  });
});

test('any interleaving of use, undo, restore, inject, clear, kill and stop keeps to a model', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom('use' as const, 'inject' as const), count: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant('undo' as const), index: fc.nat(5) }),
    fc.record({ kind: fc.constantFrom('restore' as const, 'clear-all' as const, 'kill' as const, 'revive' as const, 'attach' as const) }),
    fc.record({ kind: fc.constant('stop' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const clock = createManualClock();
      const run = start([{ id: 'planned', ...LATENCY }], { clock, observesAll: true });
      let restores = 0;
      let attaches = 1;
      const attachment = attach(run, { restore: () => void restores++ });
      const session = attachment.begin();
      let added: { ids: string[]; isUsed: boolean }[] = [];
      const undos: { undo: () => void; ids: string[] }[] = [];
      let isKilled = false;
      let isStopped = false;
      let ordinal = 0;
      const rules = (count: number): { id: string }[] => Array.from({ length: count }, () => ({ id: `r${++ordinal}`, ...LATENCY }));
      const refusedAfterStop = (action: () => void): boolean => {
        if (!isStopped) return false;
        expect(action).toThrow(expect.objectContaining({ code: 'STOPPED' }));
        return true;
      };
      for (const one of steps) {
        // Time passes, so that what began before a kill is told apart from what began after it.
        clock.advance(1);
        if (one.kind === 'use') {
          const given = rules(one.count);
          if (refusedAfterStop(() => run.use(given))) continue;
          const ids = given.map(({ id }) => id);
          undos.push({ undo: run.use(given), ids });
          added.unshift({ ids, isUsed: true });
        } else if (one.kind === 'inject') {
          const [given] = rules(1);
          if (refusedAfterStop(() => run.inject(given!))) continue;
          added.unshift({ ids: [run.inject(given!)], isUsed: false });
        } else if (one.kind === 'undo') {
          const chosen = undos[one.index];
          chosen?.undo();
          added = added.filter(({ ids }) => ids !== chosen?.ids);
        } else if (one.kind === 'restore') {
          run.restore();
          added = added.filter(({ isUsed }) => !isUsed);
        } else if (one.kind === 'clear-all') {
          run.clearAll();
          added = [];
        } else if (one.kind === 'attach') {
          if (refusedAfterStop(() => attach(run))) continue;
          attach(run, { restore: () => void restores++ });
          attaches++;
        } else if (one.kind === 'stop') {
          run.stop();
          isStopped = true;
          added = [];
        } else if (one.kind === 'kill') {
          run.kill();
          isKilled = true;
        } else if (!refusedAfterStop(() => run.revive())) {
          run.revive();
          isKilled = false;
        }
        const acting = isKilled || isStopped ? [] : [...added.flatMap(({ ids }) => ids), 'planned'];
        expect(call(attachment, session)).toEqual(acting);
        expect(restores).toBe(isStopped ? attaches : 0);
        expect(attachment.isActive).toBe(!isStopped);
      }
      run.stop();
      expect(run.journal.filter(({ kind }) => kind === 'end')).toHaveLength(1);
      expect(run.journal.at(-1)!.kind).toBe('end');
      expect(restores).toBe(attaches);
    }),
    { numRuns: 200 },
  );
});
