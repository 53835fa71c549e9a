import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readHalt } from './halt.js';
import { findLeftovers, forgetRun, undoRun } from './leftovers.js';
import { forgetOpenRun, noteOpenRun } from './open-runs.js';

test('a file that is no note of ours blocks, and can be given up, whatever its name is', async () => {
  const env = { TOOLQUAKE_STATE_DIR: mkdtempSync(join(tmpdir(), 'toolquake-notes-')) };
  mkdirSync(join(env.TOOLQUAKE_STATE_DIR, 'ledgers'));
  writeFileSync(join(env.TOOLQUAKE_STATE_DIR, 'ledgers', 'shop copy.json'), '');
  const [stray] = findLeftovers(env);
  expect(stray).toMatchObject({ runId: 'shop copy', state: 'unknown' });
  await forgetRun(stray!, env);
  expect(findLeftovers(env)).toEqual([]);
});

test('whatever has the name of a file of ours, nobody waits for it', () => {
  const env = { TOOLQUAKE_STATE_DIR: mkdtempSync(join(tmpdir(), 'toolquake-notes-')) };
  const ledgers = join(env.TOOLQUAKE_STATE_DIR, 'ledgers');
  mkdirSync(join(ledgers, 'folder.json'), { recursive: true });
  for (const pipe of [join(ledgers, 'pipe.json'), join(env.TOOLQUAKE_STATE_DIR, 'halt.json')]) execFileSync('mkfifo', [pipe]);
  expect(findLeftovers(env).map(({ runId, state }) => [runId, state])).toEqual([
    ['folder', 'unknown'],
    ['pipe', 'unknown'],
  ]);
  expect(readHalt(env)?.why).toContain('cannot be read');
  rmSync(ledgers, { recursive: true });
  writeFileSync(ledgers, '');
  expect(() => findLeftovers(env)).toThrow(/^Which runs are open cannot be read/);
});

test('a run whose ledger was emptied stays a leftover when it is undone, until a person gives it up', async () => {
  const env = { TOOLQUAKE_STATE_DIR: mkdtempSync(join(tmpdir(), 'toolquake-notes-')) };
  const ledger = join(env.TOOLQUAKE_STATE_DIR, 'ledger.jsonl');
  writeFileSync(ledger, '', { mode: 0o600 });
  await noteOpenRun(env, 'one', ledger);
  const unknown = findLeftovers(env)[0]!;
  expect(await undoRun(unknown, { by: 'person', env })).toEqual([]);
  expect(findLeftovers(env)).toMatchObject([
    { runId: 'one', state: 'unknown', problem: expect.stringContaining('no first line') as string },
  ]);
  await forgetRun(unknown, env);
  expect(findLeftovers(env)).toEqual([]);
});

test('nothing outside of the folder is removed', () => {
  const env = { TOOLQUAKE_STATE_DIR: mkdtempSync(join(tmpdir(), 'toolquake-notes-')) };
  const halt = join(env.TOOLQUAKE_STATE_DIR, 'halt.json');
  writeFileSync(halt, '');
  forgetOpenRun(env, '../halt');
  expect(existsSync(halt)).toBe(true);
});
