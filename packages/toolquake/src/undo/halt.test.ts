import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clearHalt, halt, isCodeOf, readHalt, refuseWhileHalted } from './halt.js';
import { stateDirectory, stateDirectoryPath } from './state-directory.js';

const env = (): { readonly TOOLQUAKE_STATE_DIR: string } => ({
  TOOLQUAKE_STATE_DIR: join(mkdtempSync(join(tmpdir(), 'toolquake-halt-')), 'state'),
});

test('invariant 29: a halt is on disk until it is cleared', () => {
  const here = env();
  expect(readHalt(here)).toBeUndefined();
  expect(() => refuseWhileHalted(here)).not.toThrow();
  halt(here, 'too much at once', 'secret');
  expect(readHalt(here)).toMatchObject({ why: 'too much at once' });
  expect(() => refuseWhileHalted(here)).toThrow('too much at once');
  expect(readdirSync(here.TOOLQUAKE_STATE_DIR)).toEqual(['halt.json']);
  clearHalt(here);
  expect(readHalt(here)).toBeUndefined();
});

test('the code opens, nothing else does; halting again without a code keeps it', () => {
  const here = env();
  halt(here, 'one', 'secret');
  halt(here, 'two');
  const now = readHalt(here)!;
  expect([now.why, isCodeOf(now, 'secret'), isCodeOf(now, 'Secret'), isCodeOf(now, '')]).toEqual(['two', true, false, false]);
  expect(isCodeOf({ ...now, codeHash: undefined }, '')).toBe(false);
});

test('in doubt it is halted', () => {
  const here = env();
  writeFileSync(join(stateDirectory(here), 'halt.json'), 'null');
  expect(readHalt(here)?.why).toContain('cannot be read');
  expect(readHalt({ TOOLQUAKE_STATE_DIR: '/proc/self/status' })?.why).toContain('cannot be read');
});

test('the state folder is private, and where the variables say', () => {
  const here = env();
  expect(statSync(stateDirectory(here)).mode & 0o777).toBe(0o700);
  expect(stateDirectoryPath({ XDG_STATE_HOME: '/x', HOME: '/h' })).toBe('/x/toolquake');
  expect(stateDirectoryPath({ XDG_STATE_HOME: 'relative', HOME: '/h' })).toBe('/h/.local/state/toolquake');
  expect(stateDirectoryPath({ TOOLQUAKE_STATE_DIR: '/own', XDG_STATE_HOME: '/x' })).toBe('/own');
});
