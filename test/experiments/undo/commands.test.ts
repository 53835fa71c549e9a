import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDesk, type Run } from '../../cli/harness.js';
import { onTerminal } from '../../cli/terminal.js';
import { buildDriver } from './driver/build.js';
import { createScene, nobodyIsLeft, type Scene } from './scene.js';

let driver: string;
beforeAll(async () => {
  driver = await buildDriver();
});

const command = (scene: Scene, ...argv: readonly string[]): Promise<Run> =>
  createDesk().run(argv, { TOOLQUAKE_STATE_DIR: scene.env['TOOLQUAKE_STATE_DIR'] });

async function abandon(scene: Scene, changes: readonly ('child' | 'fail')[]): Promise<void> {
  const runner = scene.start(driver, { mode: 'wait', changes });
  const { warden } = await runner.says('during');
  process.kill(Number(warden), 'SIGSTOP');
  runner.process.kill('SIGKILL');
  process.kill(Number(warden), 'SIGKILL');
  await nobodyIsLeft(scene.ledgerPath);
}

const onTerminalOf = (
  { folder, env }: Scene,
  argv: readonly string[],
  answer: (shown: string) => string | undefined,
): ReturnType<typeof onTerminal> => onTerminal(argv, { cwd: folder, env, answer });

describe.concurrent('what people see of undoing', () => {
  test('"leftovers" says that there is nothing, and exits with 0', async () => {
    const { code, stdout } = await command(createScene(), 'leftovers');
    expect([code, stdout]).toEqual([0, 'Nothing is left behind.\n']);
  });

  test('"leftovers" lists what a dead run left and exits with 6; "undo" undoes it', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    await abandon(scene, ['child']);
    const found = await command(scene, 'leftovers');
    expect(found.code).toBe(6);
    expect(found.stdout).toMatch(/^one, ended without undoing, since .*\n {2}1 {2}driver {2}start a child\n$/);
    const { runs } = JSON.parse((await command(scene, 'leftovers', '--json')).stdout) as { runs: readonly unknown[] };
    expect(runs).toMatchObject([{ runId: 'one', state: 'dead', openSteps: [{ name: 'start a child' }] }]);
    const undone = await command(scene, 'undo');
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('one: all undone')]);
    expect(scene.snapshot()).toEqual(before);
    expect((await command(scene, 'leftovers')).code).toBe(0);
  });

  test('an undo of a newer version stays a leftover, and says so; a person gives it up on a terminal, nobody else can', async () => {
    const scene = createScene();
    await abandon(scene, ['child', 'fail']);
    const { code, stdout } = await command(scene, 'undo', 'one');
    expect(code).toBe(6);
    expect(stdout).toContain('no undo "fail" in this version: a newer one wrote the ledger');
    expect(await command(scene, 'undo', 'one', '--forget')).toMatchObject({ code: 2, stderr: expect.stringContaining('no terminal') });
    const { code: forgotten } = await onTerminalOf(scene, ['undo', 'one', '--forget'], (shown) =>
      shown.includes('Type "forget one"') ? 'forget one' : undefined,
    );
    expect(forgotten).toBe(0);
    expect((await command(scene, 'leftovers')).code).toBe(0);
    // The server is free again too.
    expect((await scene.start(driver, { runId: 'two' }).ended).code).toBe(0);
  });

  test('"undo" refuses a run that is alive, and one that nobody knows', async () => {
    const scene = createScene();
    const runner = scene.start(driver, { mode: 'wait' });
    await runner.says('during');
    expect(await command(scene, 'undo', 'one')).toMatchObject({ code: 2, stderr: expect.stringContaining('toolquake stop one') });
    expect(await command(scene, 'undo', 'other')).toMatchObject({ code: 2, stderr: expect.stringContaining('Open are: one.') });
    expect(await command(scene, 'leftovers')).toMatchObject({ code: 0, stdout: expect.stringContaining('one, running') });
    runner.process.kill('SIGTERM');
    await runner.ended;
  });

  test('"stop" asks a run to stop, and resolves when all is undone', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'wait' });
    await runner.says('during');
    expect(await command(scene, 'stop')).toMatchObject({ code: 0, stdout: 'one: it stopped when it was asked\n' });
    expect(scene.snapshot()).toEqual(before);
    expect((await runner.ended).said.find(({ what }) => what === 'undone')?.['why']).toBe('stop');
  });

  test('invariant 19: "stop" kills a run that is stopped, and its warden undoes', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'wait' });
    await runner.says('during');
    runner.process.kill('SIGSTOP');
    expect(await command(scene, 'stop', 'on')).toMatchObject({ code: 0, stdout: 'one: it was killed, because it did not react\n' });
    expect(scene.snapshot()).toEqual(before);
  });

  test('invariant 19: "stop" works with a damaged state folder, and undoes what a dead run of this project left', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const desk = createDesk();
    const folder = join(desk.folder, '.toolquake');
    const project = { ...scene, ledgerPath: join(folder, 'runs', 'one', 'ledger.jsonl') };
    const runner = scene.start(driver, { mode: 'wait', changes: ['child'], runsFolder: join(folder, 'runs') });
    const { warden } = await runner.says('during');
    process.kill(Number(warden), 'SIGSTOP');
    runner.process.kill('SIGKILL');
    process.kill(Number(warden), 'SIGKILL');
    await nobodyIsLeft(project.ledgerPath);
    const state = String(scene.env['TOOLQUAKE_STATE_DIR']);
    rmSync(state, { recursive: true });
    writeFileSync(state, 'not a folder');
    const { code, stderr } = await desk.run(['stop', '--all'], { TOOLQUAKE_STATE_DIR: state });
    expect(scene.snapshot()).toEqual(before);
    expect(stderr).toContain('This host could not be halted');
    expect(code).toBe(3);
  });

  test('invariant 19: "stop" works where the runs of the project cannot be read', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'wait' });
    await runner.says('during');
    const desk = createDesk();
    mkdirSync(join(desk.folder, '.toolquake'));
    writeFileSync(join(desk.folder, '.toolquake', 'runs'), 'not a folder');
    const { code, stderr } = await desk.run(['stop'], { TOOLQUAKE_STATE_DIR: scene.env['TOOLQUAKE_STATE_DIR'] });
    expect([code, stderr]).toEqual([0, expect.stringContaining('The runs of this project cannot be read')]);
    expect(scene.snapshot()).toEqual(before);
  });

  test('invariant 29: a halt stops what runs, survives, keeps everything from starting, and is ended by a person on a terminal', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'wait' });
    await runner.says('during');
    expect((await command(scene, 'stop', '--all')).code).toBe(0);
    expect(scene.snapshot()).toEqual(before);
    await runner.ended;
    expect((await scene.start(driver, { runId: 'two' }).ended).stderr).toContain('This host is halted');
    expect(await command(scene, 'resume')).toMatchObject({ code: 2, stderr: expect.stringContaining('no terminal') });
    expect((await command(scene, 'resume', '--code', 'guess')).code).toBe(2);
    expect((await onTerminalOf(scene, ['resume'], (shown) => (shown.includes('Type "') ? 'yes' : undefined))).code).toBe(2);
    expect((await scene.start(driver, { runId: 'three' }).ended).stderr).toContain('This host is halted');
    const { code, shown } = await onTerminalOf(scene, ['resume'], (text) => /Type "(resume [0-9a-f]{6})"/.exec(text)?.[1]);
    expect([code, shown]).toEqual([0, expect.stringContaining('Experiments may start again.')]);
    expect((await scene.start(driver, { runId: 'four' }).ended).code).toBe(0);
  });

  test('the person who halts on a terminal gets a code to resume with from elsewhere; it is not on disk', async () => {
    const scene = createScene();
    const { shown } = await onTerminalOf(scene, ['stop', '--all'], () => undefined);
    const code = /resume --code ([0-9a-f]{10})/.exec(shown)?.[1] ?? '';
    expect(code).not.toBe('');
    expect(readFileSync(join(String(scene.env['TOOLQUAKE_STATE_DIR']), 'halt.json'), 'utf8')).not.toContain(code);
    expect(await command(scene, 'resume', '--code', code)).toMatchObject({ code: 0 });
    expect(existsSync(join(String(scene.env['TOOLQUAKE_STATE_DIR']), 'halt.json'))).toBe(false);
  });

  test('a halt that cannot be read is a halt', async () => {
    const scene = createScene();
    const state = String(scene.env['TOOLQUAKE_STATE_DIR']);
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'halt.json'), '{"why":');
    expect((await scene.start(driver).ended).stderr).toContain('This host is halted');
  });

  test('a state folder that others may write to is refused: what stands in it is acted on', async () => {
    const scene = createScene();
    const state = String(scene.env['TOOLQUAKE_STATE_DIR']);
    mkdirSync(state);
    chmodSync(state, 0o777);
    expect(await command(scene, 'leftovers')).toMatchObject({ code: 3, stderr: expect.stringContaining('other users may write to it') });
  });
});
