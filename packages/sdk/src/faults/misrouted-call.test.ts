import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleTools, faultContract, type TestRig } from '../testing/index.js';
import { misroutedCall } from './misrouted-call.js';

faultContract(misroutedCall, { example: {} });

const list = (rig: TestRig, names: readonly string[]): void => {
  rig.request(exampleRequest('tools/list', {}, { id: 'list' }));
  rig.answer(exampleAnswer(exampleTools(names), { id: 'list' }));
};

test('reaches the tool that it was told, with the same arguments', () => {
  const rig = createTestRig(misroutedCall, { params: { to: 'create_refund' } });
  rig.request(exampleCall({ era: 'modern', args: { a: 1 } }));
  expect(rig.ends.messages('to-server')).toEqual([exampleCall({ era: 'modern', tool: 'create_refund', args: { a: 1 } })]);
  rig.request(exampleCall({ id: 2, tool: 'create_refund' }));
  expect(rig.outcomes).toEqual(['delivered', 'not-delivered: it is the same tool']);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [{ path: '/params/name', clean: 'list_orders', dirty: 'create_refund' }],
  });
});

test('draws among the other tools that were listed, fired on or not', () => {
  const rig = createTestRig(misroutedCall, { at: { after: { matches: 1 } } });
  list(rig, ['a', 'b', 'c']);
  for (let id = 1; id <= 12; id++) rig.request(exampleCall({ id, tool: 'a' }));
  const reached = rig.ends.messages('to-server').map((message) => (message as { params: { name?: string } }).params.name);
  expect(reached.slice(0, 2)).toEqual([undefined, 'a']);
  expect(new Set(reached.slice(2))).toEqual(new Set(['b', 'c']));
});

test('goes where it should while no other tool is known', () => {
  const rig = createTestRig(misroutedCall);
  rig.request(exampleCall());
  expect(rig.ends.messages('to-server')).toEqual([exampleCall()]);
  expect(rig.outcomes).toEqual(['not-delivered: no other tool is known']);
});
