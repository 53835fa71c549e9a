import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseLedger } from '../../../packages/toolquake/src/undo/read-ledger.js';
import { buildDriver } from './driver/build.js';
import { fewAtATime } from './fault-point-sweep.js';
import { createScene, nobodyIsLeft } from './scene.js';

type Line = { readonly what: string; readonly step?: number; readonly failure?: string };

/** Runs the driver where no file may grow beyond so many blocks of 512 bytes: a write is cut short, then refused, as on a full disk. */
async function runWithBlocks(
  driver: string,
  blocks: number,
): Promise<{ code: number | null; said: readonly Line[]; stderr: string; isAsBefore: boolean; intents: number; next: number | null }> {
  const scene = createScene();
  const before = scene.snapshot();
  const order = JSON.stringify({ folder: scene.folder, runId: scene.runId, mark: scene.mark });
  const limited = ['-c', 'ulimit -f "$0" && exec "$@"', String(blocks), process.execPath, join(driver, 'runner.js'), order];
  const child = spawn('sh', limited, { env: scene.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await nobodyIsLeft(scene.ledgerPath);
  const isAsBefore = JSON.stringify(scene.snapshot()) === JSON.stringify(before);
  const ledger = existsSync(scene.ledgerPath) ? parseLedger(readFileSync(scene.ledgerPath, 'utf8')) : undefined;
  const next = (await scene.start(driver, { runId: 'two' }).ended).code;
  const said = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  return { code, said, stderr, isAsBefore, intents: ledger?.steps.length ?? 0, next };
}

test('invariant 5: on a full disk nothing is applied whose undo is not on disk, what was applied is undone, and the next run starts', async () => {
  const driver = await buildDriver();
  const all = await fewAtATime([1, 2, 3, 4, 5, 40], 4, (blocks) => runWithBlocks(driver, blocks));
  for (const { said, isAsBefore, intents, next } of all) {
    expect(isAsBefore).toBe(true);
    expect(said.filter(({ what }) => what === 'applied').length).toBeLessThanOrEqual(intents);
    expect(next).toBe(0);
  }
  expect(all[0]?.stderr).toContain('So nothing was changed.');
  expect([all[0]?.code, all.at(-1)?.code]).toEqual([1, 0]);
  // Somewhere between, the disk was full in the middle of the changes.
  expect(
    all.filter(({ said }) => said.some(({ failure }) => failure?.includes('The undo cannot be written') === true)).length,
  ).toBeGreaterThan(0);
});

/** The state folder is a disk of two blocks, and one is taken: there is room for the lock, and none for what comes next. */
const SMALL_DISK = `mount -t tmpfs -o size=8k,mode=700 none "$0" && head -c 4096 /dev/zero > "$0/other"
"$1" "$2" "$3"; rm "$0/other"; exec "$1" "$2" "$4"`;

test('invariant 5: a state folder that was full for a moment keeps nobody from starting later', async () => {
  const driver = await buildDriver();
  const scene = createScene();
  const before = scene.snapshot();
  const state = String(scene.env['TOOLQUAKE_STATE_DIR']);
  mkdirSync(state, { mode: 0o700 });
  const order = (runId: string): string => JSON.stringify({ folder: scene.folder, runId, mark: scene.mark });
  const runner = join(driver, 'runner.js');
  // In a namespace of its own, so that the disk goes with it.
  const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((resolve) => {
    const words = ['-m', 'sh', '-c', SMALL_DISK, state, process.execPath, runner, order('one'), order('two')];
    const child = spawn('unshare', words, { env: scene.env, stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('close', (ended) => resolve({ code: ended, stderr: text }));
  });
  expect(stderr).toMatch(/The undo cannot be written to .*ledgers.*one\.json: ENOSPC.* So nothing was changed/);
  expect(code, stderr).toBe(0);
  expect(scene.snapshot()).toEqual(before);
});
