import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bandwidth, blackhole, connectionDrop, latency, pace } from '../faults/index.js';
import { createManualClock, paramsOf } from '../testing/index.js';
import { createLiveDecider, engagementsOf } from './decide.js';
import type { Fault } from './fault.js';
import type { JournalEntry } from './journal.js';
import type { Direction } from './message.js';
import { EMPTY_PLAN, type Rule } from './plan.js';
import { keyedRandom } from './random.js';
import { createStreamPerformer } from './stream-performer.js';

const ruleOf = (fault: Fault, params: Rule['params'], change: Partial<Rule> = {}): Rule => ({
  id: fault.type,
  fault,
  params: paramsOf(fault, params),
  when: {},
  at: {},
  probability: 1,
  shape: { kind: 'iid' },
  phase: fault.phases[0] ?? 'pre',
  isEnabled: true,
  ...change,
});

function performing(rules: readonly Rule[]) {
  const clock = createManualClock();
  const journal: JournalEntry[] = [];
  const out: Record<Direction, number[]> = { 'to-server': [], 'to-client': [] };
  const finished: Direction[] = [];
  const broken: string[] = [];
  const decider = createLiveDecider({ plan: { ...EMPTY_PLAN, rules }, random: keyedRandom(1), transport: 'tcp', startedAtMs: 0 });
  const performer = createStreamPerformer({
    decider,
    clock,
    journal: (entry) => journal.push(entry),
    startedAtMs: 0,
    onProblem: (error) => {
      throw error;
    },
    ends: {
      send: (bytes, direction) => void out[direction].push(...bytes),
      finish: (direction) => void finished.push(direction),
      waiting: () => {},
      disconnect: (how) => void broken.push(`${how} at ${clock.nowMs()}`),
    },
  });
  return { clock, journal, out, finished, broken, performer, decider };
}

const phase = fc.constantFrom('pre' as const, 'post' as const);
const shapers = fc.record({ addedMs: fc.nat(50), jitterMs: fc.nat(200), kilobytesPerSecond: fc.integer({ min: 1, max: 50 }), phase });
const talkSteps = fc.array(
  fc.record({
    direction: fc.constantFrom<Direction>('to-server', 'to-client'),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 60 }),
    thenMs: fc.nat(100),
  }),
  { maxLength: 25 },
);

test('whatever shapes or silences a stream, both ways carry every byte in its order, and each end comes behind the last', () => {
  fc.assert(
    fc.property(talkSteps, shapers, fc.nat(25), (steps, how, killedAt) => {
      const { clock, out, finished, performer, decider } = performing([
        ruleOf(latency, { addedMs: how.addedMs, jitterMs: how.jitterMs }, { phase: how.phase }),
        ruleOf(bandwidth, { kilobytesPerSecond: how.kilobytesPerSecond }),
        ruleOf(pace, { sliceBytes: 3, everyMs: 1 }, { phase: how.phase }),
        ruleOf(blackhole, { forMs: 120 }, { phase: how.phase, at: { after: { ms: 100 } } }),
      ]);
      const stream = performer.open();
      steps.forEach(({ direction, bytes, thenMs }, index) => {
        if (index === killedAt) {
          decider.suspend();
          performer.release();
        }
        performer.bytes(stream, direction, bytes);
        clock.advance(thenMs);
      });
      performer.end(stream, 'to-client');
      performer.end(stream, 'to-server');
      clock.advance(3_600_000);
      for (const way of ['to-server', 'to-client'] as const)
        expect(out[way]).toEqual(steps.filter(({ direction }) => direction === way).flatMap(({ bytes }) => [...bytes]));
      expect(finished.toSorted()).toEqual(['to-client', 'to-server']);
      performer.close(stream);
      expect(clock.waiting).toBe(0);
    }),
  );
});

test('a drop after so many bytes lets exactly those pass, in any chunks, also through a thin and slow line', () => {
  fc.assert(
    fc.property(talkSteps, fc.integer({ min: 1, max: 500 }), fc.boolean(), (steps, afterBytes, isSlow) => {
      const drop = ruleOf(connectionDrop, { afterBytes, how: 'end' }, { phase: 'post' });
      const slow = [ruleOf(latency, { addedMs: 30, jitterMs: 100 }), ruleOf(bandwidth, { kilobytesPerSecond: 1 })];
      const { clock, out, broken, performer } = performing(isSlow ? [drop, ...slow] : [drop]);
      const stream = performer.open();
      for (const { direction, bytes, thenMs } of steps) {
        performer.bytes(stream, direction, bytes);
        clock.advance(thenMs);
      }
      clock.advance(3_600_000);
      const said = steps.filter(({ direction }) => direction === 'to-client').flatMap(({ bytes }) => [...bytes]);
      expect(out['to-client']).toEqual(said.slice(0, afterBytes));
      expect(broken.length).toBe(said.length >= afterBytes ? 1 : 0);
    }),
  );
});

test('one connection that is held delays no other', () => {
  const { clock, out, performer } = performing([ruleOf(blackhole, { forMs: 1000 }, { at: { nth: [1] } })]);
  const [first, second] = [performer.open(), performer.open()];
  performer.bytes(first, 'to-server', Uint8Array.of(1));
  performer.bytes(second, 'to-server', Uint8Array.of(2));
  expect(out['to-server']).toEqual([2]);
  clock.advance(1000);
  expect(out['to-server']).toEqual([2, 1]);
});

test('the times of a rule that comes later count from then', () => {
  const { clock, out, performer, decider } = performing([]);
  const stream = performer.open();
  clock.advance(10_000);
  const late = ruleOf(blackhole, { forMs: 1000 }, { at: { after: { ms: 500 } } });
  decider.setPlan({ ...EMPTY_PLAN, rules: [late] }, keyedRandom(1), clock.nowMs());
  performer.bytes(stream, 'to-server', Uint8Array.of(1));
  expect(out['to-server']).toEqual([1]);
  clock.advance(500);
  performer.bytes(stream, 'to-server', Uint8Array.of(2));
  expect(out['to-server']).toEqual([1]);
});

test('a connection that outlives many rules remembers only those at work', () => {
  const { clock, performer, decider, journal, out } = performing([]);
  const stream = performer.open();
  for (let round = 0; round < 50; round++) {
    const rules = [ruleOf(latency, { addedMs: 1, jitterMs: 0 }, { id: `rule-${round}`, phase: 'pre' })];
    decider.setPlan({ ...EMPTY_PLAN, rules }, keyedRandom(1), clock.nowMs());
    performer.bytes(stream, 'to-server', Uint8Array.of(round));
    clock.advance(10);
    expect(engagementsOf(stream).length).toBeLessThanOrEqual(2);
  }
  expect(out['to-server']).toHaveLength(50);
  expect(journal.map((entry) => entry.kind === 'fault' && entry.state)).toEqual(Array.from({ length: 50 }, () => 'delivered'));
});

test('a rule that went and comes back draws anew, and acts once', () => {
  const rule = ruleOf(latency, { addedMs: 5, jitterMs: 0 }, { phase: 'pre' });
  const { clock, performer, decider, out } = performing([rule]);
  const stream = performer.open();
  for (const rules of [[], [rule]]) {
    decider.setPlan({ ...EMPTY_PLAN, rules }, keyedRandom(1), clock.nowMs());
    performer.bytes(stream, 'to-server', Uint8Array.of(rules.length));
  }
  expect(out['to-server']).toEqual([0]);
  clock.advance(5);
  expect(out['to-server']).toEqual([0, 1]);
});

test('a fault that throws leaves the bytes alone', () => {
  const failing: Fault = {
    ...latency,
    decide: () => {
      throw new Error('a mistake of ours');
    },
  };
  const problems: unknown[] = [];
  const decider = createLiveDecider({
    plan: { ...EMPTY_PLAN, rules: [ruleOf(failing, {})] },
    random: keyedRandom(1),
    transport: 'tcp',
    startedAtMs: 0,
  });
  const sent: number[] = [];
  const performer = createStreamPerformer({
    decider,
    clock: createManualClock(),
    startedAtMs: 0,
    onProblem: (error) => problems.push(error),
    ends: { send: (bytes) => void sent.push(...bytes), finish: () => {}, waiting: () => {}, disconnect: () => undefined },
  });
  performer.bytes(performer.open(), 'to-client', Uint8Array.of(7));
  expect([sent, problems.length]).toEqual([[7], 1]);
});
