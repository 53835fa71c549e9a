import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assignTasks, type TaskCall, type WrappedTask } from './task-assignment.js';

const call = (about: Partial<TaskCall> = {}): TaskCall => ({
  group: 'g',
  run: 1,
  label: 'bank',
  session: 's',
  isConversation: false,
  startedAtMs: 0,
  endedAtMs: 10,
  task: undefined,
  startedFor: undefined,
  trace: undefined,
  ...about,
});
const wrapped: WrappedTask = { group: 'g', task: 'w', startedAtMs: 0, endedAtMs: 1000 };

const found = (calls: readonly TaskCall[], tasks: readonly WrappedTask[] = []): unknown =>
  assignTasks(calls, tasks).map((ref) => ref && [ref.name, ref.method, ref.confidence]);

describe('the best evidence decides', () => {
  const everything = { task: 'id', startedFor: 'p', trace: 't', isConversation: true };
  test.each([
    [everything, ['id', 'id', 'high']],
    [{ ...everything, task: undefined }, ['p', 'process', 'high']],
    [{ trace: 't', isConversation: true }, ['w', 'process', 'medium']],
    [{ trace: 't', isConversation: true, startedAtMs: 2000 }, ['t', 'trace', 'high']],
    [{ trace: 't', group: 'elsewhere' }, ['t', 'trace', 'high']],
    [{ isConversation: true, startedAtMs: 2000 }, ['s', 'session', 'medium']],
    [{ startedAtMs: 2000 }, undefined],
  ])('%j', (about, expected) => {
    expect(found([call(about)], [wrapped])).toEqual([expected]);
  });

  test('and the wrapper of an unknown end counts until the end, but never two at once', () => {
    const open = { ...wrapped, endedAtMs: undefined };
    expect(found([call({ startedAtMs: 5000 })], [open])).toEqual([['w', 'process', 'medium']]);
    expect(found([call()], [open, { ...wrapped, task: 'v' }])).toEqual([undefined]);
  });
});

describe('a task that the admin routes of a proxy were told of', () => {
  const told: WrappedTask = { group: 'g', task: 'a', startedAtMs: 0, endedAtMs: 1000, run: 1 };

  test('has the calls of that proxy between its start and its end, whatever process or trace they come from', () => {
    expect(found([call({ startedFor: 'p', trace: 't' })], [told, wrapped])).toEqual([['a', 'admin', 'high']]);
    expect(found([call({ task: 'id' })], [told])).toEqual([['id', 'id', 'high']]);
    expect(found([call({ startedAtMs: 1001 })], [told])).toEqual([undefined]);
  });

  test('has those of other proxies of the run directory too, with less confidence, while no other task is going on', () => {
    expect(found([call({ run: 2 }), call({ run: 2, group: 'h' })], [told])).toEqual([['a', 'admin', 'medium'], undefined]);
    expect(found([call({ run: 2 })], [told, wrapped])).toEqual([undefined]);
    expect(found([call({ run: 2, startedFor: 'p' })], [told])).toEqual([['p', 'process', 'high']]);
  });
});

describe('tasks of one name', () => {
  test('are one task within a run directory, by id and by process, and two outside', () => {
    const refs = assignTasks([call({ task: 'a' }), call({ startedFor: 'a', run: 2 }), call({ task: 'a', group: 'h' })], []);
    expect(refs[0]?.key).toBe(refs[1]?.key);
    expect(refs[0]?.key).not.toBe(refs[2]?.key);
  });

  test('are two for sessions of two runs, and for a trace that is spelled like an id', () => {
    const refs = assignTasks(
      [call({ isConversation: true }), call({ isConversation: true, run: 2 }), call({ task: 't' }), call({ trace: 't' })],
      [],
    );
    expect(new Set(refs.map((ref) => ref?.key)).size).toBe(4);
  });
});

describe('an idle gap', () => {
  const at = (...seconds: number[]): TaskCall[] =>
    seconds.map((second) => call({ startedAtMs: second * 1000, endedAtMs: second * 1000 + 10 }));

  test('of more than 30 s and 8 times the usual pause divides a session', () => {
    expect(found(at(0, 1, 2, 33, 34))).toEqual([
      ...Array.from({ length: 3 }, () => ['s, part 1', 'idle-gap', 'low']),
      ...Array.from({ length: 2 }, () => ['s, part 2', 'idle-gap', 'low']),
    ]);
  });

  test('that is usual here divides nothing, and without one nothing is claimed', () => {
    expect(found(at(0, 40, 80, 120))).toEqual([undefined, undefined, undefined, undefined]);
    expect(found(at(0, 1, 2))).toEqual([undefined, undefined, undefined]);
  });

  test('is no gap while a call is still waiting', () => {
    const long = { ...at(2)[0]!, endedAtMs: 50_000 };
    expect(found([...at(0, 1), long, ...at(51)])).toEqual([undefined, undefined, undefined, undefined]);
  });
});

test('each call is in one task or none, whatever the order of the calls', () => {
  const word = fc.constantFrom('a', 'b');
  const maybe = fc.option(word, { nil: undefined });
  const anyCall = fc
    .record({
      group: word,
      run: fc.integer({ min: 1, max: 3 }),
      session: word,
      isConversation: fc.boolean(),
      task: maybe,
      startedFor: maybe,
      trace: maybe,
    })
    .chain((about) => fc.integer({ min: 0, max: 200_000 }).map((ms) => call({ ...about, startedAtMs: ms, endedAtMs: ms + 5 })));
  const anyWrapped = fc.record({
    group: word,
    task: word,
    startedAtMs: fc.integer({ min: 0, max: 100_000 }),
    endedAtMs: fc.option(fc.integer({ min: 100_000, max: 200_000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc
        .array(anyCall, { maxLength: 12 })
        .chain((calls) => fc.tuple(fc.constant(calls), fc.shuffledSubarray(calls, { minLength: calls.length }))),
      fc.array(anyWrapped, { maxLength: 3 }),
      ([calls, shuffled], tasks) => {
        const refs = assignTasks(calls, tasks);
        expect(refs).toHaveLength(calls.length);
        const byCall = new Map(calls.map((one, index) => [one, refs[index]]));
        expect(assignTasks(shuffled, [...tasks].reverse())).toEqual(shuffled.map((one) => byCall.get(one)));
      },
    ),
  );
});
