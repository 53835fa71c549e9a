import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deadlinesIn, deadlinesOf, type TimedCall } from './deadlines.js';

const call = (about: Partial<TimedCall> = {}): TimedCall => ({
  run: 1,
  session: 's',
  tool: 't',
  latencyMs: 10,
  isTimedOut: false,
  planDeadlineMs: undefined,
  ...about,
});

test("the client's timeout counts for its calls of the tool, then the plan, then 60 s", () => {
  const calls = [
    call(),
    call({ isTimedOut: true, latencyMs: 900 }),
    call({ isTimedOut: true, latencyMs: 800 }),
    call({ tool: 'other', planDeadlineMs: 5000 }),
    call({ session: 'another' }),
    call({ run: 2 }),
  ];
  const deadlines = calls.map(deadlinesOf(calls));
  expect(deadlines.map(({ deadlineMs, deadlineBy }) => [deadlineMs, deadlineBy])).toEqual([
    [800, 'client'],
    [800, 'client'],
    [800, 'client'],
    [5000, 'plan'],
    [60_000, 'default'],
    [60_000, 'default'],
  ]);
  expect(deadlinesIn(deadlines)).toEqual([
    { source: 'client', calls: 3, lowMs: 800, highMs: 800 },
    { source: 'plan', calls: 1, lowMs: 5000, highMs: 5000 },
    { source: 'default', calls: 2, lowMs: 60_000, highMs: 60_000 },
  ]);
});

test('the order of the calls does not matter', () => {
  const anyCall = fc
    .record({ tool: fc.constantFrom('a', 'b'), latencyMs: fc.nat(100), isTimedOut: fc.boolean() })
    .map((about) => call(about));
  fc.assert(
    fc.property(fc.array(anyCall), (calls) => {
      const [one, other] = [deadlinesOf(calls), deadlinesOf(calls.toReversed())];
      for (const each of calls) expect(one(each)).toEqual(other(each));
    }),
  );
});
