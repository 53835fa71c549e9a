/** One JSON config, and one command line, for services of TypeScript and of Python. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ChaosController, configureChaosLogger, registerChaosEndpoint } from '@toolquake/sdk/compat';
import { mountNodeAdmin, startPlan } from '@toolquake/sdk/controller';
import { interceptFetch } from '@toolquake/sdk/interceptors';
import express, { type Express } from 'express';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDesk, type Run } from '../cli/harness.js';
import { startPythonStub } from './python-stub.js';

const TOKEN = 's3cret';
const REQUEST = { target: 'weather-api', config: { type: 'latency', delay_ms: 2000 }, duration_ms: 60_000 };

const desk = (): ((...words: string[]) => Promise<Run>) => {
  const { run } = createDesk({ 'fault.json': JSON.stringify(REQUEST), 'bad.json': '{' });
  return (...words) => run(words, { CHAOS_ADMIN_TOKEN: TOKEN });
};

/** A real Express service with the compatible routes, in this process. */
async function startTypeScriptService(): Promise<string> {
  vi.stubEnv('CHAOS_ENABLED', 'true');
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('CHAOS_ADMIN_TOKEN', TOKEN);
  const quiet = (): void => {};
  configureChaosLogger(() => ({ debug: quiet, info: quiet, warn: quiet, error: quiet }));
  const app = express().use(express.json());
  registerChaosEndpoint(app);
  onTestFinished(() => {
    ChaosController.reset();
    vi.unstubAllEnvs();
  });
  return listen(app);
}

async function listen(app: Express): Promise<string> {
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a Python service is driven by the config of a file, listed, and cleared', async () => {
  const toolquake = desk();
  const { url, faults } = await startPythonStub(TOKEN);
  const injected = await toolquake('inject', '--config', 'fault.json', '--url', url);
  const [id = ''] = faults.keys();
  expect(injected).toMatchObject({ code: 0, stdout: `injected as ${id}\n` });
  expect(faults.get(id)).toMatchObject({ target: 'weather-api', config: { delay_ms: 2000 }, duration_ms: 60_000 });
  expect((await toolquake('status', '--url', url)).stdout).toBe(`1 rules at work\n  ${id}  latency  injected  fired 3x\n`);
  expect(await toolquake('clear', id, '--url', url)).toMatchObject({ code: 0, stdout: `cleared ${id}\n` });
  expect(faults.size).toBe(0);
  const camel = '{"type":"error","statusCode":503}';
  await toolquake('inject', '--config', camel, '--target', 'redis', '--duration', '30', '--url', url);
  expect([...faults.values()]).toMatchObject([{ target: 'redis', config: { status_code: 503 }, duration_ms: 30_000 }]);
  expect((await toolquake('clear-all', '--url', url)).code).toBe(0);
});

test('a TypeScript service is driven by the same file', async () => {
  const toolquake = desk();
  const url = await startTypeScriptService();
  const controller = ChaosController.getInstance();
  const injected = await toolquake('inject', '--config', 'fault.json', '--url', url);
  const id = controller.getActiveFaults()[0]?.id ?? '';
  expect(injected).toMatchObject({ code: 0, stdout: `injected as ${id}\n` });
  expect(controller.getFault('weather-api')).toEqual({ type: 'latency', delayMs: 2000 });
  expect((await toolquake('status', '--url', url)).stdout).toContain(`${id}  latency  injected  fired 1x`);
  expect((await toolquake('clear', id, '--url', url)).code).toBe(0);
  const again = await toolquake('clear', id, '--url', url);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`No active fault: ${id}`) });
});

test('a service with native interceptors is driven by the same file', async () => {
  const toolquake = desk();
  const run = startPlan({ rules: [] }, { isAllowed: () => true });
  const plain = async (): Promise<Response> => Response.json({});
  interceptFetch(run, { fetch: plain, target: 'weather-api' });
  interceptFetch(run, { fetch: plain, target: 'flights' });
  const url = await listen(
    express()
      .use(express.json())
      .use(mountNodeAdmin(run, { token: TOKEN })),
  );
  expect((await toolquake('inject', '--config', 'fault.json', '--url', url)).stdout).toBe('injected as latency-live-1\n');
  expect(run.list()).toMatchObject([{ rule: { when: { target: ['weather-api'] }, params: { addedMs: 2000 } } }]);
  expect((await toolquake('status', '--url', url)).stdout).toContain('latency-live-1');
  const stranger = await toolquake('inject', '--config', '{"type":"malformed"}', '--target', 'flight', '--url', url);
  expect(stranger).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "flights"') });
  expect((await toolquake('clear', 'latency-live-1', '--url', url)).stdout).toBe('cleared latency-live-1\n');
  run.stop();
});

test.each([
  [['--config', '{"type":"latency","delay_ms":"x"}', '--target', 'a'], 'config.delay_ms must be a number'],
  [['--config', '{"type":"latncy"}', '--target', 'a'], 'Did you mean "latency"'],
  [['--config', '{"type":"malformed"}'], 'needs a target'],
  [['--config', 'bad.json', '--target', 'a'], 'bad.json is not JSON'],
  [['--config', 'missing.json', '--target', 'a'], 'missing.json'],
  [['latency', '--config', '{"type":"malformed"}'], 'a FAULT has no place beside it'],
  [['--config', '{"type":"malformed"}', '--tool', 'x', '--target', 'a'], '--tool has no place beside it'],
  [[], 'There is nothing to inject'],
])('%j is exit 2, and nothing is sent', async (words, message) => {
  const { url, faults } = await startPythonStub(TOKEN);
  expect(await desk()('inject', ...words, '--url', url)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  expect(faults.size).toBe(0);
});

test('what a Python service refuses is exit 2 with its own words, and another token is exit 3', async () => {
  const toolquake = desk();
  const { url } = await startPythonStub('other');
  expect((await toolquake('status', '--url', url)).code).toBe(3);
});
