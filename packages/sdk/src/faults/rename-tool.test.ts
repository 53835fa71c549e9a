import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleTools, faultContract } from '../testing/index.js';
import { renameTool } from './rename-tool.js';

faultContract(renameTool, { example: {} });

test('lists the new name and leaves calls to the server', () => {
  const rig = createTestRig(renameTool, { params: { prefix: 'shop.', suffix: '' }, when: { tool: ['create_*'] } });
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer(exampleTools()));
  const [first, second] = exampleTools()['tools'] as object[];
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ tools: [first, { ...second, name: 'shop.create_refund' }] })]);
  rig.request(exampleCall({ id: 2, tool: 'shop.create_refund' }));
  expect(rig.ends.messages('to-server').at(-1)).toEqual(exampleCall({ id: 2, tool: 'shop.create_refund' }));
});

test('needs something to rename with', () => {
  const values = (prefix: string, suffix: string) => ({ prefix, suffix }) as unknown as Readonly<Record<string, never>>;
  expect(renameTool.whyPointless?.(values('', ''))).toBe('prefix and suffix are empty, so no name changes');
  expect(renameTool.whyPointless?.(values('a', ''))).toBeUndefined();
});
