import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { readLedger } from '../../../packages/toolquake/src/undo/read-ledger.js';
import { requestStop, runDirectoryOf } from '../../../packages/toolquake/src/undo/stop-request.js';
import { buildDriver } from './driver/build.js';
import { createScene, nobodyIsLeft, run, until, type Scene } from './scene.js';

let driver: string;
beforeAll(async () => {
  driver = await buildDriver();
});

const sweep = async ({ env }: Scene): Promise<{ readonly swept: readonly unknown[]; readonly left: readonly unknown[] }> => {
  const { said, stderr } = await run([`${driver}/sweeper.js`], env).ended;
  if (said[0] === undefined) throw new Error(stderr);
  return said[0] as { swept: readonly unknown[]; left: readonly unknown[] };
};
const isUndone = ({ ledgerPath }: Scene): boolean => {
  const { steps } = readLedger(ledgerPath);
  return steps.length > 0 && steps.every(({ state }) => state !== 'open');
};

describe.concurrent('a run whose keepers die', () => {
  test('invariant 1: the warden of the product ends the children of a runner that was killed', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const warden = fileURLToPath(new URL('../../../packages/toolquake/dist/warden.js', import.meta.url));
    const runner = scene.start(driver, { mode: 'wait', warden, changes: ['child', 'child'] });
    await runner.says('during');
    expect(scene.snapshot()).not.toEqual(before);
    runner.process.kill('SIGKILL');
    await nobodyIsLeft(scene.ledgerPath);
    expect(scene.snapshot()).toEqual(before);
    expect(readLedger(scene.ledgerPath)).toMatchObject({ isClean: true, isClosed: true });
  });

  test('the output of a runner that was killed ends at once, though its warden is still at work', async () => {
    const scene = createScene();
    const runner = scene.start(driver, { mode: 'wait', changes: ['fail'] });
    await runner.says('during');
    runner.process.kill('SIGKILL');
    // "ended" waits for the streams: a warden that held them would keep them open while it tries again and again.
    await runner.ended;
    const { warden } = readLedger(scene.ledgerPath);
    expect(() => process.kill(warden!.pid, 0)).not.toThrow();
    process.kill(warden!.pid, 'SIGKILL');
  });

  test('invariant 3: a warden that dies alone is told to the runner, which stops and undoes', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'deaf' });
    const { warden } = await runner.says('during');
    process.kill(Number(warden), 'SIGKILL');
    const { code, said } = await runner.ended;
    expect(said.find(({ what }) => what === 'undone')?.['why']).toBe('The warden ended (SIGKILL).');
    expect(code).toBe(1);
    expect(scene.snapshot()).toEqual(before);
    expect(await sweep(scene)).toEqual({ swept: [], left: [] });
  });

  test('Ctrl-C and a closed terminal do not end the warden', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'wait' });
    const { warden } = await runner.says('during');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(Number(warden), signal);
    runner.process.kill('SIGKILL');
    await nobodyIsLeft(scene.ledgerPath);
    expect(scene.snapshot()).toEqual(before);
  });

  test('invariants 4 and 12: the lease of a stopped runner ends on the monotonic clock: undone, and it lost its lock when it wakes', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'wait', ttlMs: 500, heartbeatMs: 100 });
    await runner.says('during');
    runner.process.kill('SIGSTOP');
    await until(() => isUndone(scene), 'the warden undoes');
    expect(scene.snapshot()).toEqual(before);
    // Until it is dead it may go on at any moment, so nobody else gets the server.
    const rival = scene.start(driver, { runId: 'two' });
    expect((await rival.ended).stderr).toContain('run one');
    runner.process.kill('SIGCONT');
    const { said } = await runner.ended;
    expect(said.find(({ what }) => what === 'undone')).toMatchObject({
      held: false,
      lostTo: 'the warden took the run over (no heartbeat for 500 ms)',
    });
    expect(scene.snapshot()).toEqual(before);
    expect(await sweep(scene)).toEqual({ swept: [], left: [] });
  });

  test('invariant 12: a change that a stopped runner makes after it was undone is undone when the runner dies', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'wait', ttlMs: 300, heartbeatMs: 100 });
    await runner.says('during');
    runner.process.kill('SIGSTOP');
    await until(() => isUndone(scene), 'the warden undoes');
    // What it was in the middle of when it was stopped.
    writeFileSync(`${scene.folder}/world/kept.txt`, 'changed after all');
    runner.process.kill('SIGKILL');
    await nobodyIsLeft(scene.ledgerPath);
    expect(scene.snapshot()).toEqual(before);
  });

  test('invariant 4: a runner that went on after its lease, and is stopped again, is undone again', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'deaf', ttlMs: 300, heartbeatMs: 100 });
    const { warden } = await runner.says('during');
    const heard = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${Number(warden)}/io`, 'utf8'))?.[1]);
    runner.process.kill('SIGSTOP');
    const log = join(runDirectoryOf(scene.ledgerPath), 'warden.log');
    await until(() => readFileSync(log, 'utf8').includes('change kept.txt: undone'), 'the warden undoes, and reads nothing but beats');
    const silence = heard();
    runner.process.kill('SIGCONT');
    await until(() => heard() > silence + 'beat\n'.length, 'the warden hears of the runner');
    writeFileSync(`${scene.folder}/world/kept.txt`, 'changed after all');
    runner.process.kill('SIGSTOP');
    await until(() => readFileSync(`${scene.folder}/world/kept.txt`, 'utf8') === 'as it was', 'the warden undoes again');
    expect(scene.snapshot()).toEqual(before);
    runner.process.kill('SIGKILL');
    await nobodyIsLeft(scene.ledgerPath);
  });

  test('invariant 19: a stop request that the runner does not hear is carried out by its warden', async () => {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'deaf', stopGraceMs: 200, heartbeatMs: 100 });
    await runner.says('during');
    requestStop(runDirectoryOf(scene.ledgerPath));
    await until(() => isUndone(scene), 'the warden undoes');
    expect(scene.snapshot()).toEqual(before);
    expect(readLedger(scene.ledgerPath).takeover).toEqual({ by: 'warden', why: 'it did not stop within 200 ms' });
    runner.process.kill('SIGKILL');
    await nobodyIsLeft(scene.ledgerPath);
  });
});

describe.concurrent('a ledger that is not what it was', () => {
  /** A run whose runner and warden are dead, with everything still in place. */
  async function abandoned(changes?: readonly ('kept' | 'new' | 'child' | 'lie' | 'fail')[]): Promise<{ scene: Scene; before: unknown }> {
    const scene = createScene();
    const before = scene.snapshot();
    const runner = scene.start(driver, { mode: 'wait', changes });
    const { warden } = await runner.says('during');
    process.kill(Number(warden), 'SIGSTOP');
    runner.process.kill('SIGKILL');
    process.kill(Number(warden), 'SIGKILL');
    await nobodyIsLeft(scene.ledgerPath);
    return { scene, before };
  }

  test('invariant 2: a new run sweeps first what a dead one left, and then has the server', async () => {
    const { scene, before } = await abandoned();
    expect(scene.snapshot()).not.toEqual(before);
    const { code } = await scene.start(driver, { runId: 'two' }).ended;
    expect(code).toBe(0);
    expect(scene.snapshot()).toEqual(before);
  });

  test('invariant 6: with a torn last line everything before it is undone', async () => {
    const { scene, before } = await abandoned();
    const lines = readFileSync(scene.ledgerPath, 'utf8');
    truncateSync(scene.ledgerPath, Buffer.byteLength(lines) - 25);
    expect(await sweep(scene)).toMatchObject({ left: [] });
    expect(scene.snapshot()).toEqual(before);
  });

  test('a line that was changed is not acted on; the rest is undone, and nothing new may start', async () => {
    const { scene } = await abandoned(['kept', 'new']);
    const lines = readFileSync(scene.ledgerPath, 'utf8');
    writeFileSync(scene.ledgerPath, lines.replace('as it was', 'not so'));
    const { left } = await sweep(scene);
    expect(left).toMatchObject([{ runId: 'one', problem: expect.stringContaining('damaged') }]);
    expect(scene.snapshot()).toMatchObject({ files: [['kept.txt', 'changed']] });
    const { stderr, code } = await scene.start(driver, { runId: 'two' }).ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was started')]);
  });

  test('a ledger that is missing, or was emptied, keeps everything from starting: nobody knows what it was to undo', async () => {
    const { scene } = await abandoned(['kept']);
    truncateSync(scene.ledgerPath);
    expect((await scene.start(driver, { runId: 'two' }).ended).stderr).toContain('has no first line');
    rmSync(scene.ledgerPath);
    expect((await scene.start(driver, { runId: 'three' }).ended).stderr).toContain('is missing');
  });

  test.each(['lie', 'fail'] as const)(
    'invariant 7: an undo that does %s leaves the ledger dirty, does not stop the others, and blocks new runs',
    async (word) => {
      const scene = createScene();
      const before = scene.snapshot();
      const { code, said } = await scene.start(driver, { changes: ['kept', word, 'new'] }).ended;
      expect(code).toBe(6);
      expect(said.find(({ what }) => what === 'undone')?.['outcomes']).toMatchObject([
        { step: 3, state: { is: 'undone' } },
        { step: 2, state: { is: 'not-undone' } },
        { step: 1, state: { is: 'undone' } },
      ]);
      expect(scene.snapshot()).toEqual(before);
      await nobodyIsLeft(scene.ledgerPath);
      expect((await scene.start(driver, { runId: 'two' }).ended).stderr).toContain('Run one left something behind');
      // Once the world is right, whoever put it right, the host is free again.
      if (word === 'fail') return;
      writeFileSync(`${scene.folder}/lie.truth`, '');
      expect((await scene.start(driver, { runId: 'two' }).ended).code).toBe(0);
    },
  );

  test('invariants 8 and 10: what somebody else took back, or what is gone, is no error', async () => {
    const { scene, before } = await abandoned();
    const { children } = scene.snapshot() as { children: readonly string[] };
    process.kill(Number(children[0]), 'SIGKILL');
    writeFileSync(`${scene.folder}/world/kept.txt`, 'as it was');
    expect(await sweep(scene)).toMatchObject({
      swept: [{ outcomes: [{ state: { is: 'gone' } }, { state: { is: 'undone' } }, { state: { is: 'undone' } }] }],
    });
    expect(scene.snapshot()).toEqual(before);
    expect(await sweep(scene)).toEqual({ swept: [], left: [] });
  });

  test('invariant 8: several that undo at once undo once, and harm nobody', async () => {
    const { scene, before } = await abandoned();
    const reports = await Promise.all([1, 2, 3, 4].map(() => sweep(scene)));
    expect(reports.flatMap(({ left }) => left)).toEqual([]);
    expect(scene.snapshot()).toEqual(before);
    expect(readLedger(scene.ledgerPath).damage).toEqual([]);
    const outcomes = readFileSync(scene.ledgerPath, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"outcome"'));
    expect(outcomes).toHaveLength(3);
  });

  test('what a stranger wrote below our lines is not acted on', async () => {
    const { scene, before } = await abandoned(['new']);
    appendFileSync(
      scene.ledgerPath,
      '{"v":1,"kind":"intent","step":2,"action":"x","name":"x","undo":{"kind":"restore-text","data":{"path":"/x"}},"sum":"0000000000000000"}\n',
    );
    expect((await sweep(scene)).left).toMatchObject([{ problem: expect.stringContaining('line') }]);
    expect(scene.snapshot()).toEqual(before);
  });
});

test('invariant 12: of runners that start at once on one server exactly one wins', async () => {
  const scene = createScene();
  const runners = ['a', 'b', 'c', 'd'].map((runId) => scene.start(driver, { runId, mode: 'wait', changes: ['new'] }));
  const results = await Promise.allSettled(runners.map((runner) => runner.says('during')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const runner of runners) runner.process.kill('SIGTERM');
  const ends = await Promise.all(runners.map((runner) => runner.ended));
  expect(ends.filter(({ stderr }) => stderr.includes('Another experiment has server'))).toHaveLength(3);
});

test('invariant 12: of runners that start at once over what a dead one left, exactly one gets the server, after it was undone', async () => {
  const scene = createScene();
  const before = scene.snapshot();
  await scene.start(driver, {}, { TOOLQUAKE_FAULT_POINT: 'runner applied 3 after;warden takeover before' }).ended;
  await nobodyIsLeft(scene.ledgerPath);
  expect(scene.snapshot()).not.toEqual(before);
  const runners = ['a', 'b', 'c'].map((runId) => scene.start(driver, { runId, mode: 'wait', changes: ['new'] }));
  const results = await Promise.allSettled(runners.map((runner) => runner.says('during')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const runner of runners) runner.process.kill('SIGTERM');
  await Promise.all(runners.map((runner) => runner.ended));
  expect(scene.snapshot()).toEqual(before);
});
