import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { partialResult } from './partial-result.js';

faultContract(partialResult, { example: { keepRatio: 0.5, hideMarkers: true } });

function partial(result: JsonObject, params: JsonObject = {}): { result: unknown; outcomes: readonly string[] } {
  const rig = createTestRig(partialResult, { params });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  return { result: (rig.ends.messages('to-client')[0] as JsonObject)['result'], outcomes: rig.outcomes };
}

test('shortens lists and hides what says that there is more, in text and structured content alike', () => {
  const whole = { items: [{ tags: [1, 2] }, 2, 3, 4, 5], total: 5, has_more: true, page: { nextCursor: 'x', rows: [] }, unit: 'kg' };
  const expected = { items: [{ tags: [1, 2] }, 2], page: { rows: [] }, unit: 'kg' };
  expect(partial(exampleResult(whole)).result).toEqual(exampleResult(expected));
});

test('hides markers in sibling objects and other blocks, but not inside items, and no list for its name', () => {
  const blocks = (...data: readonly unknown[]) => ({ content: data.map((one) => ({ type: 'text', text: JSON.stringify(one) })) });
  const whole = { items: [{ total: 9 }, 2, 3, 4], pageInfo: { hasNextPage: true, total: 4, size: 4 }, total: 4, pages: [1, 2] };
  const expected = { items: [{ total: 9 }, 2], pageInfo: { size: 4 }, pages: [1] };
  expect(partial(blocks(whole, { total: 4, unit: 'kg' })).result).toEqual(blocks(expected, { unit: 'kg' }));
});

test('shortens structured content that is a list, and cuts no text beside a bare value', () => {
  const both = (data: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data });
  expect(partial(both([1, 2, 3, 4])).result).toEqual(both([1, 2]));
  expect(partial(both('some words')).outcomes).toEqual(['not-delivered: there is nothing to leave out']);
});

test('keeps so many items of every list, and notes what is missing', () => {
  const rig = createTestRig(partialResult, { params: { keepItems: 2 } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult({ items: [1, 2, 3], few: [4], total: 3 })));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(exampleResult({ items: [1, 2], few: [4] }))]);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [
      { path: '/structuredContent/items/2', clean: 3 },
      { path: '/structuredContent/total', clean: 3 },
    ],
  });
});

test('leaves the markers when asked to', () => {
  expect(partial(exampleResult({ items: [1, 2], total: 2 }), { hideMarkers: false }).result).toEqual(
    exampleResult({ items: [1], total: 2 }),
  );
});

test('keeps the indentation of JSON text', () => {
  const text = (data: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(data, null, 4) }] });
  expect(partial(text({ items: [1, 2, 3, 4] })).result).toEqual(text({ items: [1, 2] }));
});

test('cuts plain text without cutting a character in half', () => {
  expect(partial({ content: [{ type: 'text', text: '🦊🦊🦊' }] }).result).toEqual({ content: [{ type: 'text', text: '🦊' }] });
});

test('leaves out the last blocks of several', () => {
  const blocks = ['a', 'b', 'c', 'd'].map((text) => ({ type: 'text', text }));
  expect(partial({ content: blocks }).result).toEqual({ content: blocks.slice(0, 2) });
});

test.each([
  [exampleResult({ name: 'one' }), {}],
  [exampleResult({ items: [1, 2] }), { keepRatio: 1 }],
  [{ content: [] }, {}],
])('admits it when there is nothing to leave out of %j', (result, params) => {
  expect(partial(result, params)).toEqual({ result, outcomes: ['not-delivered: there is nothing to leave out'] });
});

test('blocks that are the items of a wrapped list go with them', () => {
  const wrapped = (items: unknown[]): JsonObject => ({
    content: items.map((item) => ({ type: 'text', text: JSON.stringify(item) })),
    structuredContent: { result: items },
  });
  const items = [1, 2, 3, 4].map((id) => ({ id, tags: ['a', 'b'] }));
  const rig = createTestRig(partialResult);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(wrapped(items)));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(wrapped(items.slice(0, 2)))]);
});
