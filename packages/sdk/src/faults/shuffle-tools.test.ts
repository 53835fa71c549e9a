import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleRequest, exampleTools, faultContract } from '../testing/index.js';
import { shuffleTools } from './shuffle-tools.js';

faultContract(shuffleTools, { example: {} });

test('keeps every tool, and finds another order each time', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const rig = createTestRig(shuffleTools);
  const orders = Array.from({ length: 5 }, (_, id) => {
    rig.request(exampleRequest('tools/list', {}, { id }));
    rig.answer(exampleAnswer(exampleTools(names), { id }));
    const { result } = rig.ends.messages('to-client').at(-1) as { result: { tools: { name: string }[] } };
    return result.tools.map(({ name }) => name);
  });
  for (const order of orders) expect(order.toSorted()).toEqual(names);
  expect(new Set([names, ...orders].map(String)).size).toBe(6);
});

test('never leaves two tools as they were', () => {
  for (let seed = 0; seed < 8; seed++) {
    const rig = createTestRig(shuffleTools, { seed });
    rig.request(exampleRequest('tools/list'));
    rig.answer(exampleAnswer(exampleTools(['a', 'b'])));
    expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(exampleTools(['b', 'a']))]);
  }
});

test('has no other order for one tool', () => {
  const rig = createTestRig(shuffleTools);
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer(exampleTools(['a'])));
  expect(rig.outcomes).toEqual(['not-delivered: there is only one order']);
});
