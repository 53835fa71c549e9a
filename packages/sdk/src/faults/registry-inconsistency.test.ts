import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleTools, faultContract } from '../testing/index.js';
import { registryInconsistency } from './registry-inconsistency.js';

faultContract(registryInconsistency, { example: {} });

test('lists the tool and fails the call', () => {
  const rig = createTestRig(registryInconsistency);
  rig.request(exampleRequest('tools/list', {}, { id: 1 }));
  rig.answer(exampleAnswer(exampleTools(), { id: 1 }));
  rig.request(exampleCall({ id: 2 }));
  expect(rig.ends.messages('to-client')).toEqual([
    exampleAnswer(exampleTools(), { id: 1 }),
    { jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'Tool list_orders not found' } },
  ]);
});
