/** Servers under a real PM2 are killed, come back, and are brought back where PM2 does not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killProcess } from '../../../packages/toolquake/src/actions/kinds/kill-process.js';
import { restartServer } from '../../../packages/toolquake/src/actions/kinds/restart-server.js';
import { openManager } from '../../../packages/toolquake/src/managers/open-manager.js';
import type { ProcessManager } from '../../../packages/toolquake/src/managers/process-manager.js';
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

test('a killed server is gone, and PM2 brings it back with a new pid', async () => {
  const [old = 0] = await pidsOf('demo');
  expect(await killProcess.feasibility({}, under('demo'))).toMatchObject({ isFeasible: true });
  const { prepared, undos } = await perform(killProcess, { signal: 'KILL' }, under('demo'));
  await until(async () => (await prepared.verifyEffect()).isInEffect);
  expect((await prepared.verifyEffect()).proof).toContain(String(old));
  expect(await undo(undos[0]!, pm2.env)).toMatchObject({ is: 'undone' });
  const [now = 0] = await pidsOf('demo');
  expect(now).not.toBe(old);
  expect((await (await manager('demo')).look()).restarts).toBe(1);
});
