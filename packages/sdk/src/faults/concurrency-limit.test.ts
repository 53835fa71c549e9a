import { describe, expect, test } from 'vitest';
import { startSession } from '../core/session.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract, type TestRig } from '../testing/index.js';
import { concurrencyLimit } from './concurrency-limit.js';

describe.each(['reject', 'queue'])('%s', (mode) => faultContract(concurrencyLimit, { example: { mode, maxWaitMs: 1000 } }));

const call = (rig: TestRig, ...ids: number[]): void => {
  for (const id of ids) rig.request(exampleCall({ id, tool: `tool_${id}` }));
};
const serve = (rig: TestRig, id: number): void => void rig.answer(exampleAnswer(exampleResult({ id }), { id }));
/** The calls that reached the server, in order. */
const reached = (rig: TestRig): readonly unknown[] =>
  rig.ends.log.filter(({ to, part }) => to === 'to-server' && part !== undefined).map(({ part }) => part);

test('turns away what is one too many, until an answer frees a place', () => {
  const rig = createTestRig(concurrencyLimit, { params: { max: 2 } });
  call(rig, 1, 2, 3);
  serve(rig, 1);
  call(rig, 4);
  expect(reached(rig)).toEqual([1, 2, 4]);
  expect(rig.ends.log.find(({ what }) => what === 'reply')).toMatchObject({
    part: 3,
    message: { id: 3, error: { code: -32000, message: 'Server is busy: too many calls at once.' } },
    http: { status: 503, headers: { 'retry-after': '1' } },
  });
});

test('lets waiting calls on in the order in which they came, one for each answer', () => {
  const rig = createTestRig(concurrencyLimit, { params: { mode: 'queue' } });
  call(rig, 1, 2, 3);
  expect(reached(rig)).toEqual([1]);
  serve(rig, 1);
  expect(reached(rig)).toEqual([1, 2]);
  serve(rig, 2);
  serve(rig, 3);
  rig.clock.advance(60_000);
  expect(reached(rig)).toEqual([1, 2, 3]);
  expect(rig.ends.messages('to-client')).toEqual([1, 2, 3].map((id) => exampleAnswer(exampleResult({ id }), { id })));
});

test('a cancelled call leaves the queue, and a cancelled one that was under way frees its place', () => {
  const rig = createTestRig(concurrencyLimit, { params: { mode: 'queue' } });
  call(rig, 1, 2, 3);
  rig.cancel(2);
  rig.cancel(1);
  rig.clock.advance(60_000);
  expect(reached(rig)).toEqual([1, 3]);
});

test('a call that has waited long enough goes on, once', () => {
  const rig = createTestRig(concurrencyLimit, { params: { mode: 'queue', maxWaitMs: 100 } });
  call(rig, 1, 2);
  rig.clock.advance(100);
  expect(reached(rig)).toEqual([1, 2]);
  call(rig, 3);
  serve(rig, 1);
  // The second has a place of its own now.
  expect(reached(rig)).toEqual([1, 2]);
  serve(rig, 2);
  expect(reached(rig)).toEqual([1, 2, 3]);
});

test('counts each session by itself, even of one label', () => {
  const rig = createTestRig(concurrencyLimit);
  call(rig, 1);
  rig.request(exampleCall({ id: 1 }), { session: startSession({ label: rig.session.label, era: 'legacy' }) });
  expect(reached(rig)).toEqual([1, 1]);
});

test('only those who had to wait are journalled, not those who made room', () => {
  const rig = createTestRig(concurrencyLimit, { params: { mode: 'queue' } });
  call(rig, 1, 2);
  serve(rig, 1);
  serve(rig, 2);
  expect(rig.outcomes).toEqual(['delivered', 'not-delivered: there was a place for it']);
});
