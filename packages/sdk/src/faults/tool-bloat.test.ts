import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleRequest, exampleTools, faultContract } from '../testing/index.js';
import { toolBloat } from './tool-bloat.js';

faultContract(toolBloat, { example: { count: 5 } });

test('adds so many tools, each under a name of its own', () => {
  const rig = createTestRig(toolBloat, { params: { count: 250 } });
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer(exampleTools(['get_account', 'list_account_v2'])));
  const { result } = rig.ends.messages('to-client')[0] as { result: { tools: JsonObject[] } };
  expect(result.tools.slice(0, 2)).toEqual(exampleTools(['get_account', 'list_account_v2'])['tools']);
  expect(new Set(result.tools.map((tool) => tool['name'])).size).toBe(252);
});

test('adds them once to a list of several pages', () => {
  const rig = createTestRig(toolBloat, { params: { count: 1 } });
  rig.request(exampleRequest('tools/list', { cursor: 'p2' }));
  rig.answer(exampleAnswer(exampleTools()));
  expect(rig.outcomes).toEqual(['not-delivered: the first page has them already']);
});
