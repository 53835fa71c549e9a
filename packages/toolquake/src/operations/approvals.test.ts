import { chmodSync, copyFileSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConfiguredTarget } from '../config/configured-target.js';
import { PLAIN_PROBE } from '../core/expectation.js';
import { approvalsFolder, approve, digestOf, findApproval, takeApproval, type ApprovalPlace } from './approvals.js';
import { consent, isOnThisHost, type ConsentQuestion } from './consent.js';

const newPlace = (): ApprovalPlace => ({
  root: mkdtempSync(join(tmpdir(), 'toolquake-approvals-')),
  stateFolder: join(mkdtempSync(join(tmpdir(), 'toolquake-state-')), 'toolquake'),
});
const DIGEST = 'ab'.repeat(32);
const NOW = new Date('2026-11-19T01:00:00Z');
const later = (hours: number): Date => new Date(NOW.getTime() + hours * 3_600_000);
const fileOf = ({ root }: ApprovalPlace, digest = DIGEST): string => join(approvalsFolder(root), `${digest}.json`);
const whyNot = (place: ApprovalPlace, digest = DIGEST, now = NOW): string => {
  const taken = takeApproval(place, digest, now);
  return 'why' in taken ? taken.why : `taken from ${taken.approval.who}`;
};

describe('an approval', () => {
  test('is taken once', () => {
    const place = newPlace();
    expect(whyNot(place)).toBe('nobody has approved this plan');
    approve(place, DIGEST, 'ann', NOW);
    expect(findApproval(place, DIGEST, NOW)).toMatchObject({ approval: { who: 'ann', digest: DIGEST } });
    expect(whyNot(place)).toBe('taken from ann');
    expect(whyNot(place)).toBe('nobody has approved this plan');
  });

  test('is worth nothing as a copy that was kept', () => {
    const place = newPlace();
    approve(place, DIGEST, 'ann', NOW);
    copyFileSync(fileOf(place), join(place.root, 'copy'));
    takeApproval(place, DIGEST, NOW);
    copyFileSync(join(place.root, 'copy'), fileOf(place));
    expect(whyNot(place)).toBe('its approval was used before');
  });

  test('ends after a day', () => {
    const place = newPlace();
    approve(place, DIGEST, 'ann', NOW);
    expect(whyNot(place, DIGEST, later(24))).toBe('its approval ended at 2026-11-20T01:00:00.000Z');
    expect(whyNot(place, DIGEST, later(-1))).toBe('its approval is from the future');
    expect(whyNot(place, DIGEST, later(23.9))).toBe('taken from ann');
  });

  test('is for its plan alone, also under the name of another', () => {
    const place = newPlace();
    approve(place, DIGEST, 'ann', NOW);
    const other = 'cd'.repeat(32);
    expect(whyNot(place, other)).toBe('nobody has approved this plan');
    copyFileSync(fileOf(place), fileOf(place, other));
    expect(whyNot(place, other)).toBe('its approval is for another plan');
  });

  test('from another host says nothing here', () => {
    const [place, foreign] = [newPlace(), newPlace()];
    approve(foreign, DIGEST, 'mallory', NOW);
    approve(place, 'cd'.repeat(32), 'ann', NOW);
    copyFileSync(fileOf(foreign), fileOf(place));
    expect(whyNot(place)).toBe('its approval was not given on this host, or was changed');
  });

  test('is refused when anything in it was changed', () => {
    const place = newPlace();
    approve(place, DIGEST, 'ann', NOW);
    const good = JSON.parse(readFileSync(fileOf(place), 'utf8')) as Record<string, string>;
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(good)),
        fc.oneof(fc.jsonValue(), fc.constantFrom('bob', '2099-01-01T00:00:00.000Z', 'f'.repeat(32))),
        (key, value) => {
          fc.pre(value !== good[key]);
          writeFileSync(fileOf(place), JSON.stringify({ ...good, [key]: value }));
          expect('why' in findApproval(place, DIGEST, NOW)).toBe(true);
        },
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        writeFileSync(fileOf(place), text);
        expect('why' in findApproval(place, DIGEST, NOW)).toBe(true);
      }),
    );
    writeFileSync(fileOf(place), JSON.stringify(good));
    expect(whyNot(place)).toBe('taken from ann');
  });

  test('is signed with a key that only its owner can read; a key that others can read signs nothing', () => {
    const place = newPlace();
    approve(place, DIGEST, 'ann', NOW);
    const key = join(place.stateFolder, 'approval-key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(statSync(fileOf(place)).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.stateFolder)).toEqual(['approval-key']);
    chmodSync(key, 0o644);
    expect(() => takeApproval(place, DIGEST, NOW)).toThrow('Other users can read');
  });

  test('names its plan by 64 hexadecimal digits', () => {
    expect(digestOf(`sha256:${DIGEST.toUpperCase()}`)).toBe(DIGEST);
    for (const bad of ['', 'ab', `../${DIGEST}`, `${DIGEST}0`]) expect(() => digestOf(bad)).toThrow('is no digest of a plan');
  });
});

const targetAt = (url: string): ConfiguredTarget => ({
  target: { name: 'a', kind: 'url', url },
  plan: PLAIN_PROBE,
  manifest: undefined,
  labels: {},
});

describe('consent', () => {
  const question = (changes: Partial<ConsentQuestion> = {}): ConsentQuestion => ({
    stage: 1,
    approvalFromStage: 2,
    target: targetAt('http://127.0.0.1:1/mcp'),
    digest: DIGEST,
    isYes: false,
    place: newPlace(),
    now: NOW,
    ...changes,
  });

  test('by --yes is for stage 1 on this host alone', async () => {
    expect(await consent(question({ isYes: true }))).toEqual({ by: 'yes' });
    await expect(consent(question({ isYes: true, stage: 2 }))).rejects.toThrow('"--yes" is for stage 1 alone.');
    await expect(consent(question({ isYes: true, stage: 2, approvalFromStage: 9 }))).rejects.toThrow('"--yes" is for stage 1 alone.');
    await expect(consent(question({ isYes: true, target: targetAt('http://shop.example/') }))).rejects.toThrow(
      'for targets on this host alone',
    );
    await expect(consent(question({ isYes: true, approvalFromStage: 1 }))).rejects.toThrow('wants an approval from this stage on');
  });

  test('is asked for by the shortest way that is open', async () => {
    await expect(consent(question({}))).rejects.toMatchObject({ advice: `Add --yes, or in a terminal: toolquake approve ${DIGEST}` });
    const far = question({ target: targetAt('http://shop.example/') });
    await expect(consent(far)).rejects.toMatchObject({ advice: `In a terminal: toolquake approve ${DIGEST}` });
  });

  test('at the terminal is for stage 1 alone', async () => {
    expect(await consent(question({ ask: async () => true, target: targetAt('http://shop.example/') }))).toEqual({ by: 'terminal' });
    await expect(consent(question({ ask: async () => false }))).rejects.toThrow('Nobody agreed');
    await expect(consent(question({ ask: async () => true, stage: 2 }))).rejects.toThrow(
      'needs the approval of a person, and nobody has approved this plan.',
    );
  });

  test('by approval is for any stage, once', async () => {
    const place = newPlace();
    approve(place, DIGEST, 'ann', NOW);
    expect(await consent(question({ place, stage: 3 }))).toEqual({ by: 'approval', who: 'ann', at: NOW.toISOString() });
    await expect(consent(question({ place, stage: 3 }))).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
      advice: `In a terminal: toolquake approve ${DIGEST}`,
    });
  });

  test('--yes leaves an approval for the run that needs it', async () => {
    const place = newPlace();
    approve(place, DIGEST, 'ann', NOW);
    await consent(question({ place, isYes: true }));
    expect('approval' in findApproval(place, DIGEST, NOW)).toBe(true);
  });

  test.each([
    ['http://127.0.0.1/', true],
    ['http://127.9.9.9:3/', true],
    ['http://[::1]:3/', true],
    ['http://localhost/', true],
    ['http://0x7f.1/', true],
    ['http://127.0.0.1.example/', false],
    ['http://localhost.example/', false],
    ['http://10.0.0.1/', false],
    ['http://127.example/', false],
    ['http://0.0.0.0/', false],
  ])('%s is on this host: %s', (url, is) => {
    expect(isOnThisHost(targetAt(url))).toBe(is);
  });
});
