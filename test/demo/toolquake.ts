/** Runs the built command line as a user does: another process, no terminal. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** The built command line, for tests that need a process of their own. */
export const binPath: string = path.resolve(import.meta.dirname, '../../packages/toolquake/bin/toolquake.js');

/** What a command printed and how it ended. */
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs `toolquake` to its end. */
export function toolquake(words: readonly string[], env: Readonly<Record<string, string>> = {}): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [binPath, ...words], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env['PATH'], ...env },
  });
  return { code: status, stdout, stderr };
}

/** An empty folder that is gone after the test. */
export function freshFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolquake-demo-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
