/** The admin routes in services of Express, Fastify, Hono and plain Node. */
import { createServer, request as startRequest, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import {
  mountFastifyAdmin,
  mountHonoAdmin,
  mountNodeAdmin,
  mountWebAdmin,
  startPlan,
  type MountAdminOptions,
  type Run,
} from '@toolquake/sdk/controller';
import { interceptNodeAuth, interceptTools } from '@toolquake/sdk/interceptors';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';

const TOKEN = 'a-long-enough-token';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const start = (isAllowed = true): Run => {
  const run = startPlan({ seed: 42, rules: [] }, { isAllowed: () => isAllowed });
  closing.push(run.stop);
  return run;
};

const listening = async (server: Server, host = '127.0.0.1'): Promise<string> => {
  if (!server.listening) await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
};

const hosts: Record<string, (run: Run, options: MountAdminOptions) => Promise<string>> = {
  'plain node:http': (run, options) => {
    const admin = mountNodeAdmin(run, options);
    return listening(createServer((request, response) => admin(request, response, () => response.end('own'))));
  },
  'Express, before a body parser': (run, options) => {
    const app = express();
    app.use(mountNodeAdmin(run, options));
    app.use((_request, response) => void response.send('own'));
    return listening(createServer(app));
  },
  'Express, after a body parser': (run, options) => {
    const app = express();
    app.use(express.json());
    app.use(mountNodeAdmin(run, options));
    app.use((_request, response) => void response.send('own'));
    return listening(createServer(app));
  },
  Fastify: async (run, options) => {
    const app = fastify();
    app.addHook('onRequest', mountFastifyAdmin(run, options));
    app.get('/healthz', () => 'own');
    closing.push(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  'Hono on Node': (run, options) => {
    const app = new Hono();
    app.use(mountHonoAdmin(run, options));
    app.get('/healthz', (context) => context.text('own'));
    return listening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  },
};

const caller = (url: string, given: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) => {
  return async (method: 'GET' | 'POST', path: string, body?: object): Promise<{ status: number; json: unknown }> => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { ...given, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(`${url}${path}`, { method, headers, ...init });
    return { status: response.status, json: await response.json() };
  };
};

describe.each(Object.entries(hosts))('the admin routes in %s', (_name, open) => {
  test('inject, list and clear for the target that was named', async () => {
    const run = start();
    interceptTools(run, { target: 'tools' });
    const gate = interceptNodeAuth(run, { target: 'oauth-token' });
    closing.push(gate.restore);
    const ask = caller(await open(run, { token: TOKEN }));
    const injected = await ask('POST', '/chaos/inject', { target: 'oauth-token', config: { type: 'error', statusCode: 401 } });
    expect(injected).toMatchObject({ status: 200, json: { faultId: expect.any(String) as unknown } });
    expect(await ask('GET', '/chaos/status')).toMatchObject({ json: { faults: [{ target: 'oauth-token', type: 'http-status' }] } });
    expect(run.plan.rules).toEqual([]);
    expect(run.list()[0]?.rule.when.target).toEqual(['oauth-token']);
    const wrongPlace = await ask('POST', '/chaos/inject', { target: 'tools', config: { type: 'error', statusCode: 401 } });
    expect(wrongPlace).toMatchObject({ status: 400, json: { error: expect.stringContaining('What can:') as unknown } });
    const unknown = await ask('POST', '/chaos/inject', { target: 'redis', fault: 'latency' });
    expect(unknown).toMatchObject({ status: 400, json: { error: expect.stringContaining('attached are tools, oauth-token') as unknown } });
    const plan = { version: 1, rules: [{ id: 'slow', fault: 'latency', when: { target: 'tools' } }] };
    expect(await ask('POST', '/chaos/plan', plan)).toEqual({ status: 200, json: { rules: 1 } });
    expect(await ask('POST', '/chaos/clear-all')).toEqual({ status: 200, json: { cleared: 'all' } });
    expect(await ask('POST', '/chaos/inject', { text: 'x'.repeat(50_000) })).toMatchObject({ status: 400 });
    run.stop();
    expect(await ask('POST', '/chaos/inject', { fault: 'latency' })).toMatchObject({ status: 400 });
  });

  test('are closed without their token, and to callers that were relayed', async () => {
    const run = start();
    const url = await open(run, { token: TOKEN });
    const bearer = { authorization: `Bearer ${TOKEN}` };
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${TOKEN}x` },
      { ...bearer, 'x-forwarded-for': '203.0.113.7' },
      { ...bearer, forwarded: 'for=203.0.113.7' },
      { ...bearer, origin: 'https://evil.example' },
    ])
      expect(await caller(url, headers as Record<string, string>)('POST', '/chaos/kill')).toMatchObject({ status: 403 });
    expect(await statusUnderName(url, 'evil.example')).toBe(403);
    expect(run.isKilled).toBe(false);
    const closed = await open(start(), { token: '' });
    expect(await caller(closed)('GET', '/chaos/status')).toMatchObject({ status: 403 });
  });

  test('leave every other route to the service, and are not there where the guard refuses', async () => {
    const url = await open(start(), { token: TOKEN });
    expect(await (await fetch(`${url}/healthz`)).text()).toBe('own');
    const guarded = await open(start(false), { token: TOKEN });
    const response = await fetch(`${guarded}/chaos/status`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(response.status === 404 || (await response.text()) === 'own').toBe(true);
  });

  test('tell what happens as it happens, until the run stops', async () => {
    const run = start();
    const url = await open(run, { token: TOKEN });
    const response = await fetch(`${url}/chaos/events`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const text = response.text();
    run.use({ id: 'slow', fault: 'latency' });
    run.stop();
    expect(await text).toMatch(/event: control\n.*"slow"[^]*event: end\n/);
  });
});

test('a caller from another address is turned away unless remote callers are allowed', async () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  // A machine without a network has no such caller.
  if (own === undefined) return;
  for (const allowRemote of [false, true]) {
    const admin = mountNodeAdmin(start(), { token: TOKEN, allowRemote });
    const url = await listening(
      createServer((request, response) => admin(request, response, () => response.end())),
      own,
    );
    expect((await caller(url)('GET', '/chaos/status')).status).toBe(allowRemote ? 200 : 403);
  }
});

test('a handler of Requests is told who calls, or answers nobody', async () => {
  const run = start();
  const admin = mountWebAdmin(run, { token: TOKEN });
  const ask = (): Request =>
    new Request('http://localhost/chaos/inject', {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, host: 'localhost' },
      body: JSON.stringify({ fault: 'latency' }),
    });
  expect((await admin(ask()))?.status).toBe(403);
  expect((await admin(ask(), { remoteAddress: '::1' }))?.status).toBe(200);
  expect((await mountWebAdmin(run, { token: TOKEN, allowRemote: true })(ask()))?.status).toBe(200);
  expect(await admin(new Request('http://localhost/chaosx'))).toBeUndefined();
  const large = new Request('http://localhost/chaos/inject', { method: 'POST', body: 'x'.repeat(2 ** 21), headers: ask().headers });
  expect((await admin(large, { remoteAddress: '127.0.0.1' }))?.status).toBe(413);
});

/** The status of a request with a Host header of its own. */
function statusUnderName(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = startRequest(`${url}/chaos/status`, { headers: { host, authorization: `Bearer ${TOKEN}` } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.on('error', reject);
    asking.end();
  });
}
