import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { UndoStep } from '../core/undo-step.js';
import { ledgerLineText } from './ledger-line.js';
import { ownOwner, type Owner } from './owner.js';
import { readLedger } from './read-ledger.js';
import { undoOpenSteps } from './undo-open-steps.js';

/** A ledger of a run of somebody, who applied this. */
function ledgerOf(runner: Owner, undo: UndoStep): string {
  const path = join(mkdtempSync(join(tmpdir(), 'toolquake-steps-')), 'ledger.jsonl');
  const open = { kind: 'open', run: 'one', runner, startedAt: '', deadlineMs: 500 } as const;
  const lines = [
    open,
    { kind: 'intent', step: 1, action: 'freeze', name: 'stop it', undo } as const,
    { kind: 'applied', step: 1 } as const,
  ];
  writeFileSync(path, lines.map(ledgerLineText).join(''), { mode: 0o600 });
  return path;
}

const self = ownOwner();
const frozen = (bootId: string): UndoStep => ({ kind: 'thaw-process', data: { processes: [{ pid: 4_000_000, startTicks: 1, bootId }] } });

test.each<[string, Partial<Owner>]>([
  ['on another host', { host: 'far-away', bootId: 'another' }],
  ['in another container', { pidNamespace: 'pid:[1]' }],
])('what a run %s has frozen is never taken for gone: it is not to be seen from here', async (_, change) => {
  const runner = { ...self, ...change };
  const path = ledgerOf(runner, frozen(runner.bootId));
  const { outcomes } = await undoOpenSteps(path, { by: 'person', env: {}, isLast: true });
  expect(outcomes).toMatchObject([
    { state: { is: 'not-undone', why: expect.stringContaining(`it was done on ${runner.host}`) as string } },
  ]);
  expect(readLedger(path)).toMatchObject({ isClean: false, isClosed: false });
});

test('after a boot of this host it is gone', async () => {
  const path = ledgerOf({ ...self, bootId: 'before' }, frozen('before'));
  expect((await undoOpenSteps(path, { by: 'sweep', env: {}, isLast: true })).outcomes).toMatchObject([{ state: { is: 'gone' } }]);
});

test('what has a name that means the same everywhere is undone from everywhere', async () => {
  const rules = (adminUrl: string | null): UndoStep => ({ kind: 'clear-rules', data: { adminUrl, tokenVariable: 'NONE', rules: ['a'] } });
  const saidOf = async (undo: UndoStep): Promise<string> => {
    const path = ledgerOf({ ...self, host: 'far-away', bootId: 'another' }, undo);
    return JSON.stringify((await undoOpenSteps(path, { by: 'person', env: {} })).outcomes[0]?.state);
  };
  expect(await saidOf(rules(null))).toContain('"gone"');
  expect(await saidOf(rules('https://proxy.test:9901'))).toContain('There is no token');
  expect(await saidOf(rules('http://127.0.0.1:9901'))).toContain('only there it can be undone');
});
