/** The monitor as the process that it is: a server falls ill and gets well again, and whoever has to know is told. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@toolquake/sdk/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openAlertReceiver } from '../../packages/toolquake/src/operations/alert-receiver.js';
import { hostMs } from '../../packages/toolquake/src/workers/host-clock.js';
import type { MonitorConfig } from '../../packages/toolquake/src/workers/roles/monitor.js';
import { startWorker } from '../../packages/toolquake/src/workers/start-worker.js';
import { startDualEra } from '../servers/http-dual-era.mjs';

const PROGRAM = fileURLToPath(new URL('../../packages/toolquake/dist/experiment-worker.js', import.meta.url));
const EVERY_MS = 150;

type World = {
  readonly alerts: { state: string; reason: string; rule: string; atMs: number; sentAtMs: number | undefined }[];
  readonly said: JsonObject[];
  readonly samples: () => JsonObject[];
  readonly nowMs: () => number;
};

/** A monitor of a URL, which sends its alerts to a receiver and wherever else it is told. */
async function watching(
  url: string,
  more: { health?: string; webhooks?: readonly string[]; env?: Record<string, string>; quietMs?: number } = {},
): Promise<World> {
  const startedAtHostMs = hostMs();
  const nowMs = (): number => hostMs() - startedAtHostMs;
  const alerts: World['alerts'] = [];
  const receiver = await openAlertReceiver({ port: 0, nowMs, onAlert: (alert) => void alerts.push(alert) });
  onTestFinished(() => receiver.close());
  const health = more.health === undefined ? undefined : { url: more.health, expectStatus: 200, reasonField: 'reason' };
  const worker = await startWorker(
    'monitor',
    {
      runId: 'run-1',
      startedAtHostMs,
      target: {
        target: { name: 'shop', kind: 'url', url, budgets: { totalMs: 1200, healthMs: 1000, helloMs: 1000 } },
        plan: { tools: [], canaries: [], health, slowMs: {} },
        manifest: undefined,
        labels: {},
      },
      everyMs: EVERY_MS,
      failures: 2,
      slowFactor: 2,
      slowOver: 10,
      quietMs: more.quietMs ?? 60_000,
      webhooks: [receiver.url, ...(more.webhooks ?? [])],
    } satisfies MonitorConfig,
    { env: { ...process.env, ...more.env }, program: PROGRAM },
  );
  onTestFinished(() => worker.stop());
  const said: JsonObject[] = [];
  worker.onMessage((message) => said.push(message));
  worker.go();
  const samples = (): JsonObject[] =>
    said.filter((message) => message['kind'] === 'sample').map((message) => message['sample'] as JsonObject);
  await vi.waitFor(() => expect(samples().length).toBeGreaterThanOrEqual(3), { timeout: 20_000 });
  return { alerts, said, samples, nowMs };
}

/** A page that answers with whatever status it is set to. */
async function openPage(): Promise<{ url: string; status: number; posted: string[]; server: Server }> {
  const page = { url: '', status: 200, posted: [] as string[], server: undefined as unknown as Server };
  page.server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.method === 'POST') page.posted.push(body);
      response.writeHead(page.status, { 'content-type': 'application/json' }).end('{"reason":"database_unreachable"}');
    });
  }).listen(0, '127.0.0.1');
  await once(page.server, 'listening');
  onTestFinished(() => {
    page.server.closeAllConnections();
    page.server.close();
  });
  page.url = `http://127.0.0.1:${(page.server.address() as AddressInfo).port}/page`;
  return page;
}

const states = ({ alerts }: World): string[] => alerts.map(({ state, reason }) => `${state} ${reason}`);

test('a server that is killed is noticed within two cycles, by its reason, and so is its return', async () => {
  const first = await startDualEra();
  const { port } = new URL(first.url);
  const world = await watching(first.url);
  await vi.waitFor(() => expect(states(world)).toEqual(['test test']));
  const killedAtMs = world.nowMs();
  await first.stop();
  await vi.waitFor(() => expect(states(world)).toEqual(['test test', 'firing connection_refused']), { timeout: 5000, interval: 10 });
  const alert = world.alerts[1]!;
  // Two cycles, and what a probe and a delivery take on a busy machine.
  expect(alert.atMs - killedAtMs).toBeLessThan(2 * EVERY_MS + 1000);
  expect(alert.sentAtMs!).toBeGreaterThan(killedAtMs - 5);
  expect(alert.sentAtMs!).toBeLessThanOrEqual(alert.atMs + 5);
  const second = await startDualEra({ port: Number(port) });
  onTestFinished(() => second.stop());
  await vi.waitFor(() => expect(states(world)).toEqual(['test test', 'firing connection_refused', 'resolved connection_refused']), {
    timeout: 5000,
  });
  expect(world.samples().at(-1)).toMatchObject({ isUp: true, reason: null });
});

test('a health URL that says no is a failing probe, with the words of the server', async () => {
  const server = await startDualEra();
  onTestFinished(() => server.stop());
  const page = await openPage();
  const world = await watching(server.url, { health: page.url });
  page.status = 503;
  await vi.waitFor(() => expect(states(world)).toEqual(['test test', 'firing health_check_failed']), { timeout: 5000 });
  expect(world.samples().at(-1)).toMatchObject({ isUp: false, step: 'health', healthStatus: 503, healthReason: 'database_unreachable' });
  page.status = 200;
  await vi.waitFor(() => expect(states(world).at(-1)).toBe('resolved health_check_failed'), { timeout: 5000 });
});

test('a server that never answers does not stop the clock of its monitor', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const world = await watching(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`);
  const times = (): number[] => world.samples().map((sample) => sample['atMs'] as number);
  // Each takes a second to fail; one after the other, six would take six seconds.
  await vi.waitFor(() => expect(times().length).toBeGreaterThanOrEqual(7), { timeout: 5000 });
  expect(times()[6]! - times()[0]!).toBeLessThan(3000);
  expect(states(world)[1]).toMatch(/^firing \w+_timeout$/);
});

test('a channel that refuses is tried again, in order, and its URL is told to nobody', async () => {
  const server = await startDualEra();
  onTestFinished(() => server.stop());
  const page = await openPage();
  page.status = 503;
  const secret = `${page.url}/T0000/secret-of-the-channel`;
  const world = await watching(server.url, { webhooks: ['${CHANNEL}', '${CHANNEL_THAT_IS_NOT_SET}'], env: { CHANNEL: secret } });
  await vi.waitFor(() => expect(page.posted.length).toBeGreaterThanOrEqual(2), { timeout: 5000 });
  page.status = 200;
  const deliveries = (): JsonObject[] => world.said.filter(({ kind }) => kind === 'delivery');
  await vi.waitFor(() => expect(deliveries()).toHaveLength(3), { timeout: 8000 });
  expect(deliveries().find(({ channel }) => channel === 1)).toMatchObject({ isDelivered: true, to: new URL(page.url).host, state: 'test' });
  expect(deliveries().find(({ channel }) => channel === 2)).toMatchObject({ isDelivered: false, attempts: 0 });
  expect(String(deliveries().find(({ channel }) => channel === 2)!['detail'])).toContain('CHANNEL_THAT_IS_NOT_SET is not set');
  expect(JSON.stringify(world.said)).not.toContain('secret-of-the-channel');
  expect(page.posted.every((body) => body === page.posted[0])).toBe(true);
});
