/** The pages of signals over HTTP: on node:http and as a web handler, with dependencies that come and go. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerSignals, createSignals, handleSignals, type Signals, type SignalsOptions } from '@toolquake/sdk/signals';
import { afterEach, describe, expect, test } from 'vitest';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

type Said = { readonly status: number; readonly type: string | null; readonly text: string };
type Ask = (path: string, init?: RequestInit) => Promise<Said>;
const saidBy = async (response: Response): Promise<Said> => ({
  status: response.status,
  type: response.headers.get('content-type'),
  text: await response.text(),
});

async function overNode(signals: Signals): Promise<Ask> {
  const server = createServer((request, response) => {
    handleSignals(signals, request, response).then(
      (isOurs) => void (isOurs || response.writeHead(404).end('not a page of ours')),
      (error: unknown) => void response.destroy(error as Error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  return async (path, init) =>
    saidBy(
      await fetch(`http://127.0.0.1:${port}${path}`, {
        ...init,
        headers: { connection: 'close', accept: new Headers(init?.headers).get('accept') ?? '*/*' },
      }),
    );
}

const asHandler =
  async (signals: Signals): Promise<Ask> =>
  async (path, init) =>
    saidBy(
      (await answerSignals(signals, new Request(`http://edge.invalid${path}`, init))) ??
        new Response('not a page of ours', { status: 404 }),
    );

describe.each([
  ['node:http', overNode],
  ['a web handler', asHandler],
] as const)('on %s', (_, mount) => {
  const mounted = async (options: SignalsOptions = {}): Promise<{ ask: Ask; signals: Signals }> => {
    const signals = createSignals(options);
    stops.push(() => signals.stop());
    return { ask: await mount(signals), signals };
  };

  test('metrics are text for Prometheus and JSON for whoever asks for it', async () => {
    const { ask } = await mounted({ pools: { db: () => ({ max: 10, total: 8, idle: 2, waiting: 0 }) } });
    const text = await ask('/metrics');
    expect(text).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    expect(text.text).toMatch(/^nodejs_eventloop_utilization_ratio 0/m);
    expect(text.text).toMatch(/^v8js_memory_heap_limit_bytes \d+/m);
    for (const asked of [await ask('/metrics.json'), await ask('/metrics', { headers: { accept: 'application/json' } })])
      expect(JSON.parse(asked.text)).toMatchObject({ saturation: { pools: { db: { utilization: 0.6 } } }, sessions: { active: 0 } });
  });

  test('health says what is wrong, and is well again when it is', async () => {
    let isDown = true;
    let nowMs = 0;
    const clock = { nowMs: () => nowMs, schedule: () => () => {} };
    const { ask } = await mounted({
      clock,
      process: undefined,
      checks: { database: () => (isDown ? Promise.reject(new Error('connect ECONNREFUSED postgres://app:hunter2@127.0.0.1:5432')) : true) },
    });
    for (const path of ['/health', '/ready']) {
      const { status, text } = await ask(path);
      expect(status).toBe(503);
      expect(JSON.parse(text)).toMatchObject({
        status: 'unavailable',
        reason: 'database: connect ECONNREFUSED postgres://***@127.0.0.1:5432',
      });
    }
    isDown = false;
    nowMs += 1000;
    for (const path of ['/health', '/ready']) expect((await ask(path)).status).toBe(200);
  });

  test('who waits for a connection makes it not ready, which is no reason to restart it', async () => {
    const { ask } = await mounted({ pools: { db: () => ({ max: 10, total: 10, idle: 0, waiting: 4 }) } });
    expect((await ask('/health')).status).toBe(200);
    const { status, text } = await ask('/ready');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({ reason: 'pool db: 4 waiting for one of 10 connections (max 10)' });
  });

  test('a server that is about to stop is not ready', async () => {
    const { ask, signals } = await mounted();
    signals.drain();
    expect(JSON.parse((await ask('/ready')).text)).toMatchObject({ reason: 'draining' });
    expect((await ask('/health')).status).toBe(200);
  });

  test('other paths are for others, other methods for nobody, and HEAD has no body', async () => {
    const { ask } = await mounted();
    expect(await ask('/mcp')).toMatchObject({ status: 404, text: 'not a page of ours' });
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
    expect(await ask('/health', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await ask('/health?deep=1')).status).toBe(200);
  });
});
