import { expect, test } from 'vitest';
import { frameFromMessage } from './frame.js';
import { openExchange, startSession } from './session.js';
import { changeTools, cursorOf, editableTools, findTool, lookAlike } from './tool-list.js';

const page = (result: unknown) => frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, result });
const everything = (): boolean => true;

test('says why there are no tools', () => {
  expect(editableTools(page({ tools: 'none' }))).toBe('the result lists no tools');
  expect(editableTools(frameFromMessage('to-client', { id: 1, error: {} }))).toBe('the answer is an error');
});

test('finds and changes only what has a name', () => {
  const tools = [null, 1, { name: 2 }, { name: 'a' }, { name: 'b' }];
  expect(findTool(tools, everything)).toBe(3);
  expect(findTool(tools, (name) => name === 'c')).toBe(-1);
  const changed = changeTools(
    page({ tools }),
    (name) => name === 'b',
    (tool, index) => ({ ...tool, index }),
  );
  expect(changed).toMatchObject({ message: { result: { tools: [null, 1, { name: 2 }, { name: 'a' }, { name: 'b', index: 4 }] } } });
  expect(changeTools(page({ tools }), everything, (tool) => tool)).toBe('none of the tools could be changed');
});

test('reads the cursor of a request, whatever its parameters are', () => {
  const cursorIn = (params: unknown): unknown =>
    cursorOf(openExchange(startSession(), frameFromMessage('to-server', { jsonrpc: '2.0', id: 1, method: 'tools/list', params }), 0));
  expect([cursorIn({ cursor: 'p2' }), cursorIn({}), cursorIn(undefined), cursorIn([])]).toEqual(['p2', undefined, undefined, undefined]);
});

test('takes no longer for a name that was made to be searched', () => {
  const name = '_'.repeat(500_000);
  expect(lookAlike(name, () => false)).toBe(`${name}_v2`);
});

test.each([
  ['list_orders', 'listOrders'],
  ['listOrders', 'list_orders'],
  ['list-orders', 'listOrders'],
  ['pay', 'pay_v2'],
])('%s looks like %s', (name, other) => {
  expect(lookAlike(name, () => false)).toBe(other);
  expect(lookAlike(name, (taken) => taken === other)).toBe(`${other}_v2`);
});
