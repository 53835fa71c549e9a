import type { JournalEntry } from '@toolquake/sdk/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sample } from '../core/sample.js';
import { createLaneJoin, type LaneJoin } from './lane-join.js';

type CallSample = Sample & { readonly source: 'call' };

const sample = (atMs: number): CallSample => ({ source: 'call', atMs, lane: 'control', tool: 'search', end: 'ok', ms: 5 });
const keyOf = (call: number): string => call.toString(16).padStart(32, '0');
const entry = (call: number, isHit: boolean): JournalEntry => ({
  kind: 'call',
  atMs: 0,
  outcome: 'ok' as never,
  latencyMs: 1,
  session: 'load-1',
  exchange: call,
  method: 'tools/call',
  trace: keyOf(call),
  ...(isHit ? { faults: ['cut'] } : {}),
});

function joined(options: { patienceMs?: number; maxWaiting?: number } = {}): { join: LaneJoin; told: CallSample[] } {
  const told: CallSample[] = [];
  return { join: createLaneJoin({ onSample: (one) => told.push(one), ...options }), told };
}

test('whoever speaks first, each call is told once, in the lane that the proxy knows', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ isHit: fc.boolean(), said: fc.boolean(), seen: fc.boolean() }), { maxLength: 40 }),
      fc.infiniteStream(fc.nat()),
      (calls, order) => {
        const { join, told } = joined();
        const steps = calls.flatMap(({ isHit, said, seen }, call) => [
          ...(said ? [() => join.call({ key: keyOf(call), sample: sample(call) }, 0)] : []),
          ...(seen ? [() => join.entry(entry(call, isHit), 0)] : []),
        ]);
        while (steps.length > 0) steps.splice((order.next().value ?? 0) % steps.length, 1)[0]!();
        join.settle(Infinity);
        const expected = calls.flatMap(({ isHit, said, seen }, call) =>
          said && seen ? [{ atMs: call, lane: isHit ? 'faulted' : 'control' }] : [],
        );
        expect(told.map(({ atMs, lane }) => ({ atMs, lane })).toSorted((one, other) => one.atMs - other.atMs)).toEqual(expected);
        expect(join.dropped).toEqual({
          calls: calls.filter(({ said, seen }) => said && !seen).length,
          entries: calls.filter(({ said, seen }) => seen && !said).length,
        });
        expect(join.waiting).toBe(0);
      },
    ),
  );
});

test('a call without an entry is no control call: it is dropped and counted when its time is over', () => {
  const { join, told } = joined({ patienceMs: 100 });
  join.call({ key: keyOf(1), sample: sample(1) }, 0);
  join.settle(99);
  expect(join.waiting).toBe(1);
  join.settle(100);
  expect([told, join.dropped, join.waiting]).toEqual([[], { calls: 1, entries: 0 }, 0]);
  join.entry(entry(1, false), 101);
  expect(told).toEqual([]);
});

test('memory is bounded on both sides, and the oldest goes first', () => {
  const { join, told } = joined({ maxWaiting: 3 });
  for (let call = 0; call < 10; call++) join.call({ key: keyOf(call), sample: sample(call) }, call);
  for (let call = 20; call < 30; call++) join.entry(entry(call, true), call);
  expect([join.waiting, join.dropped]).toEqual([6, { calls: 7, entries: 7 }]);
  join.entry(entry(9, true), 31);
  expect(told).toMatchObject([{ atMs: 9, lane: 'faulted' }]);
});

test('entries of other kinds, and calls without a trace, are nobody of ours', () => {
  const { join } = joined();
  const { trace: _, ...strange } = entry(1, true) as JournalEntry & { trace: string };
  join.entry(strange as JournalEntry, 0);
  join.entry({ kind: 'problem', atMs: 0, message: 'x' }, 0);
  expect(join.waiting).toBe(0);
});

test('a call that found no connection never reached the proxy: it is told at once, and was not hit', () => {
  const { join, told } = joined();
  join.call({ key: '', sample: { ...sample(1), end: 'broken' } }, 0);
  expect([told, join.waiting]).toMatchObject([[{ end: 'broken', lane: 'control' }], 0]);
});
