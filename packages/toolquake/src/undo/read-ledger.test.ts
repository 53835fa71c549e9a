import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ledgerLineText, type LedgerLine } from './ledger-line.js';
import { parseLedger } from './read-ledger.js';

const runner = { pid: 4, startTicks: 7, bootId: 'boot', host: 'here', pidNamespace: 'pid:[1]' };
const open: LedgerLine = { kind: 'open', run: 'one', runner, startedAt: '2026-11-18', deadlineMs: 700 };
const intent = (step: number): LedgerLine => ({
  kind: 'intent',
  step,
  action: 'act',
  name: `change ${step}`,
  undo: { kind: 'put-back', data: { step } },
});
const applied = (step: number): LedgerLine => ({ kind: 'applied', step });
const outcome = (step: number, is: 'undone' | 'not-undone', more: object = {}): LedgerLine =>
  ({
    kind: 'outcome',
    step,
    by: 'warden',
    tookMs: 1,
    state: is === 'undone' ? { is, proof: 'seen' } : { is, why: 'stuck' },
    ...more,
  }) as LedgerLine;
const textOf = (...lines: readonly LedgerLine[]): string => lines.map(ledgerLineText).join('');
const statesOf = (text: string): readonly string[] => parseLedger(text).steps.map(({ state }) => state);

test('an intent without "applied" is open: it may have been applied', () => {
  expect(statesOf(textOf(open, intent(1)))).toEqual(['open']);
  expect(parseLedger(textOf(open, intent(1))).isClean).toBe(false);
});

test('a step that was undone is closed; one that could not be undone stays open, with the reason', () => {
  const content = parseLedger(textOf(open, intent(1), applied(1), intent(2), outcome(2, 'undone'), outcome(1, 'not-undone')));
  expect(content.steps.map(({ state }) => state)).toEqual(['open', 'closed']);
  expect(content.steps[0]?.outcome).toMatchObject({ state: { why: 'stuck' }, by: 'warden', name: 'change 1' });
});

test('a change that was made after its undo is open again', () => {
  expect(statesOf(textOf(open, intent(1), outcome(1, 'undone', { isProvisional: true }), applied(1)))).toEqual(['open']);
  expect(statesOf(textOf(open, intent(1), outcome(1, 'undone'), applied(1)))).toEqual(['open']);
});

test('what was undone while its runner lived is not clean yet', () => {
  const content = parseLedger(textOf(open, intent(1), outcome(1, 'undone', { isProvisional: true })));
  expect([content.steps[0]?.state, content.isClean]).toEqual(['provisional', false]);
});

test('invariant 6: cut at any byte, a ledger loses only what was not promised, and is not called damaged', () => {
  const lines = [open, intent(1), applied(1), intent(2), applied(2), outcome(2, 'undone')];
  const bytes = Buffer.from(textOf(...lines));
  fc.assert(
    fc.property(fc.nat({ max: bytes.length }), (at) => {
      const content = parseLedger(bytes.subarray(0, at).toString('utf8'));
      expect(content.damage).toEqual([]);
      const whole = lines.filter((_, index) => Buffer.byteLength(textOf(...lines.slice(0, index + 1))) <= at);
      expect(content.steps.length).toBeGreaterThanOrEqual(whole.filter(({ kind }) => kind === 'intent').length);
    }),
  );
});

test('a torn line that others wrote below is no damage: its writer was killed before it promised anything', () => {
  const torn = ledgerLineText(intent(1)).slice(0, 40);
  const content = parseLedger(`${textOf(open)}${torn}\n${textOf({ kind: 'takeover', by: 'warden', why: 'gone' })}`);
  expect(content).toMatchObject({ damage: [], steps: [], takeover: { by: 'warden', why: 'gone' }, isClean: true });
});

test.each([
  ['a missing intent', textOf(open, intent(2))],
  ['an intent with a number that nobody could count up to', textOf(open, intent(1), intent(Number.MAX_SAFE_INTEGER))],
  ['an "applied" that was never intended', textOf(open, applied(1))],
  ['an outcome that was never intended', textOf(open, outcome(1, 'undone'))],
  ['an intent twice', textOf(open, intent(1), intent(1))],
  ['two first lines', textOf(open, open)],
  ['no first line', textOf(intent(1))],
  ['a line that was changed', textOf(open, intent(1)).replace('change 1', 'change 9')],
])('%s is told as damage, so the ledger is never clean', (_, text) => {
  const content = parseLedger(text);
  expect(content.damage.length).toBeGreaterThan(0);
  expect(content.isClean).toBe(false);
});
