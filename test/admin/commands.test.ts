/** `toolquake inject`, `clear`, `clear-all`, `status`, `reload`, `kill` and `revive` against a running proxy. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createDesk, type Run } from '../cli/harness.js';
import { httpProxy, TOKEN } from './harness.js';

const PLAN = 'version: 1\nrules:\n  - id: teapot\n    fault: http-status\n    params: { status: 500 }\n    when: { tool: refund }\n';

const running = () => httpProxy({ files: { 'plan.yaml': PLAN, 'broken.yaml': PLAN.replace('http-status', 'http-statos') } });

test('a fault is injected, listed, fires, and is cleared', async () => {
  const { toolquake, statusOf } = await running();
  const words = ['--params', '{"status": 503}', '--tool', 'ec*', '--probability', '1', '--duration', '60'];
  expect(await toolquake('inject', 'http-status', ...words)).toMatchObject({
    code: 0,
    stdout: 'injected http-status as http-status-live-1\n',
  });
  expect([await statusOf('echo'), await statusOf('refund')]).toEqual([503, 200]);
  expect(await toolquake('status')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^1 rules at work\n {2}http-status-live-1 {2}http-status {2}injected {2}fired 1x, [\d.]+ (s|min) left\n$/,
    ),
  });
  expect(await toolquake('clear', 'http-status-live-1')).toMatchObject({ code: 0, stdout: 'cleared http-status-live-1\n' });
  expect(await statusOf('echo')).toBe(200);
  expect((await toolquake('clear', 'http-status-live-1')).stdout).toContain('there is no injected fault');
  await toolquake('inject', 'http-status', '--json');
  expect(JSON.parse((await toolquake('clear-all', '--json')).stdout)).toEqual({ cleared: 'all' });
  expect(await statusOf('echo')).toBe(200);
});

test('another plan, the kill switch, and back', async () => {
  const { toolquake, statusOf } = await running();
  expect(await toolquake('reload', 'plan.yaml')).toMatchObject({ code: 0, stdout: 'plan.yaml is at work: 1 rules\n' });
  expect(await statusOf('refund')).toBe(500);
  const broken = await toolquake('reload', 'broken.yaml');
  expect(broken).toMatchObject({ code: 2, stdout: '' });
  expect(broken.stderr).toMatch(/nothing was changed.*:4:.*Did you mean "http-status"/s);
  expect(await statusOf('refund')).toBe(500);
  await toolquake('kill');
  expect(await statusOf('refund')).toBe(200);
  expect((await toolquake('status')).stdout).toContain('killed: nothing is injected');
  await toolquake('revive');
  expect(await statusOf('refund')).toBe(500);
});

test('what the proxy refuses is exit 2, and what cannot be asked is exit 3', async () => {
  const { toolquake, desk, adminUrl } = await running();
  const unknown = await toolquake('inject', 'latencyy');
  expect(unknown).toMatchObject({ code: 2, stdout: '' });
  expect(unknown.stderr).toContain('Did you mean "latency"');
  expect((await toolquake('inject', 'latency', '--params', '[1]')).code).toBe(2);
  expect((await toolquake('reload', 'missing.yaml')).code).toBe(2);
  const run = (url: string, token: string): Promise<Run> => desk.run(['status', '--url', url], { TOOLQUAKE_ADMIN_TOKEN: token });
  expect((await run(adminUrl, '')).code).toBe(2);
  const wrong = await run(adminUrl, 'other-token');
  expect(wrong.code).toBe(3);
  expect(wrong.stderr).toContain('403');
  expect(wrong.stderr).not.toContain('other-token');
  expect((await run('http://127.0.0.1:1', TOKEN)).code).toBe(3);
  expect((await run('http://example.test:9901', TOKEN)).code).toBe(2);
});

test('a token never follows a redirect', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect((await createDesk().run(['status', '--url', url], { TOOLQUAKE_ADMIN_TOKEN: TOKEN })).code).toBe(3);
  expect(seen).toEqual(['/chaos/status']);
});
