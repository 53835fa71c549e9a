/** Without rights on the network: the server goes through "toolquake proxy tcp", and the run puts its rules in there. */
import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { blockDependency } from '../../../packages/toolquake/src/actions/kinds/block-dependency.js';
import { slowDependency } from '../../../packages/toolquake/src/actions/kinds/slow-dependency.js';
import { connectWithin } from '../../../packages/toolquake/src/network/connect-within.js';
import { binPath } from '../../cli/harness.js';
import { actionWorld } from './action-world.js';
import { applyAll, undoAll } from './place.js';

const env = { TOOLQUAKE_ADMIN_TOKEN: 'a-token-of-this-test' };
const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
let proxy: ReturnType<typeof spawn>;
let port: number;
let admin: string;

beforeEach(async () => {
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const upstream = `127.0.0.1:${(echo.address() as AddressInfo).port}`;
  const argv = [binPath, 'proxy', 'tcp', '--upstream', upstream, '--port', '0', '--admin-port', '0', '--json'];
  proxy = spawn(process.execPath, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
  const line = await new Promise<string>((resolve) => createInterface({ input: proxy.stdout! }).once('line', resolve));
  const told = JSON.parse(line) as { port: number; adminUrl: string };
  [port, admin] = [told.port, told.adminUrl];
});
afterEach(async () => {
  await stopProxy();
  await new Promise((resolve) => echo.close(resolve));
});

async function stopProxy(): Promise<void> {
  if (proxy.exitCode !== null || proxy.signalCode !== null) return;
  const ended = new Promise((resolve) => proxy.once('exit', resolve));
  proxy.kill('SIGTERM');
  await ended;
}

const look = (): ReturnType<typeof connectWithin> =>
  connectWithin({ namespace: undefined, uid: undefined }, { address: '127.0.0.1', port }, { timeoutMs: 5000, isPoking: true });

test('blocks, and is as before when it is undone', async () => {
  const params = { host: '127.0.0.1', port, via: 'relay', admin };
  expect(await blockDependency.feasibility(params, actionWorld({ env }))).toMatchObject({ isFeasible: true });
  const prepared = await blockDependency.prepare(params, actionWorld({ env }));
  const undo = await applyAll(prepared);
  expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
  expect((await look()).end).toBe('reset');
  expect(JSON.stringify(undo), 'the ledger has the name of the variable, and not what is in it').not.toContain(env.TOOLQUAKE_ADMIN_TOKEN);
  expect(await undoAll(undo, env)).toMatchObject([{ is: 'undone' }]);
  expect((await look()).end).toBe('connected');
  expect(await undoAll(undo, env), 'twice is no error').toMatchObject([{ is: 'undone' }]);
});

test('slows, and is as before when it is undone', async () => {
  expect((await look()).roundMs).toBeLessThan(390);
  const prepared = await slowDependency.prepare({ host: '127.0.0.1', port, via: 'relay', admin, delayMs: 400 }, actionWorld({ env }));
  const undo = await applyAll(prepared);
  expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
  const slow = (await look()).roundMs ?? 0;
  expect(slow).toBeGreaterThan(390);
  expect(await undoAll(undo, env)).toMatchObject([{ is: 'undone' }]);
  expect((await look()).roundMs).toBeLessThan(slow);
});

test('rules last for as long as the run says, however long that is', async () => {
  const threeHoursMs = 3 * 3_600_000;
  const world = { ...actionWorld({ env }), lastsMs: threeHoursMs };
  const undo = await applyAll(await blockDependency.prepare({ host: '127.0.0.1', port, via: 'relay', admin }, world));
  const headers = { authorization: `Bearer ${env.TOOLQUAKE_ADMIN_TOKEN}` };
  const { faults } = (await (await fetch(new URL('/chaos/status', admin), { headers })).json()) as { faults: { expiresInMs: number }[] };
  expect(faults).toHaveLength(2);
  for (const { expiresInMs } of faults) expect(expiresInMs).toBeGreaterThan(threeHoursMs - 60_000);
  expect(await undoAll(undo, env)).toMatchObject([{ is: 'undone' }]);
});

test('a proxy that ended forgot the rules', async () => {
  const undo = await applyAll(await blockDependency.prepare({ host: '127.0.0.1', port, via: 'relay', admin }, actionWorld({ env })));
  await stopProxy();
  expect(await undoAll(undo, env)).toMatchObject([{ is: 'gone' }]);
});
