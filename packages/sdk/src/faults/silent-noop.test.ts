import { expect, test } from 'vitest';
import { accepts } from '../core/output-schema.js';
import { startSession } from '../core/session.js';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleResult, faultContract } from '../testing/index.js';
import { silentNoop } from './silent-noop.js';

faultContract(silentNoop, { example: {} });

test.each(['legacy', 'modern'] as const)('says that all is well, and the server never hears of the call (%s)', (era) => {
  const rig = createTestRig(silentNoop, { era });
  rig.request(exampleCall({ era }));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ content: [{ type: 'text', text: 'OK' }] }, { era })]);
  expect(rig.ends.messages('to-server')).toEqual([]);
});

test('says it the way the tool does: about the new arguments, under a new number', () => {
  const rig = createTestRig(silentNoop, { at: { nth: [2] } });
  rig.request(exampleCall({ id: 1, args: { order: 'A-1001', amount: 5 } }));
  rig.answer(exampleAnswer(exampleResult({ receiptId: 'R-48213', order: 'A-1001', amount: 5, state: 'done' }), { id: 1 }));
  rig.request(exampleCall({ id: 2, args: { order: 'A-2002', amount: 7 } }));
  const { result } = rig.ends.messages('to-client')[1] as { result: { structuredContent: { receiptId: string } } };
  expect(result).toEqual(exampleResult({ receiptId: result.structuredContent.receiptId, order: 'A-2002', amount: 7, state: 'done' }));
  expect(result.structuredContent.receiptId).toMatch(/^R-[1-9]\d{4}$/);
  expect(result.structuredContent.receiptId).not.toBe('R-48213');
  expect(rig.ends.messages('to-server')).toHaveLength(1);
  const made = { path: '/structuredContent/receiptId', dirty: result.structuredContent.receiptId };
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({ changes: expect.arrayContaining([made]) as unknown });
});

test('repeats words about the new arguments too', () => {
  const rig = createTestRig(silentNoop, { at: { nth: [2] } });
  rig.request(exampleCall({ id: 1, args: { order: 'A-1' } }));
  rig.answer(exampleAnswer({ content: [{ type: 'text', text: 'Refunded A-1.' }] }, { id: 1 }));
  rig.request(exampleCall({ id: 2, args: { order: 'B-2' } }));
  expect(rig.ends.messages('to-client')[1]).toEqual(exampleAnswer({ content: [{ type: 'text', text: 'Refunded B-2.' }] }, { id: 2 }));
});

test('makes what the output schema asks for while nothing was seen', () => {
  const outputSchema = {
    type: 'object',
    properties: { ok: { type: 'boolean' }, state: { enum: ['done'] }, n: { type: 'integer', minimum: 3 } },
    required: ['ok', 'state', 'n'],
  };
  const rig = createTestRig(silentNoop);
  rig.request(exampleRequest('tools/list', {}, { id: 8 }));
  rig.answer(exampleAnswer({ tools: [{ name: 'list_orders', inputSchema: {}, outputSchema }] }, { id: 8 }));
  rig.request(exampleCall());
  const { result } = rig.ends.messages('to-client')[1] as { result: { structuredContent: unknown } };
  expect(result).toEqual(exampleResult({ ok: true, state: 'done', n: 3 }));
  expect(accepts(outputSchema, outputSchema, result.structuredContent)).toBe(true);
});

test('never tells one client what another was told, even under the same label', () => {
  const rig = createTestRig(silentNoop, { at: { nth: [2] } });
  rig.request(exampleCall({ id: 1 }));
  rig.answer(exampleAnswer(exampleResult({ owner: 'Ada' }), { id: 1 }));
  const session = startSession({ label: rig.session.label, era: 'legacy' });
  rig.request(exampleCall({ id: 2 }), { session });
  expect(rig.ends.messages('to-client')[1]).toEqual(exampleAnswer({ content: [{ type: 'text', text: 'OK' }] }, { id: 2 }));
});
