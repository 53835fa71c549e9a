import { expect, test } from 'vitest';
import { createIdempotentContract } from './idempotent-contract.js';

test('does an operation once, and repeats its answer', () => {
  const contract = createIdempotentContract<number>();
  let executed = 0;
  const ask = (key: string): { result: number; isRepeat: boolean } => contract.once(key, () => ++executed);
  expect([ask('refund-1'), ask('refund-1'), ask('refund-2')]).toEqual([
    { result: 1, isRepeat: false },
    { result: 1, isRepeat: true },
    { result: 2, isRepeat: false },
  ]);
});

test('an operation that failed was not done', () => {
  const contract = createIdempotentContract<string>();
  expect(() =>
    contract.once('a', () => {
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(contract.once('a', () => 'done')).toEqual({ result: 'done', isRepeat: false });
});

test('remembers a bounded number of operations, the newest', () => {
  const contract = createIdempotentContract<number>({ maxRemembered: 2 });
  for (let key = 0; key < 3; key++) contract.once(`${key}`, () => key);
  expect(contract.once('2', () => -1)).toEqual({ result: 2, isRepeat: true });
  expect(contract.once('0', () => -1)).toEqual({ result: -1, isRepeat: false });
});

test('does again what it was told to forget', () => {
  const contract = createIdempotentContract<number>({ maxRemembered: 2 });
  contract.once('old', () => 1);
  contract.once('new', () => 1);
  for (const key of ['old', 'new']) contract.forget(key);
  expect(['old', 'new'].map((key) => contract.once(key, () => 2).isRepeat)).toEqual([false, false]);
});
