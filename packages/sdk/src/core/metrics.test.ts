import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallOutcome } from './call-outcome.js';
import {
  countCall,
  countOperation,
  countRefusal,
  countTask,
  isCorrect,
  measuresOf,
  mergeTally,
  startTally,
  type CallRecord,
  type Tally,
} from './metrics.js';

const record = (changes: Partial<CallRecord> = {}): CallRecord => ({
  outcome: 'ok',
  latencyMs: 20,
  deadlineMs: 1000,
  isConformant: undefined,
  isUsable: undefined,
  isAltered: false,
  ...changes,
});

const OUTCOMES: readonly CallOutcome[] = ['ok', 'tool-error', 'rpc-error', 'http-error', 'disconnected', 'no-answer', 'cancelled'];
const anyRecord = fc.record({
  outcome: fc.constantFrom(...OUTCOMES),
  latencyMs: fc.nat(2000),
  deadlineMs: fc.constantFrom(0, 1000),
  isConformant: fc.constantFrom(undefined, true, false),
  isUsable: fc.constantFrom(undefined, true, false),
  isAltered: fc.boolean(),
});
/** One task: its operations, each a list of attempts (none: refused). */
const anyTask = fc.record({
  operations: fc.array(fc.record({ attempts: fc.array(anyRecord, { maxLength: 3 }), isFaulted: fc.boolean() }), { maxLength: 6 }),
  outcome: fc.constantFrom('complete' as const, 'degraded' as const, 'failed' as const),
});

function tallyOf(tasks: readonly (typeof anyTask extends fc.Arbitrary<infer Task> ? Task : never)[]): Tally {
  const tally = startTally({ knowsExecutions: true });
  for (const task of tasks) {
    for (const { attempts, isFaulted } of task.operations) {
      for (const attempt of attempts) countCall(tally, attempt);
      const last = attempts.at(-1);
      if (last === undefined) countRefusal(tally);
      else countOperation(tally, last, { sends: attempts.length, isFaulted });
    }
    countTask(tally, task.outcome);
  }
  return tally;
}

test('a table of calls by hand', () => {
  const tally = startTally({ knowsExecutions: true });
  const calls = [
    record({ isConformant: true }),
    record({ latencyMs: 1500, isConformant: true }), // correct, late
    record({ isConformant: false }), // answered, wrong shape
    record({ isAltered: true, isConformant: true }), // answered, a lie
    record({ outcome: 'tool-error' }),
    record({ outcome: 'rpc-error' }),
    record({ outcome: 'no-answer', latencyMs: 5 }),
    record({ outcome: 'disconnected' }),
  ];
  for (const call of calls) countCall(tally, call);
  // Four operations of two calls each; one more was refused by a breaker. Two tasks, one failed.
  for (const index of [1, 3, 5, 7]) countOperation(tally, calls[index]!, { sends: 2, isFaulted: index > 4 });
  countRefusal(tally);
  countTask(tally, 'failed');
  countTask(tally, 'degraded');
  tally.executed = 6;
  expect(measuresOf(tally)).toEqual({
    availability: 5 / 8,
    correctness: 2 / 5,
    eta: 2 / 8,
    tcsr: 1 / 8,
    scr: 3 / 4,
    deadlineAdherence: 6 / 8,
    tcaf: 5 / 2,
    tcafWire: 8 / 2,
    retryAmplification: 8 / 5,
    retryAmplificationFaulted: 2,
    retryAmplificationUpstream: 6 / 5,
    blastRadius: 1 / 2,
    availabilityCompat: 2 / 4,
    correctnessCompat: 1 / 2,
    etaCompat: 1 / 4,
    tcsrCompat: 0,
    scrCompat: 1,
    deadlineAdherenceCompat: 3 / 4,
    tcafCompat: 4 / 2,
  });
});

describe('what cannot be known is undefined', () => {
  test('everything, for an empty tally', () => {
    expect(new Set(Object.values(measuresOf(startTally())))).toEqual(new Set([undefined]));
  });

  test('everything per task, where nobody told tasks apart', () => {
    const tally = startTally();
    countCall(tally, record());
    countOperation(tally, record(), { sends: 1, isFaulted: false });
    const { tcaf, tcafWire, tcafCompat, blastRadius, eta } = measuresOf(tally);
    expect([tcaf, tcafWire, tcafCompat, blastRadius, eta]).toEqual([undefined, undefined, undefined, undefined, 1]);
  });

  test('conformance without a schema, and executions without a look at the server', () => {
    const tally = startTally();
    countCall(tally, record());
    countOperation(tally, record(), { sends: 1, isFaulted: false });
    const { scr, retryAmplificationUpstream, retryAmplificationFaulted } = measuresOf(tally);
    expect([scr, retryAmplificationUpstream, retryAmplificationFaulted]).toEqual([undefined, undefined, undefined]);
  });

  test('executions of a sum of which one part does not know', () => {
    const [knows, knowsNot] = [startTally({ knowsExecutions: true }), startTally()];
    for (const tally of [knows, knowsNot]) countCall(tally, record());
    mergeTally(knows, knowsNot);
    expect(knows.knowsExecutions).toBe(false);
  });
});

test.each(OUTCOMES.filter((outcome) => outcome !== 'ok'))('a call that ended with %s is never correct', (outcome) => {
  expect(isCorrect(record({ outcome, isConformant: true, isUsable: true }))).toBe(false);
});

test('a call that hung misses its deadline, however short it was', () => {
  const tally = startTally();
  countCall(tally, record({ outcome: 'no-answer', latencyMs: 0 }));
  countCall(tally, record({ outcome: 'cancelled', latencyMs: 0 }));
  expect(measuresOf(tally).deadlineAdherence).toBe(0);
});

test('ETA is availability times correctness, and nothing exceeds what it is a part of', () => {
  fc.assert(
    fc.property(fc.array(anyTask, { maxLength: 8 }), (tasks) => {
      const measures = measuresOf(tallyOf(tasks));
      const { availability, correctness, eta, tcsr, deadlineAdherence } = measures;
      if (eta !== undefined && correctness !== undefined) expect(eta).toBeCloseTo(availability! * correctness, 12);
      if (tcsr !== undefined) {
        expect(tcsr).toBeLessThanOrEqual(eta!);
        expect(tcsr).toBeLessThanOrEqual(deadlineAdherence!);
      }
      const { tcaf, tcafWire, tcafCompat, retryAmplification, retryAmplificationFaulted, retryAmplificationUpstream, ...shares } = measures;
      for (const share of Object.values(shares)) if (share !== undefined) expect(share >= 0 && share <= 1).toBe(true);
      expect([tcaf, tcafWire, tcafCompat, retryAmplification, retryAmplificationFaulted, retryAmplificationUpstream]).not.toContain(
        Number.NaN,
      );
    }),
  );
});

test('tallies of parts add up to the tally of the whole, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyTask, { maxLength: 4 }), { maxLength: 4 }), (parts) => {
      const whole = tallyOf(parts.flat());
      for (const order of [parts, parts.toReversed()]) {
        const sum = startTally({ knowsExecutions: true });
        for (const part of order) mergeTally(sum, tallyOf(part));
        expect(sum).toEqual(whole);
      }
    }),
  );
});
