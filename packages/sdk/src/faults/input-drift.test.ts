import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleRequest, exampleTools, faultContract, type TestRig } from '../testing/index.js';
import { inputDrift } from './input-drift.js';

// The tools of the ordinary conversation take no arguments, so only a new one can be shown there.
describe('without notice', () => faultContract(inputDrift, { example: { op: 'new-required' } }));
describe('with notice', () => faultContract(inputDrift, { example: { op: 'new-required', hasNotice: true } }));

const properties = { note: { type: 'string' }, order_id: { type: 'integer' } };
const inputSchema = { type: 'object', properties, required: ['order_id'], additionalProperties: false };

/** Lists one tool; gives the input schema that the client gets. */
function schemaListed(rig: TestRig, id = 1, params: JsonObject = {}): JsonObject {
  rig.request(exampleRequest('tools/list', params, { id }));
  rig.answer(exampleAnswer({ tools: [{ name: 'pay', inputSchema }] }, { id }));
  const { result } = rig.ends.messages('to-client').at(-1) as { result: { tools: [{ inputSchema: JsonObject }] } };
  return result.tools[0].inputSchema;
}
const notices = (rig: TestRig): number => rig.ends.log.filter(({ what }) => what === 'emit').length;

test.each([
  [{ op: 'rename' }, { properties: { note: properties.note, orderId: properties.order_id }, required: ['orderId'] }],
  [{ op: 'rename', member: 'note' }, { properties: { note_v2: properties.note, order_id: properties.order_id } }],
  [{ op: 'new-required' }, { properties: { ...properties, tenant_id: { type: 'string' } }, required: ['order_id', 'tenant_id'] }],
  [{ op: 'narrow' }, { properties: { ...properties, order_id: { type: 'integer', minimum: 1, maximum: 10 } } }],
  [{ op: 'narrow', member: 'note' }, { properties: { ...properties, note: { type: 'string', maxLength: 8 } } }],
])('%j changes that, and nothing else', (params, changed) => {
  const rig = createTestRig(inputDrift, { params });
  const schema = schemaListed(rig);
  expect(schema).toEqual({ ...inputSchema, ...changed });
  const order = (of: JsonObject): string[] => Object.keys(of['properties'] as JsonObject);
  expect(order(schema)).toEqual(order(changed));
});

test('notes which member changed', () => {
  const rig = createTestRig(inputDrift, { params: { op: 'rename' } });
  schemaListed(rig);
  const place = '/tools/0/inputSchema/properties';
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [
      { path: `${place}/order_id`, clean: 'object of 1' },
      { path: `${place}/orderId`, dirty: 'object of 1' },
    ],
  });
});

test('has nothing to change where there is no such member', () => {
  const rig = createTestRig(inputDrift);
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer(exampleTools()));
  expect(rig.outcomes).toEqual(['not-delivered: none of the tools could be changed']);
});

test('announces the drift once, with the last clean list, and drifts from the next one on', () => {
  const rig = createTestRig(inputDrift, { params: { op: 'new-required', afterLists: 2, hasNotice: true } });
  expect([schemaListed(rig, 1), notices(rig)]).toEqual([inputSchema, 0]);
  expect([schemaListed(rig, 2), notices(rig)]).toEqual([inputSchema, 1]);
  expect([schemaListed(rig, 3, { cursor: 'p2' }), notices(rig)]).toEqual([inputSchema, 1]);
  expect(schemaListed(rig, 4)['required']).toEqual(['order_id', 'tenant_id']);
  expect(notices(rig)).toBe(1);
});

test('announces nothing in the modern era, where a notice needs a subscription', () => {
  const rig = createTestRig(inputDrift, { params: { op: 'new-required', hasNotice: true }, era: 'modern' });
  schemaListed(rig);
  expect([notices(rig), rig.outcomes]).toEqual([0, ['delivered']]);
});
