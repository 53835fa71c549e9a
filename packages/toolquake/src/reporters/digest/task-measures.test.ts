import type { CallOutcome } from '@toolquake/sdk/core';
import { expect, test } from 'vitest';
import { liveMeasures, type LiveMeasures, type MeasuredCall } from './task-measures.js';

const call = (second: number, about: Partial<MeasuredCall> = {}): MeasuredCall => ({
  group: 'g',
  run: 1,
  label: 'bank',
  session: 's',
  isConversation: true,
  startedAtMs: second * 1000,
  endedAtMs: second * 1000 + 100,
  task: undefined,
  startedFor: undefined,
  trace: undefined,
  tool: 'pay',
  operation: 'one',
  outcome: 'ok',
  latencyMs: 100,
  deadlineMs: 60_000,
  deadlineBy: 'default',
  isAltered: false,
  isConformant: undefined,
  isFaulted: false,
  sends: 1,
  ref: undefined,
  ...about,
});

const series = (...outcomes: CallOutcome[]): MeasuredCall[] => outcomes.map((outcome, index) => call(index, { outcome }));
const measure = (calls: readonly MeasuredCall[]): LiveMeasures => liveMeasures(calls, undefined);

test.each<[CallOutcome[], loops: number, wasted: number]>([
  [['ok'], 0, 0],
  [['rpc-error', 'tool-error', 'no-answer'], 0, 0],
  // The fourth was one too many, but it is no loop: it came through.
  [['rpc-error', 'rpc-error', 'rpc-error', 'ok'], 0, 1],
  [['rpc-error', 'rpc-error', 'rpc-error', 'rpc-error', 'rpc-error'], 1, 2],
  // A new operation begins after every answer.
  [['rpc-error', 'rpc-error', 'ok', 'rpc-error', 'rpc-error', 'ok'], 0, 0],
])('%j makes %i loops and wastes %i calls', (outcomes, loops, wastedCalls) => {
  expect(measure(series(...outcomes))).toMatchObject({ loops, wastedCalls });
});

test('loops and wasted calls are unknown where a call does not tell what it asked for', () => {
  expect(measure([...series('rpc-error'), call(9, { operation: undefined })])).toMatchObject({ loops: undefined, wastedCalls: undefined });
});

test('a result that breaks its schema is not correct, and only judged results count for SCR', () => {
  const calls = [call(0, { isConformant: true }), call(1, { operation: 'two', isConformant: false }), call(2, { operation: 'three' })];
  expect(measure(calls).measures).toMatchObject({ scr: 0.5, scrCompat: 2 / 3, correctness: 2 / 3, availability: 1 });
  expect(measure([call(0)]).measures).toMatchObject({ scr: undefined, scrCompat: undefined });
});

test('what never recovered is in the median, and not in the mean', () => {
  const hit = { outcome: 'rpc-error', isFaulted: true } as const;
  const recovered = [call(0, hit), call(1)];
  const never = ['two', 'three'].map((operation, index) => call(2 + index, { ...hit, operation }));
  const { timeToRecover } = measure([...recovered, ...never, call(50, { operation: 'late' })]);
  expect(timeToRecover).toEqual({ meanMs: 1000, medianMs: undefined, seen: 1, of: 3 });
});

test('each call is in time by its own deadline', () => {
  const calls = [call(0, { deadlineMs: 100 }), call(1, { operation: 'two', deadlineMs: 99 })];
  expect(measure(calls).measures).toMatchObject({ deadlineAdherence: 0.5, tcsr: 0.5, eta: 1 });
});
