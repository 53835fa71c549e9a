import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { errorResponse } from './error-response.js';

faultContract(errorResponse, { example: { code: -32000, message: 'Upstream unavailable' } });

test('answers in the place of the server, which never hears of the call', () => {
  const rig = createTestRig(errorResponse, { params: { code: -32000, message: 'Busy' } });
  rig.request(exampleCall({ id: 0 }));
  expect(rig.ends.messages('to-server')).toEqual([]);
  expect(rig.ends.messages('to-client')).toEqual([{ jsonrpc: '2.0', id: 0, error: { code: -32000, message: 'Busy' } }]);
});

test('lets the server do the work in phase post, and reports a failure all the same', () => {
  const rig = createTestRig(errorResponse, { phase: 'post' });
  rig.request(exampleCall({ id: 'a' }));
  rig.answer(exampleAnswer(exampleResult(), { id: 'a' }));
  expect(rig.ends.messages('to-server')).toHaveLength(1);
  expect(rig.ends.messages('to-client')).toEqual([{ jsonrpc: '2.0', id: 'a', error: { code: -32603, message: 'Internal error' } }]);
});
