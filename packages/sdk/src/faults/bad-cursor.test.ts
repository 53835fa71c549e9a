import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleRequest, exampleTools, faultContract, type TestRig } from '../testing/index.js';
import { badCursor } from './bad-cursor.js';

describe.each(['first-page-only', 'loop', 'empty-string', 'invalid'])('%s', (mode) => faultContract(badCursor, { example: { mode } }));

/** Lists a page; the server answers with these tools. Gives the answer that the client gets. */
function list(rig: TestRig, id: number, params: JsonObject, result: JsonObject = exampleTools()): JsonObject {
  rig.request(exampleRequest('tools/list', params, { id }));
  rig.answer(exampleAnswer(result, { id }));
  return rig.ends.messages('to-client').at(-1) as JsonObject;
}
const cursorIn = (answer: JsonObject): unknown => (answer['result'] as JsonObject)['nextCursor'];

test.each(['loop', 'empty-string'])('%s: every page leads to the first one, by a cursor that the server never sees', (mode) => {
  const rig = createTestRig(badCursor, { params: { mode } });
  const cursor = cursorIn(list(rig, 1, {}));
  expect(typeof cursor).toBe('string');
  expect(cursor === '').toBe(mode === 'empty-string');
  expect(cursorIn(list(rig, 2, { cursor, limit: 5 }))).toBe(cursor);
  expect(rig.ends.messages('to-server')).toEqual([
    exampleRequest('tools/list', {}, { id: 1 }),
    exampleRequest('tools/list', { limit: 5 }, { id: 2 }),
  ]);
});

test('first-page-only: the cursor of a longer list is gone, and one page becomes half a page', () => {
  const rig = createTestRig(badCursor, { params: { mode: 'first-page-only' } });
  expect(list(rig, 1, {}, { ...exampleTools(), nextCursor: 'p2' })).toEqual(exampleAnswer(exampleTools()));
  expect(list(rig, 2, {})).toEqual(exampleAnswer(exampleTools(['list_orders']), { id: 2 }));
  list(rig, 3, {}, exampleTools(['alone']));
  expect(rig.outcomes).toEqual(['delivered', 'delivered', 'not-delivered: the list is too short for two pages']);
});

test('invalid: the cursor is refused, by the server or in its place', () => {
  const rig = createTestRig(badCursor, { params: { mode: 'invalid' } });
  const cursor = cursorIn(list(rig, 1, {}));
  expect(list(rig, 2, { cursor })).toEqual({ jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'Invalid cursor' } });
  const own = { jsonrpc: '2.0', id: 3, error: { code: -32602, message: 'What cursor?' } };
  rig.request(exampleRequest('tools/list', { cursor }, { id: 3 }));
  rig.answer(own);
  expect(rig.ends.messages('to-client').at(-1)).toEqual(own);
  expect(rig.outcomes.at(-1)).toBe('not-delivered: the server refused it itself');
});

test('a server that says the same needs no help', () => {
  const rig = createTestRig(badCursor, { params: { mode: 'empty-string' } });
  expect(cursorIn(list(rig, 1, {}, { ...exampleTools(), nextCursor: '' }))).toBe('');
  expect(rig.outcomes).toEqual(['not-delivered: the server said the same']);
});
