/** Servers under a real PM2 are killed, come back, and are brought back where PM2 does not. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { realClock } from '@toolquake/sdk/interceptors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freezeProcess } from '../../../packages/toolquake/src/actions/kinds/freeze-process.js';
import { killProcess } from '../../../packages/toolquake/src/actions/kinds/kill-process.js';
import { restartServer } from '../../../packages/toolquake/src/actions/kinds/restart-server.js';
import type { Sample } from '../../../packages/toolquake/src/core/sample.js';
import { openManager } from '../../../packages/toolquake/src/managers/open-manager.js';
import { parsePm2List } from '../../../packages/toolquake/src/managers/pm2-list.js';
import type { ProcessManager } from '../../../packages/toolquake/src/managers/process-manager.js';
import { descendantsOf, processesByCommand } from '../../../packages/toolquake/src/managers/process-table.js';
import { watchProcess } from '../../../packages/toolquake/src/managers/watch-process.js';
import { startWorker } from '../../../packages/toolquake/src/workers/start-worker.js';
import { providePm2, type Pm2 } from '../provide-pm2.js';
import { perform, scripts, startStranger, stateOf, undo, until, worldOf } from './servers.js';

const files = scripts();
let pm2: Pm2;
beforeAll(async () => {
  pm2 = await providePm2();
  await pm2.pm2('start', files.path('steady.cjs'), '--name', 'demo');
  await pm2.pm2('start', files.path('steady.cjs'), '--name', 'three', '-i', '3');
  await pm2.pm2('start', files.path('steady.cjs'), '--name', 'left-alone', '--no-autorestart');
});
afterAll(async () => {
  await pm2?.stop();
  files.remove();
});

const under = (name: string) => worldOf({ kind: 'pm2', name }, pm2.env);
const manager = (name: string): Promise<ProcessManager> =>
  openManager({ kind: 'pm2', name }, { env: { ...process.env, ...pm2.env }, signal: AbortSignal.timeout(60_000) });
const pidsOf = async (name: string): Promise<readonly number[]> =>
  (await (await manager(name)).look()).processes.map((one) => one.identity.pid);

test('a killed server is gone, PM2 brings it back with a new pid, and undoing twice leaves it alone (invariants 8 and 9)', async () => {
  const [old = 0] = await pidsOf('demo');
  expect(await killProcess.feasibility({}, under('demo'))).toMatchObject({ isFeasible: true });
  const { prepared, undos } = await perform(killProcess, { signal: 'KILL' }, under('demo'));
  await until(async () => (await prepared.verifyEffect()).isInEffect);
  expect((await prepared.verifyEffect()).proof).toContain(String(old));
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
  const [now = 0] = await pidsOf('demo');
  expect(now).not.toBe(old);
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
  expect(await pidsOf('demo')).toEqual([now]);
  expect((await (await manager('demo')).look()).restarts).toBe(1);
});

test('of three replicas one is killed, and undone only when three run again', async () => {
  const before = await pidsOf('three');
  expect(before).toHaveLength(3);
  const { prepared, undos } = await perform(killProcess, { replicas: 1, signal: 'KILL' }, under('three'));
  expect(prepared.hits).toHaveLength(1);
  await until(async () => (await prepared.verifyEffect()).isInEffect);
  expect(undos[0]!.data).toMatchObject({ count: 3 });
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
  const after = await pidsOf('three');
  expect(after).toHaveLength(3);
  expect(after.filter((pid) => before.includes(pid))).toHaveLength(2);
});

test('a lower stage kills a share of the replicas', async () => {
  const prepared = await killProcess.prepare(killProcess.scale({}, 0.25), under('three'));
  expect(prepared.hits).toHaveLength(1);
  expect((await killProcess.prepare(killProcess.scale({}, 0.5), under('three'))).hits).toHaveLength(2);
  expect((await killProcess.prepare({}, under('three'))).hits).toHaveLength(3);
});

test('what PM2 would not restart is not killed, and says why', async () => {
  const refused = await killProcess.feasibility({}, under('left-alone'));
  expect(refused).toMatchObject({ isFeasible: false, why: expect.stringContaining('autorestart is false') as string });
  expect(await killProcess.feasibility({}, under('nobody'))).toMatchObject({ isFeasible: false });
});

test('a pid under PM2 is followed to PM2; one that nobody restarts is refused', async () => {
  const [pid = 0] = await pidsOf('demo');
  const followed = await killProcess.feasibility({ pid }, worldOf(undefined, { PATH: pm2.env['PATH'] }));
  expect(followed).toMatchObject({ isFeasible: true, how: expect.stringContaining('PM2 "demo"') as string });
  await pm2.pm2('start', files.path('tidies.cjs'), '--name', 'named');
  const command = ['node', files.path('tidies.cjs')];
  // PM2 gives it this name once it runs.
  await until(() => processesByCommand(command).length === 1);
  const named = await killProcess.feasibility({ command }, worldOf(undefined, { PATH: pm2.env['PATH'] }));
  expect(named).toMatchObject({ isFeasible: true, how: expect.stringContaining('PM2 "named"') as string });
  await pm2.pm2('delete', 'named');
  const stranger = await startStranger(files.path('steady.cjs'));
  try {
    expect(await killProcess.feasibility({ pid: stranger }, worldOf(undefined))).toMatchObject({
      isFeasible: false,
      why: expect.stringContaining('nothing would start it again') as string,
    });
  } finally {
    process.kill(stranger, 'SIGKILL');
  }
});

test('a server that somebody stopped by hand meanwhile is started through PM2', async () => {
  const { undos } = await perform(killProcess, {}, under('demo'));
  await pm2.pm2('stop', 'demo');
  expect(await pidsOf('demo')).toEqual([]);
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
  expect(await pidsOf('demo')).toHaveLength(1);
});

test('a server that tidies up before it ends is not taken for one that runs', async () => {
  await pm2.pm2('start', files.path('tidies.cjs'), '--name', 'tidies');
  const [old = 0] = await pidsOf('tidies');
  await until(() => readFileSync(`/proc/${old}/status`, 'utf8').match(/^SigCgt:\s+\S*[4-7c-f]...$/m) !== null);
  const { undos } = await perform(killProcess, {}, under('tidies'));
  expect(stateOf(old)).toBeDefined();
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
  const now = await pidsOf('tidies');
  expect([now.length, now.includes(old)]).toEqual([1, false]);
  await pm2.pm2('delete', 'tidies');
});

test('a server that was deleted meanwhile is gone, and nothing is started (invariant 10)', async () => {
  await pm2.pm2('start', files.path('steady.cjs'), '--name', 'deleted');
  const { undos } = await perform(killProcess, {}, under('deleted'));
  await pm2.pm2('delete', 'deleted');
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'gone' });
  expect((await (await manager('deleted')).look()).expected).toBe(0);
});

test('a server that a script started ends with the script, where its children are to be hit, too', async () => {
  await pm2.pm2('start', files.path('parent.cjs'), '--name', 'wrapped');
  const [wrapper = 0] = await pidsOf('wrapped');
  await until(() => descendantsOf(wrapper).length === 1);
  const [server = 0] = descendantsOf(wrapper);
  const { prepared, undos } = await perform(killProcess, { withChildren: true, signal: 'KILL' }, under('wrapped'));
  await until(async () => (await prepared.verifyEffect()).isInEffect);
  expect((await prepared.verifyEffect()).proof).toContain(String(server));
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
});

test('a server behind a script, and one of another name with the same command, is not ended: PM2 would not start that one again', async () => {
  const [wrapper = 0] = await pidsOf('wrapped');
  await until(() => descendantsOf(wrapper).length === 1);
  const [server = 0] = descendantsOf(wrapper);
  const world = worldOf(undefined, { PATH: pm2.env['PATH'] });
  const refused = { isFeasible: false, why: expect.stringContaining('would not start') as string };
  // The same command runs as "demo", as "three", and as "left-alone", which PM2 leaves alone once it ended.
  for (const params of [{ pid: server }, { command: ['node', files.path('steady.cjs')] }]) {
    expect(await killProcess.feasibility(params, world)).toMatchObject(refused);
    await expect(killProcess.prepare(params, world)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  }
});

test('a server that was restarted between the preparation and the act is hit as it is then', async () => {
  const prepared = await killProcess.prepare({ signal: 'KILL' }, under('demo'));
  await pm2.pm2('restart', 'demo');
  const [now = 0] = await pidsOf('demo');
  await prepared.steps[0]!.apply();
  await until(async () => (await prepared.verifyEffect()).isInEffect);
  expect((await prepared.verifyEffect()).proof).toContain(String(now));
  await until(async () => (await pidsOf('demo')).length === 1);
});

test('a PM2 that does not run is a refusal that says so', async () => {
  const nobody = worldOf({ kind: 'pm2', name: 'demo' }, { ...pm2.env, PM2_HOME: tmpdir() });
  expect(await killProcess.feasibility({}, nobody)).toMatchObject({
    isFeasible: false,
    why: expect.stringContaining('no daemon') as string,
  });
  const missing = worldOf({ kind: 'systemd', name: 'demo' }, { PATH: pm2.home });
  expect(await killProcess.feasibility({}, missing)).toMatchObject({
    isFeasible: false,
    why: expect.stringContaining('systemctl') as string,
  });
});

test('a restart gives every replica a new pid', async () => {
  const before = await pidsOf('three');
  const { prepared, undos } = await perform(restartServer, {}, under('three'));
  expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
  expect((await pidsOf('three')).some((pid) => before.includes(pid))).toBe(false);
});

test('a replica that somebody has stopped is not started by a restart', async () => {
  const before = await pidsOf('three');
  const [one] = (parsePm2List((await pm2.pm2('jlist')).stdout) ?? []).filter(({ name }) => name === 'three');
  await pm2.pm2('stop', String(one!.id));
  expect(await restartServer.feasibility({}, under('three'))).toMatchObject({
    isFeasible: false,
    why: expect.stringContaining('only 2 of 3 processes run') as string,
  });
  await (await manager('three')).restart();
  const after = await pidsOf('three');
  expect([after.length, after.filter((pid) => before.includes(pid))]).toEqual([2, []]);
  await pm2.pm2('restart', String(one!.id));
});

test('several restarts are made by a worker, which the undo ends first', async () => {
  const program = fileURLToPath(new URL('../../../packages/toolquake/dist/experiment-worker.js', import.meta.url));
  const world = under('demo');
  const [first = 0] = await pidsOf('demo');
  const { prepared, undos } = await perform(
    restartServer,
    { times: 50, gap: 300 },
    { ...world, startWorker: (role, config) => startWorker(role, config, { env: world.env, program }) },
  );
  expect(undos.map(({ kind }) => kind)).toEqual(['ensure-running', 'end-process']);
  const [second = 0] = await pidsOf('demo');
  await until(async () => !(await pidsOf('demo')).some((pid) => pid === first || pid === second));
  for (const step of undos.toReversed()) expect((await undo(step, pm2.env)).is).toMatch(/undone|gone/);
  expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
  const after = await pidsOf('demo');
  await prepared.release();
  expect(await pidsOf('demo')).toEqual(after);
});

test('a process that is killed while it is frozen is replaced, and the undo touches nobody else (invariant 9)', async () => {
  const [old = 0] = await pidsOf('demo');
  const { prepared, undos } = await perform(freezeProcess, {}, under('demo'));
  await until(async () => (await prepared.verifyEffect()).isInEffect);
  expect(stateOf(old)).toBe('T');
  process.kill(old, 'SIGKILL');
  await until(async () => (await pidsOf('demo')).some((pid) => pid !== old));
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'gone' });
  expect((await prepared.verifyEffect()).isInEffect).toBe(false);
});

test('samples show the pid, the uptime and the restarts of a crash loop', async () => {
  await pm2.pm2('start', files.path('loops.cjs'), '--name', 'loops', '--restart-delay', '100');
  const samples: Extract<Sample, { source: 'process' }>[] = [];
  const stop = new AbortController();
  const watched = watchProcess(await manager('loops'), {
    everyMs: 50,
    nowMs: () => performance.now(),
    clock: realClock,
    signal: stop.signal,
    onSample: (sample) => void (sample.source === 'process' && samples.push(sample)),
  });
  await until(() => (samples.at(-1)?.restarts ?? 0) >= 2);
  stop.abort();
  await watched;
  await pm2.pm2('delete', 'loops');
  expect(samples[0]).toMatchObject({ restarts: 0 });
});

test('looking starts no daemon, and names the folder that it looked in', async () => {
  const home = `${pm2.home}/empty`;
  mkdirSync(home);
  const look = (
    await openManager(
      { kind: 'pm2', name: 'demo' },
      { env: { ...process.env, ...pm2.env, PM2_HOME: home }, signal: AbortSignal.timeout(60_000) },
    )
  ).look();
  await expect(look).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE', message: expect.stringContaining(home) as string });
  expect(readdirSync(home)).toEqual([]);
});

test('what a PM2 that was started anew does not know was not deleted, and is not undone until it runs again', async () => {
  const { undos } = await perform(killProcess, {}, under('demo'));
  await pm2.pm2('kill');
  await pm2.pm2('ping');
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'not-undone', why: expect.stringContaining('started anew') as string });
  await pm2.pm2('start', files.path('steady.cjs'), '--name', 'demo');
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
});
