import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findLeftovers, forgetRun } from './leftovers.js';
import { forgetOpenRun } from './open-runs.js';

test('a file that is no note of ours blocks, and can be given up, whatever its name is', async () => {
  const env = { TOOLQUAKE_STATE_DIR: mkdtempSync(join(tmpdir(), 'toolquake-notes-')) };
  mkdirSync(join(env.TOOLQUAKE_STATE_DIR, 'ledgers'));
  writeFileSync(join(env.TOOLQUAKE_STATE_DIR, 'ledgers', 'shop copy.json'), '');
  const [stray] = findLeftovers(env);
  expect(stray).toMatchObject({ runId: 'shop copy', state: 'unknown' });
  await forgetRun(stray!, env);
  expect(findLeftovers(env)).toEqual([]);
});

test('nothing outside of the folder is removed', () => {
  const env = { TOOLQUAKE_STATE_DIR: mkdtempSync(join(tmpdir(), 'toolquake-notes-')) };
  const halt = join(env.TOOLQUAKE_STATE_DIR, 'halt.json');
  writeFileSync(halt, '');
  forgetOpenRun(env, '../halt');
  expect(existsSync(halt)).toBe(true);
});
