/** What cannot be written is told, with exit 3; a reader that leaves early is nobody's mistake. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { binPath, createDesk } from './harness.js';

const FULL = '/dev/full';

// A device that is always full exists on Linux alone.
describe.runIf(existsSync(FULL))('a full disk', () => {
  test.each([
    [['faults']],
    [['faults', '--json']],
    [['demo']],
    [['demo', '--json']],
    [['simulate', '--tasks', '20']],
    [['plan', 'check', 'plan.yaml', '--json']],
    [['plan', 'check', 'plan.yaml']],
    [['--help']],
    [['--version']],
  ])('%j to stdout', (argv) => {
    const { folder } = createDesk({ 'plan.yaml': 'rules: []\n' });
    const full = openSync(FULL, 'w');
    const { status, stderr } = spawnSync(process.execPath, [binPath, ...argv], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect(stderr).toContain('The result cannot be written to stdout: ENOSPC');
    expect(stderr).not.toContain('our mistake');
    expect(status).toBe(3);
  });

  test.each(['demo', 'simulate'])('%s with its journal there', async (command) => {
    const { code, stdout, stderr } = await createDesk().run([command, '--journal', FULL]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr.match(/The journal \/dev\/full stopped: ENOSPC/g)).toHaveLength(1);
  });

  test('for stderr alone changes nothing about the result', () => {
    const full = openSync(FULL, 'w');
    const { status, stdout } = spawnSync(process.execPath, [binPath, 'demo', '--rate', '0.0001'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', full],
    });
    closeSync(full);
    expect(status).toBe(4);
    expect(stdout).toContain('Next:');
  });
});

test('a reader that leaves before the first word is no failure', async () => {
  const child = spawn(process.execPath, [binPath, 'faults', '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()));
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(told).toBe('');
});
