import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleResult, faultContract, type TestRig } from '../testing/index.js';
import { headOfLineBlocking } from './head-of-line-blocking.js';

faultContract(headOfLineBlocking, { example: { blockMs: 1000 } });

const call = (rig: TestRig, ...ids: number[]): void => {
  for (const id of ids) rig.request(exampleCall({ id, tool: `tool_${id}` }));
};
const serve = (rig: TestRig, id: number): void => void rig.answer(exampleAnswer(exampleResult({ id }), { id }));
/** What reached the server, in order. */
const reached = (rig: TestRig): readonly unknown[] => rig.ends.log.filter(({ to }) => to === 'to-server').map(({ part }) => part);

test('later calls wait behind the first, drawn or not, and follow in order', () => {
  const rig = createTestRig(headOfLineBlocking, { params: { blockMs: 100 }, when: { tool: ['tool_1'] } });
  call(rig, 1, 2, 3);
  expect(reached(rig)).toEqual([]);
  rig.clock.advance(100);
  expect(reached(rig)).toEqual([1]);
  call(rig, 4);
  serve(rig, 1);
  expect(reached(rig)).toEqual([1, 2, 3, 4]);
  call(rig, 5);
  expect(reached(rig)).toEqual([1, 2, 3, 4, 5]);
  expect(rig.outcomes).toEqual(['delivered', 'delivered', 'delivered', 'delivered']);
});

test('pings, notifications and lists pass', () => {
  const rig = createTestRig(headOfLineBlocking);
  call(rig, 1);
  rig.request(exampleRequest('ping', {}, { id: 2 }));
  rig.request({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  rig.request(exampleRequest('tools/list', {}, { id: 3 }));
  expect(reached(rig)).toEqual([2, undefined, 3]);
});

test('giving up on the first lets the others go; one that was given up stays behind', () => {
  const rig = createTestRig(headOfLineBlocking);
  call(rig, 1, 2, 3);
  rig.cancel(2);
  rig.cancel(1);
  rig.clock.advance(60_000);
  expect(reached(rig).filter((id) => id !== undefined)).toEqual([3]);
});

test('sends nothing twice that was released by other means', () => {
  const rig = createTestRig(headOfLineBlocking);
  call(rig, 1, 2);
  rig.performer.release();
  serve(rig, 1);
  expect(reached(rig)).toEqual([1, 2]);
});
