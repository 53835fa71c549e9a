import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshController } from './fixtures/fresh-controller.js';
import { ChaosController, registerChaosEndpoint } from './index.js';

freshController();

type Reply = { readonly status: number; readonly body: Record<string, unknown> };

/** A real Express server with the routes. */
async function startServer(
  token: string | undefined = 's3cret',
): Promise<(route: string, body?: unknown, given?: string) => Promise<Reply>> {
  vi.stubEnv('CHAOS_ADMIN_TOKEN', token);
  const app = express();
  app.use(express.json());
  registerChaosEndpoint(app);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return async (route, body, given = 'Bearer s3cret') => {
    const [method = '', path = ''] = route.split(' ');
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: given, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
}

const DOWN = { type: 'error', statusCode: 503 };

test('inject, status, clear and clear-all, in camelCase', async () => {
  const ask = await startServer();
  expect(await ask('GET /chaos/status')).toEqual({ status: 200, body: { faults: [] } });
  const { status, body } = await ask('POST /chaos/inject', { target: 'api', config: DOWN, durationMs: 5000 });
  expect([status, Object.keys(body)]).toEqual([200, ['faultId']]);
  const faults = [{ id: body['faultId'], target: 'api', type: 'error', requestCount: 0 }];
  expect((await ask('GET /chaos/status')).body).toEqual({ faults });
  expect(await ask('POST /chaos/clear', { faultId: body['faultId'] })).toEqual({ status: 200, body: { cleared: body['faultId'] } });
  expect(await ask('POST /chaos/clear-all')).toEqual({ status: 200, body: { cleared: 'all' } });
});

test('the same in snake_case, as the Python package speaks', async () => {
  const ask = await startServer();
  const { body } = await ask('POST /chaos/inject', { target: 'api', config: { type: 'latency', delay_ms: 5 }, duration_ms: 5000 });
  expect(Object.keys(body)).toEqual(['fault_id']);
  expect(ChaosController.getInstance().getFault('api')).toEqual({ type: 'latency', delayMs: 5 });
  const faults = [{ id: body['fault_id'], target: 'api', type: 'latency', request_count: 1 }];
  expect((await ask('GET /chaos/status?casing=snake')).body).toEqual({ faults });
  expect(await ask('POST /chaos/clear', { fault_id: body['fault_id'] })).toMatchObject({ status: 200 });
});

test.each<[unknown, string]>([
  [{ config: DOWN }, 'Missing required field: target (non-empty string)'],
  [[], 'Missing required field: target (non-empty string)'],
  [
    { target: 'api', config: { type: 'bogus' } },
    'Missing or invalid field: config.type (must be one of: latency, error, timeout, malformed, connection-refused, connection-drop, rate-limit, schema-mismatch)',
  ],
  [{ target: 'api', config: { type: 'latency' } }, "config.delayMs must be a finite number for fault type 'latency'"],
  [{ target: 'api', config: { type: 'latency', delay_ms: -1 } }, "config.delay_ms must be a non-negative number for fault type 'latency'"],
  [{ target: 'api', config: { type: 'malformed' } }, "config.corruptResponse must be a boolean for fault type 'malformed'"],
  [
    { target: 'api', config: { type: 'schema-mismatch' } },
    "config.missingFields must be an array of strings for fault type 'schema-mismatch'",
  ],
  [{ target: 'api', config: { ...DOWN, message: 5 } }, 'config.message must be a string'],
  [{ target: 'api', config: DOWN, durationMs: -1 }, 'durationMs must be a non-negative finite number'],
  [{ target: 'api', config: DOWN, duration_ms: 'x' }, 'duration_ms must be a non-negative finite number'],
  [{ target: 'api', config: { ...DOWN, probability: 2 } }, 'probability must be between 0 and 1, got 2'],
  [{ target: 'api', config: { ...DOWN, after_bytes: 2 } }, 'config has the unknown key "after_bytes".'],
  [{ target: 'api', config: { type: 'error', statusCode: 200 } }, 'config.statusCode must be a whole number from 400 to 599, not 200.'],
  [{ target: 'api', config: { type: 'connection-drop', afterMs: -5 } }, 'config.afterMs must be a number from 0 to 86400000 ms, not -5.'],
])('%j is 400 and changes nothing', async (body, error) => {
  const ask = await startServer();
  expect(await ask('POST /chaos/inject', body)).toEqual({ status: 400, body: { error } });
  expect(ChaosController.getInstance().getActiveFaults()).toEqual([]);
});

test('too many faults are the 400 of the caller; an id that is not active is a 404, so cleared twice is told', async () => {
  const ask = await startServer();
  const controller = ChaosController.getInstance();
  const ids = Array.from({ length: 1000 }, () => controller.inject('api', { type: 'latency', delayMs: 1 }));
  const full = { error: 'Maximum number of active faults (1000) exceeded. Clear some faults first.' };
  expect(await ask('POST /chaos/inject', { target: 'api', config: DOWN })).toEqual({ status: 400, body: full });
  expect((await ask('POST /chaos/clear', { faultId: ids[0] })).status).toBe(200);
  expect(await ask('POST /chaos/clear', { faultId: ids[0] })).toEqual({ status: 404, body: { error: `No active fault: ${ids[0]}` } });
  expect(await ask('POST /chaos/clear', {})).toEqual({ status: 400, body: { error: 'Missing required field: faultId' } });
});

test('whoever does not show the token is refused, also where none is set', async () => {
  const wrong = { status: 403, body: { error: 'Invalid or missing CHAOS_ADMIN_TOKEN' } };
  const ask = await startServer();
  expect(await ask('GET /chaos/status', undefined, 'Bearer s3cre')).toEqual(wrong);
  expect(await ask('POST /chaos/clear-all', undefined, '')).toEqual(wrong);
  vi.stubEnv('CHAOS_ADMIN_TOKEN', '');
  expect((await ask('GET /chaos/status')).body).toEqual({ error: 'CHAOS_ADMIN_TOKEN is set but empty — refusing access' });
  vi.stubEnv('CHAOS_ADMIN_TOKEN', undefined);
  expect(await ask('GET /chaos/status')).toEqual({
    status: 403,
    body: { error: 'CHAOS_ADMIN_TOKEN is not set — admin access denied. Set CHAOS_ADMIN_TOKEN to enable admin endpoints.' },
  });
});

test('in production no route is opened, and what was opened before injects nothing', async () => {
  const ask = await startServer();
  vi.stubEnv('NODE_ENV', 'production');
  expect(() => registerChaosEndpoint(express())).toThrow('FATAL: Chaos framework must never run in production');
  const refused = { status: 403, body: { error: 'FATAL: Chaos framework must never run in production' } };
  expect(await ask('POST /chaos/inject', { target: 'api', config: DOWN })).toEqual(refused);
});
