import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerLineText, type LedgerLine } from './ledger-line.js';
import { ownOwner, type Owner } from './owner.js';
import { takeServerLock } from './server-lock.js';

const self = ownOwner();
const away: Owner = { ...self, pidNamespace: 'pid:[1]' };
const opened = (runner: Owner): LedgerLine => ({ kind: 'open', run: 'one', runner, startedAt: '', deadlineMs: 500 });
const intent: LedgerLine = { kind: 'intent', step: 1, action: 'a', name: 'n', undo: { kind: 'thaw-process', data: {} } };
const closed: LedgerLine = { kind: 'close', by: 'person' };

/** Tries to take a server from a holder with this ledger. */
function takeFrom(owner: Owner, lines: readonly LedgerLine[] | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-lock-'));
  const env = { TOOLQUAKE_STATE_DIR: join(folder, 'state') };
  const ledgerPath = join(folder, 'ledger.jsonl');
  if (lines !== undefined) writeFileSync(ledgerPath, lines.map(ledgerLineText).join(''), { mode: 0o600 });
  const first = takeServerLock({ env, server: 'shop', runId: 'one', ledgerPath });
  const record = JSON.stringify({ owner, run: 'one', ledger: ledgerPath, server: 'shop' });
  writeFileSync(join(first.place.directory, '000000000001.json'), record);
  try {
    takeServerLock({ env, server: 'shop', runId: 'two', ledgerPath: join(folder, 'other') });
    return first.isHeld() ? 'held by two' : 'taken';
  } catch (error) {
    return String(error);
  }
}

test('a server is taken from a holder in a container that is no more once its run was closed, and not before', () => {
  expect(takeFrom(away, [opened(away), intent])).toContain('runs elsewhere');
  expect(takeFrom(away, [opened(away)])).toContain('runs elsewhere');
  expect(takeFrom(away, undefined)).toContain('runs elsewhere');
  expect(takeFrom(away, [opened(away), intent, closed])).toBe('taken');
});

test('a server is taken from a dead holder that left nothing, and never from one that lives', () => {
  const dead: Owner = { ...self, startTicks: 1 };
  expect(takeFrom(dead, undefined)).toBe('taken');
  expect(takeFrom(dead, [opened(dead)])).toBe('taken');
  expect(takeFrom(dead, [opened(dead), intent])).toContain('left something behind');
  expect(takeFrom(self, [opened(self), closed])).toContain('is running');
});
