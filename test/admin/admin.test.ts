/** Control of a running proxy: the built command line in front of real servers, and the admin routes over real sockets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { startAdminServer } from '../../packages/toolquake/src/proxies/admin-server.js';
import { createDesk } from '../cli/harness.js';
import { call, initialize, messagesOf, open, post, textOf } from '../http/harness.js';
import { proxyCommand, serverCommand, start } from '../stdio/harness.js';
import { adminAt, httpProxy, TOKEN } from './harness.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('proxy http with --admin-port', () => {
  test('injects into the next call, in both casings, and clears', async () => {
    const { admin, url, say } = await httpProxy();
    expect(await say()).toBe('hi');
    const camel = await admin('POST', '/chaos/inject', { target: 'bank', config: { type: 'error', statusCode: 503 }, durationMs: 60_000 });
    expect(camel).toEqual({ status: 200, body: { faultId: expect.any(String) } });
    expect((await post(url, call(2, 'echo', { text: 'hi' }))).status).toBe(503);
    const status = await admin('GET', '/chaos/status');
    expect(status.body['faults']).toMatchObject([{ id: camel.body['faultId'], type: 'http-status', requestCount: 1 }]);
    expect((await admin('POST', '/chaos/clear', { faultId: camel.body['faultId'] })).body).toMatchObject({ found: true });
    expect(await say()).toBe('hi');
    const snake = await admin('POST', '/chaos/inject', {
      target: 'bank',
      config: { type: 'error', status_code: 500 },
      duration_ms: 60_000,
    });
    expect(snake.body).toEqual({ fault_id: expect.any(String) });
    expect(await admin('POST', '/chaos/clear-all')).toEqual({ status: 200, body: { cleared: 'all' } });
    expect(await say()).toBe('hi');
  });

  test('reloads without dropping an open stream; a broken plan leaves the old one and says where', async () => {
    const { admin, bank, url } = await httpProxy();
    const hello = await post(url, initialize());
    const id = String(hello.headers['mcp-session-id']);
    const stream = await open(url, 'GET', undefined, { 'mcp-session-id': id });
    const plan = 'version: 1\nrules:\n  - id: down\n    fault: http-status\n    params: { status: 503 }\n';
    expect(await admin('POST', '/chaos/plan', plan)).toEqual({ status: 200, body: { rules: 1 } });
    expect((await post(url, call(2, 'echo', { text: 'hi' }))).status).toBe(503);
    const broken = await admin('POST', '/chaos/plan', plan.replace('http-status', 'http-statos'));
    expect(broken.status).toBe(400);
    expect(broken.body['error']).toMatch(/plan:4:.*http-statos.*Did you mean "http-status"/s);
    expect((await post(url, call(3, 'echo', { text: 'hi' }))).status).toBe(503);
    bank.notify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    const [event] = (await once(stream, 'data')) as [Buffer];
    expect(event.toString()).toContain('list_changed');
    stream.destroy();
  });

  test('the kill switch lets go of a held call at once, and later rules wait for a revival', async () => {
    const { admin, url, say, bank } = await httpProxy();
    await admin('POST', '/chaos/inject', { fault: 'latency', params: { addedMs: 600_000 }, phase: 'post' });
    const held = post(url, call(2, 'refund'));
    while (bank.executions === 0) await admin('GET', '/chaos/status');
    expect(await admin('POST', '/chaos/kill')).toEqual({ status: 200, body: { killed: true } });
    expect(textOf(messagesOf((await held).body)[0])).toBe('refund 1');
    await admin('POST', '/chaos/inject', { fault: 'http-status', params: { status: 503 } });
    expect(await say()).toBe('hi');
    await admin('POST', '/chaos/clear-all');
    await admin('POST', '/chaos/inject', { fault: 'http-status', params: { status: 503 } });
    await admin('POST', '/chaos/revive');
    expect((await post(url, call(3, 'echo', { text: 'hi' }))).status).toBe(503);
  });

  test('refuses wrong tokens, foreign hosts, large bodies and bad faults, and the traffic goes on', async () => {
    const { admin, adminUrl, say } = await httpProxy();
    expect(await admin('GET', '/chaos/status', undefined, 'wrong')).toMatchObject({ status: 403, body: { error: expect.any(String) } });
    expect(
      (await open(`${adminUrl}/chaos/status`, 'GET', undefined, { host: 'evil.example', authorization: `Bearer ${TOKEN}` })).statusCode,
    ).toBe(403);
    expect((await admin('POST', '/chaos/inject', 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    expect(await admin('POST', '/chaos/inject', '{')).toMatchObject({ status: 400 });
    expect((await admin('POST', '/chaos/inject', { config: { type: 'latencyy' } })).body['error']).toMatch(/Did you mean "latency"/);
    expect(await admin('POST', '/chaos/inject', { fault: 'latency', probability: 2 })).toMatchObject({ status: 400 });
    expect(await admin('GET', '/chaos/nothing')).toMatchObject({ status: 404 });
    expect(await say()).toBe('hi');
  });

  test('refuses to inject in production, with the reason', async () => {
    const { admin, say } = await httpProxy({ env: { NODE_ENV: 'production' } });
    const refused = await admin('POST', '/chaos/inject', { fault: 'http-status', params: { status: 503 } });
    expect(refused).toMatchObject({ status: 403, body: { error: expect.stringContaining('NODE_ENV says "production"') } });
    expect(await say()).toBe('hi');
  });
});

test('proxy stdio with --admin-port takes a rule while its connection is open', async () => {
  const { client, stderr, exited } = start(proxyCommand(serverCommand('bank'), '--admin-port', '0'), { CHAOS_ADMIN_TOKEN: TOKEN });
  let url = '';
  await stderr.line((_, text) => (url = /http:\S+/.exec(text)?.[0] ?? '') !== '');
  const admin = adminAt(url);
  await admin('POST', '/chaos/inject', { fault: 'error-response' });
  client.send(call(1, 'echo', { text: 'hi' }));
  expect(await client.answer(1)).toMatchObject({ id: 1, error: {} });
  client.end();
  expect(await exited).toMatchObject({ code: 0 });
});

test('without a token nothing is opened: exit 2 with advice', async () => {
  const { TOOLQUAKE_ADMIN_TOKEN: _, CHAOS_ADMIN_TOKEN: __, ...env } = process.env;
  const run = await createDesk().run(['proxy', 'http', '--upstream', 'http://127.0.0.1:9/', '--admin-port', '0'], {
    ...env,
    TOOLQUAKE_ADMIN_TOKEN: '',
  });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('Set TOOLQUAKE_ADMIN_TOKEN');
});

test('a socket that never finishes its head is closed', async () => {
  const server = await startAdminServer({ port: 0, patienceMs: 50, answer: () => Promise.reject(new Error('nobody asks')) });
  cleanups.push(() => server.close());
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write('GET /chaos/status HTTP/1.1\r\nHost: loc');
  socket.resume();
  await once(socket, 'close');
});
