import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillArguments, OPERATION } from './operation-arguments.js';

test('every text at every depth names the operation, and nothing else changes', () => {
  const fill = fillArguments({ key: `order-${OPERATION}`, item: 'hat', list: [OPERATION, 1, null, { deep: `${OPERATION}/${OPERATION}` }] });
  expect(fill('a1')).toEqual({ key: 'order-a1', item: 'hat', list: ['a1', 1, null, { deep: 'a1/a1' }] });
  expect(fill('b2')).toEqual({ key: 'order-b2', item: 'hat', list: ['b2', 1, null, { deep: 'b2/b2' }] });
});

test('arguments that name no operation are handed on as they are', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (given, operation) => {
      const template = JSON.parse(JSON.stringify(given).replaceAll(OPERATION, '')) as Parameters<typeof fillArguments>[0];
      expect(fillArguments(template)(operation)).toBe(template);
    }),
  );
});
