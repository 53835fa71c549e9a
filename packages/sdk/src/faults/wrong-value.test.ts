import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleResult, faultContract } from '../testing/index.js';
import { wrongValue } from './wrong-value.js';

faultContract(wrongValue, { example: { op: 'auto' } });

function tell(result: JsonObject, params: JsonObject = {}, seed = 1, outputSchema?: JsonObject) {
  const rig = createTestRig(wrongValue, { params, seed });
  if (outputSchema !== undefined) {
    rig.request(exampleRequest('tools/list', {}, { id: 8 }));
    rig.answer(exampleAnswer({ tools: [{ name: 'list_orders', inputSchema: {}, outputSchema }] }, { id: 8 }));
  }
  rig.request(exampleCall({ id: 9, args: { limit: 7 } }));
  rig.answer(exampleAnswer(result, { id: 9 }));
  const entry = rig.journal.find(({ kind }) => kind === 'fault') as { changes?: { path: string; clean: unknown; dirty: unknown }[] };
  return {
    result: (rig.ends.messages('to-client').at(-1) as JsonObject)['result'] as JsonObject,
    changes: entry.changes ?? [],
    outcomes: rig.outcomes,
  };
}

test('tells the same wrong value in text and structured content, and the journal which it was', () => {
  const { result, changes } = tell(exampleResult({ orders: [{ id: 'x', total: 88.25 }] }), { op: 'offset' });
  expect(changes).toHaveLength(1);
  expect(changes[0]).toMatchObject({ path: '/structuredContent/orders/0/total', clean: 88.25 });
  expect(changes[0]?.dirty).not.toBe(88.25);
  expect(result).toEqual(exampleResult({ orders: [{ id: 'x', total: changes[0]?.dirty }] }));
});

test('changes one value where the path points at several', () => {
  const data = { total: 12.5, orders: [{ total: 88.25 }, { total: 41.75 }, { total: 10.25 }] };
  const paths = Array.from({ length: 30 }, (_, seed) =>
    tell(exampleResult(data), { path: '$.orders[*].total' }, seed).changes.map(({ path }) => path),
  );
  expect(new Set(paths.flat())).toEqual(new Set([0, 1, 2].map((index) => `/structuredContent/orders/${index}/total`)));
  expect(paths.every((changed) => changed.length === 1)).toBe(true);
});

test('keeps to a closed list of values that the tool has promised', () => {
  const schema = { type: 'object', properties: { state: { type: 'string', enum: ['open', 'closed'] } } };
  expect(tell(exampleResult({ state: 'open' }), {}, 1, schema).result).toEqual(exampleResult({ state: 'closed' }));
  expect(tell(exampleResult({ state: 'open' })).outcomes).toEqual(['not-delivered: there is no value that could be wrong']);
});

test('never says what the request said', () => {
  for (let seed = 0; seed < 60; seed++) expect(tell(exampleResult({ n: 5 }), { op: 'offset' }, seed).changes[0]?.dirty).not.toBe(7);
});

describe('leaves alone', () => {
  test.each([
    [exampleResult({ note: 'words only' }), {}],
    [exampleResult({ total: 5 }), { op: 'date' }],
    [exampleResult({ total: 5 }), { path: 'elsewhere' }],
    [{ content: [] }, {}],
    [{ content: [{ type: 'text', text: '5' }], structuredContent: 5 }, {}],
  ])('%j with %j', (result, params) => {
    expect(tell(result, params)).toEqual({ result, changes: [], outcomes: ['not-delivered: there is no value that could be wrong'] });
  });
});
