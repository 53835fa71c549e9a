import { describe, expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleRequest, exampleTools, faultContract } from '../testing/index.js';
import { badToolSchema } from './bad-tool-schema.js';

// Lists with such a tool are not what the specification allows: that is the point.
describe.each(['non-object', 'missing', 'null', 'unresolvable-ref', 'unknown-type'])('%s', (flaw) =>
  faultContract(badToolSchema, { example: { flaw }, claimsValid: false }),
);

const pay = { name: 'pay', inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } };

test.each([
  ['non-object', { type: 'string' }],
  ['missing', undefined],
  ['null', null],
  ['unresolvable-ref', { ...pay.inputSchema, properties: { amount: { type: 'number' }, options: { $ref: '#/$defs/Options' } } }],
  ['unknown-type', { ...pay.inputSchema, properties: { amount: { type: 'number' }, limit: { type: 'int' } } }],
])('%s: spoils one tool and leaves the others as they are', (flaw, inputSchema) => {
  const rig = createTestRig(badToolSchema, { params: { flaw }, when: { tool: ['pay', 'create_*'] } });
  const others = exampleTools()['tools'] as object[];
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer({ tools: [others[0], pay, others[1]] }));
  const spoilt = inputSchema === undefined ? { name: 'pay' } : { name: 'pay', inputSchema };
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ tools: [others[0], spoilt, others[1]] })]);
  expect(rig.outcomes).toEqual(['delivered']);
});

test('leaves a page alone that lists none of them', () => {
  const rig = createTestRig(badToolSchema, { when: { tool: ['gone'] } });
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer(exampleTools()));
  expect(rig.outcomes).toEqual(['not-delivered: none of the tools is listed']);
});

test('a schema that is like that already is not delivered', () => {
  const rig = createTestRig(badToolSchema, { params: { flaw: 'missing' } });
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer({ tools: [{ name: 'pay' }] }));
  expect(rig.outcomes).toEqual(['not-delivered: its schema is like that already']);
});
