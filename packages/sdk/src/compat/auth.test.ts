import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshController } from './fixtures/fresh-controller.js';
import { ChaosController, chaosAuthMiddleware, createChaosAuthMiddleware } from './index.js';

freshController();

/** A real Express server with two stacked targets in front of it. */
async function startServer(): Promise<string> {
  const app = express();
  app.use(chaosAuthMiddleware);
  app.use(createChaosAuthMiddleware('api-key'));
  app.get('/', (_req, res) => void res.json({ ok: true }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('without a fault, and without a controller in production, requests pass', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(await (await fetch(await startServer())).json()).toEqual({ ok: true });
});

test('each of stacked targets refuses on its own, with the challenge that clients decide by', async () => {
  const url = await startServer();
  const controller = ChaosController.getInstance();
  const first = controller.inject('oauth-token', { type: 'error', statusCode: 401, message: 'Token expired' });
  const expired = await fetch(url);
  expect([expired.status, expired.headers.get('www-authenticate')]).toEqual([401, 'Bearer error="invalid_token"']);
  expect(await expired.json()).toEqual({ error: 'token_invalid', message: 'Token expired' });
  controller.clear(first);
  controller.inject('api-key', { type: 'error', statusCode: 403 });
  const forbidden = await fetch(url);
  expect([forbidden.status, forbidden.headers.get('www-authenticate')]).toEqual([403, 'Bearer error="insufficient_scope"']);
  expect(await forbidden.json()).toEqual({ error: 'token_invalid', message: 'Authentication failed (chaos)' });
});

test('latency goes on, a timeout is a 504', async () => {
  const url = await startServer();
  const controller = ChaosController.getInstance();
  const slow = controller.inject('oauth-token', { type: 'latency', delayMs: 5 });
  expect((await fetch(url)).status).toBe(200);
  controller.clear(slow);
  controller.inject('oauth-token', { type: 'timeout', hangMs: 5 });
  const late = await fetch(url);
  expect([late.status, await late.json()]).toEqual([504, { error: 'Gateway Timeout (chaos)' }]);
});

test('a client that has gone is not waited for', async () => {
  vi.useFakeTimers();
  ChaosController.getInstance().inject('oauth-token', { type: 'timeout', hangMs: 3_600_000 });
  const listeners: (() => void)[] = [];
  const json = vi.fn();
  const res = { status: () => ({ json }), once: (_event: 'close', listener: () => void) => void listeners.push(listener), off: () => {} };
  chaosAuthMiddleware({}, res, expect.unreachable);
  expect(vi.getTimerCount()).toBe(1);
  for (const listener of listeners) listener();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(3_600_001);
  expect(json).not.toHaveBeenCalled();
});

test('a fault that middleware cannot perform is left out, not counted, and does not hide the next one', () => {
  const controller = ChaosController.getInstance();
  controller.inject('oauth-token', { type: 'connection-refused' });
  controller.inject('oauth-token', { type: 'error', statusCode: 401 });
  const status = vi.fn(() => ({ json: () => {} }));
  chaosAuthMiddleware({}, { status }, expect.unreachable);
  expect(status).toHaveBeenCalledWith(401);
  expect(controller.getActiveFaults().map(({ requestCount }) => requestCount)).toEqual([0, 1]);
});
