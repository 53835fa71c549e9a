import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract, type TestRig } from '../testing/index.js';
import { staleResult } from './stale-result.js';

faultContract(staleResult, { example: {} });

function call(rig: TestRig, id: number, data: Record<string, unknown>, tool = 'balance'): unknown {
  rig.request(exampleCall({ id, tool }));
  rig.answer(exampleAnswer(exampleResult(data), { id }));
  return rig.ends.messages('to-client').at(-1);
}

test('answers with the last clean result of the same tool, under the new id', () => {
  const rig = createTestRig(staleResult, { at: { nth: [3] } });
  call(rig, 1, { balance: 10 });
  call(rig, 2, { balance: 20 });
  call(rig, 9, { rate: 1 }, 'rate');
  expect(call(rig, 3, { balance: 30 })).toEqual(exampleAnswer(exampleResult({ balance: 20 }), { id: 3 }));
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [{ path: '/structuredContent/balance', clean: 30, dirty: 20 }],
  });
  expect(call(rig, 4, { balance: 40 })).toEqual(exampleAnswer(exampleResult({ balance: 40 }), { id: 4 }));
});

test('freezes at the first result when it always fires', () => {
  const rig = createTestRig(staleResult);
  call(rig, 1, { balance: 10 });
  expect(call(rig, 2, { balance: 20 })).toEqual(exampleAnswer(exampleResult({ balance: 10 }), { id: 2 }));
  expect(call(rig, 3, { balance: 30 })).toEqual(exampleAnswer(exampleResult({ balance: 10 }), { id: 3 }));
  expect(rig.outcomes).toEqual(['not-delivered: there is no earlier result', 'delivered', 'delivered']);
});

test('admits it when the stale result is no different', () => {
  const rig = createTestRig(staleResult);
  call(rig, 1, { balance: 10 });
  call(rig, 2, { balance: 10 });
  expect(rig.outcomes[1]).toBe('not-delivered: the earlier result is the same');
});

test('never remembers failures or very large results', () => {
  const rig = createTestRig(staleResult, { at: { after: { matches: 2 } } });
  call(rig, 1, { log: 'x'.repeat(100_000) });
  rig.request(exampleCall({ id: 2, tool: 'balance' }));
  rig.answer(exampleAnswer({ content: [], isError: true }, { id: 2 }));
  call(rig, 3, { balance: 30 });
  expect(rig.outcomes).toEqual(['not-delivered: there is no earlier result']);
});
