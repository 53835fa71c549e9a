import { expect, test } from 'vitest';
import { frameFromBytes } from '../core/frame.js';
import { arrived, askFault, createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { doNothing } from './do-nothing.js';

faultContract(doNothing, { example: {} });

test('sends on the very frame that came, bytes and all', () => {
  const frame = frameFromBytes('to-server', new TextEncoder().encode('{"jsonrpc":"2.0",  "id":1,"method":"ping"}'));
  expect(askFault(doNothing, arrived(frame))).toEqual([{ kind: 'forward', frame, afterMs: 0 }]);
});

test('counts as delivered and never as altered, so that it can stand in for another fault', () => {
  const rig = createTestRig(doNothing);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.outcomes).toEqual(['delivered']);
  expect(rig.journal.find(({ kind }) => kind === 'call')).not.toHaveProperty('isAltered');
});
