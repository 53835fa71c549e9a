import { expect, test } from 'vitest';
import { defineUndo, type UndoState } from '../core/undo-step.js';
import { lookAtStep, undoOneStep } from './undo-one-step.js';
import type { LedgerStep } from './read-ledger.js';

const step: LedgerStep = {
  step: 1,
  action: 'a',
  name: 'n',
  undo: { kind: 'one', data: {} },
  isApplied: true,
  state: 'open',
  outcome: undefined,
};
const undone: UndoState = { is: 'undone', proof: 'seen' };
const still: UndoState = { is: 'not-undone', why: 'still there' };
const passed: string[] = [];
const points = { pass: (name: string) => void passed.push(name), isDeadly: () => false };

const run = async (undo: () => Promise<void>, verify: () => Promise<UndoState>, kind = 'one'): Promise<UndoState> => {
  const kinds = { one: defineUndo({ kind, summary: 's', undo, verify }) };
  return (await undoOneStep(step, { kinds, env: {}, deadlineMs: 30, points })).state;
};
const fine = async (): Promise<void> => {};
const forever = (): Promise<never> => new Promise(() => {});

test('invariant 7: the world is believed, not the undo', async () => {
  expect(await run(fine, async () => undone)).toEqual(undone);
  expect(await run(fine, async () => still)).toEqual(still);
  // Somebody else took it back before: complaining is no reason to call it open.
  expect(
    await run(
      () => Promise.reject(new Error('no such rule')),
      async () => undone,
    ),
  ).toEqual(undone);
  expect(
    await run(
      () => Promise.reject(new Error('no such rule')),
      async () => still,
    ),
  ).toEqual({
    is: 'not-undone',
    why: 'still there; the undo itself failed: no such rule',
  });
});

test('an undo that hangs is given up at its deadline, and the world is looked at anyway', async () => {
  expect(await run(forever, async () => still)).toEqual({
    is: 'not-undone',
    why: 'still there; the undo itself failed: it took longer than 30 ms',
  });
  expect(await run(forever, async () => undone)).toEqual(undone);
});

test('what cannot be seen is not undone', async () => {
  expect(await run(fine, forever)).toMatchObject({ is: 'not-undone', why: expect.stringContaining('cannot be seen') });
  expect(await run(fine, () => Promise.reject(new Error('broken')))).toMatchObject({ why: expect.stringContaining('broken') });
});

test('a kind that is not known is not undone, and says that a newer version wrote it', async () => {
  expect(await run(fine, async () => undone, 'other')).toMatchObject({ is: 'not-undone', why: expect.stringContaining('newer') });
  expect(await lookAtStep(step, { kinds: {}, env: {}, deadlineMs: 30, points })).toMatchObject({ is: 'not-undone' });
});

test('names a point before and after the undo', () => {
  expect(new Set(passed)).toEqual(new Set(['undo 1 before', 'undo 1 after']));
});
