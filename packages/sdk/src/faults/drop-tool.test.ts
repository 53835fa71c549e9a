import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleTools, faultContract } from '../testing/index.js';
import { dropTool } from './drop-tool.js';

faultContract(dropTool, { example: {} });

test('takes the tools of its rule off the list and keeps the others as they are', () => {
  const rig = createTestRig(dropTool, { when: { tool: ['create_*'] } });
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer({ ...exampleTools(['list_orders', 'create_refund', 'create_order']), nextCursor: 'p2' }));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ ...exampleTools(['list_orders']), nextCursor: 'p2' })]);
});

test('does not know the tool when it is called', () => {
  const rig = createTestRig(dropTool, { when: { tool: ['create_*'] } });
  rig.request(exampleCall({ tool: 'create_refund' }));
  rig.request(exampleCall({ id: 2, tool: 'list_orders' }));
  expect(rig.ends.messages('to-client')).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'Unknown tool: create_refund' } },
  ]);
  expect(rig.ends.messages('to-server')).toHaveLength(1);
});

test('leaves a page alone that lists none of them', () => {
  const rig = createTestRig(dropTool, { when: { tool: ['gone'] } });
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer(exampleTools()));
  expect(rig.outcomes).toEqual(['not-delivered: none of the tools is listed']);
});

test('a tool that is only unlisted can still be called', () => {
  const rig = createTestRig(dropTool, { params: { from: 'list' }, when: { tool: ['create_*'] } });
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer(exampleTools()));
  rig.request(exampleCall({ id: 2, tool: 'create_refund' }));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(exampleTools(['list_orders']))]);
  expect(rig.ends.messages('to-server').at(-1)).toEqual(exampleCall({ id: 2, tool: 'create_refund' }));
  expect(rig.outcomes).toEqual(['delivered', 'not-delivered: it can still be called']);
});
