import { expect, test } from 'vitest';
import { diffManifests } from './diff.js';
import { tool, withTools } from './fixtures/manifests.js';
import { verdictOf } from './verdict.js';
import { applyWaivers, readWaivers, type Waiver } from './waivers.js';

const { findings } = diffManifests(withTools(tool(), tool({ name: 'buy' })), withTools(tool()));
const waiver = (parts: Partial<Waiver> = {}): Waiver => ({
  finding: 'tool.removed',
  at: '/tools/buy',
  reason: 'Nobody called it.',
  until: '2026-12-31',
  ...parts,
});
const major = waiver({ finding: 'server.major-version-kept', at: '/server' });
const verdict = (waivers: readonly Waiver[], today: string): string => verdictOf(applyWaivers(findings, waivers, today).judged, false);

test('a waived finding no longer fails, until its last day is over', () => {
  expect(verdict([], '2026-11-18')).toBe('incompatible');
  expect(verdict([waiver(), major], '2026-12-31')).toBe('compatible');
  expect(verdict([waiver(), major], '2027-01-01')).toBe('incompatible');
});

test('an expired waiver is told, and the one that holds longest speaks', () => {
  const [finding] = applyWaivers(findings, [waiver({ until: '2026-01-01' })], '2026-11-18').judged;
  expect(finding?.waiver).toMatchObject({ isExpired: true, until: '2026-01-01' });
  expect(verdict([waiver({ until: '2026-01-01' }), waiver()], '2026-11-18')).toBe('compatible');
});

test('a waiver covers its place and change alone, and says when it covers nothing', () => {
  const fingerprint = findings.find(({ id }) => id === 'tool.removed')?.fingerprint ?? '';
  expect(verdict([waiver({ fingerprint })], '2026-11-18')).toBe('compatible');
  expect(verdict([waiver({ fingerprint: 'another' })], '2026-11-18')).toBe('incompatible');
  const elsewhere = waiver({ at: '/tools/bu' });
  expect(applyWaivers(findings, [elsewhere], '2026-11-18').unused).toEqual([elsewhere]);
});

test.each([
  [{ finding: 'tool.remove', reason: 'x', until: '2026-12-31' }, 'There is no finding "tool.remove"'],
  [{ finding: 'tool.removed', reason: '', until: '2026-12-31' }, 'A waiver needs "reason"'],
  [{ finding: 'tool.removed', reason: 'x', until: '2026-02-30' }, '"until" must be a day'],
  [{ finding: 'tool.removed', reason: 'x', until: 'never' }, '"until" must be a day'],
])('refuses %j', (one, message) => {
  const reading = readWaivers({ version: 1, waivers: [one] });
  expect('problems' in reading ? reading.problems[0]?.message : 'accepted').toContain(message);
});
