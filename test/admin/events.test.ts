/** Live events, metrics and task boundaries of a running proxy. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { binPath, createDesk } from '../cli/harness.js';
import { start } from '../stdio/harness.js';
import { httpProxy, TOKEN } from './harness.js';

/** An open event stream, and the text that it has said so far. */
async function listen(adminUrl: string, token = TOKEN) {
  const request = get(`${adminUrl}/chaos/events`, { headers: { authorization: `Bearer ${token}` } });
  onTestFinished(() => void request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  // Streams that the test leaves are cut, which is no failure.
  response.on('error', () => {});
  const ended = new Promise((resolve) => response.once('close', resolve));
  const until = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(text)) await once(response, 'data');
    return text;
  };
  return { status: response.statusCode, headers: response.headers, until, ended, response };
}

test('GET /chaos/events tells calls, faults and control as they happen, and ends with the proxy', async () => {
  const { adminUrl, admin, say, statusOf, stop } = await httpProxy();
  const stream = await listen(adminUrl);
  expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream']);
  await say();
  await stream.until(/event: call\ndata: \{"kind":"call".*"outcome":"ok".*\}\n\n/);
  await admin('POST', '/chaos/inject', { fault: 'http-status', params: { status: 503 }, id: 'down' });
  await statusOf('echo');
  await stream.until(/event: control\ndata: .*"what":"inject".*\n\n[^]*event: fault\ndata: .*"rule":"down".*\n\n/);
  expect((await admin('GET', '/chaos/status')).body).toMatchObject({ streams: 1 });
  await stop();
  await stream.ended;
  expect(await stream.until(/event: end/)).toMatch(/event: end\ndata: \{"kind":"end".*\}\n\n$/);
});

test('listeners need the token, are limited in number, and make room when they leave', async () => {
  const { adminUrl, admin } = await httpProxy();
  expect((await listen(adminUrl, 'wrong')).status).toBe(403);
  const streams = await Promise.all(Array.from({ length: 16 }, () => listen(adminUrl)));
  expect(streams.every(({ status }) => status === 200)).toBe(true);
  expect((await listen(adminUrl)).status).toBe(503);
  streams[0]!.response.destroy();
  while ((await admin('GET', '/chaos/status')).body['streams'] === 16);
  expect((await listen(adminUrl)).status).toBe(200);
});

test('a listener that reads nothing neither delays calls nor keeps the proxy from ending', async () => {
  const { adminUrl, say, stop, admin } = await httpProxy();
  const stream = await listen(adminUrl);
  stream.response.pause();
  for (let count = 0; count < 50; count++) expect(await say()).toBe('hi');
  expect((await admin('GET', '/chaos/status')).status).toBe(200);
  await stop();
});

test('GET /metrics counts across reloads and the kill switch, and needs the token', async () => {
  const { adminUrl, admin, statusOf } = await httpProxy();
  const scrape = async (token = TOKEN): Promise<{ status: number; type: string | null; text: string }> => {
    const response = await fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };
  expect((await scrape('wrong')).status).toBe(403);
  await admin('POST', '/chaos/inject', { fault: 'http-status', params: { status: 503 }, id: 'down' });
  await statusOf('echo');
  await admin('POST', '/chaos/kill');
  await statusOf('echo');
  await admin('POST', '/chaos/plan', 'version: 1\nrules: []\n');
  const page = await scrape();
  expect(page).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
  for (const line of [
    'toolquake_calls_total{tool="echo",outcome="http-error"} 1',
    'toolquake_calls_total{tool="echo",outcome="ok"} 1',
    'toolquake_faults_total{rule="down",fault="http-status",state="delivered"} 1',
    'toolquake_control_total{what="reload"} 1',
    'toolquake_injected_rules_active 1',
    'toolquake_killed 1',
    'toolquake_call_duration_seconds_count 2',
    'toolquake_exchanges_open 0',
  ])
    expect(page.text.split('\n')).toContain(line);
});

test('toolquake events follows in words and as JSON; Ctrl-C ends it with 130, the end of the proxy with 0', async () => {
  const { adminUrl, admin, say, stop } = await httpProxy();
  const follow = (...words: string[]) =>
    start([process.execPath, binPath, 'events', '--url', adminUrl, ...words], { TOOLQUAKE_ADMIN_TOKEN: TOKEN });
  const words = follow();
  const json = follow('--json');
  while ((await admin('GET', '/chaos/status')).body['streams'] !== 2);
  await say();
  await words.client.line((_, text) => /^ +[\d.]+ s {2}call +echo {2}ok {2}[\d.]+ ms/.test(text));
  await json.client.line((message) => (message as { kind?: string } | undefined)?.kind === 'call');
  words.child.kill('SIGINT');
  expect(await words.exited).toMatchObject({ code: 130 });
  await stop();
  expect(await json.exited).toMatchObject({ code: 0 });
});

test('tasks that somebody starts and ends by the admin routes are told apart in the report', async () => {
  const desk = createDesk();
  const { toolquake, admin, say, stop } = await httpProxy({ argv: ['--journal', join(desk.folder, 'run.jsonl')] });
  await say();
  expect(await toolquake('task-start', 'checkout')).toMatchObject({ code: 0, stdout: 'started checkout\n' });
  await say();
  await say();
  const twice = await toolquake('task-start', 'other');
  expect(twice).toMatchObject({ code: 2, stdout: '' });
  expect(twice.stderr).toContain('"checkout" is still going on');
  expect((await toolquake('status')).stdout).toContain('task "checkout" is going on');
  expect((await toolquake('task-end', 'other')).code).toBe(2);
  expect(await toolquake('task-end', '--outcome', 'failed')).toMatchObject({ code: 0, stdout: 'ended checkout\n' });
  expect((await admin('POST', '/chaos/task/start')).body).toEqual({ task: 'task-2' });
  await say();
  expect((await admin('POST', '/chaos/task/end', { outcome: 'ok' })).body).toEqual({ task: 'task-2', outcome: 'ok' });
  expect((await admin('POST', '/chaos/task/end')).status).toBe(400);
  expect((await admin('POST', '/chaos/task/start', { naam: 'x' })).status).toBe(400);
  await stop();
  const report = await desk.run(['report', 'run.jsonl', '--json']);
  expect(JSON.parse(report.stdout).tasks).toMatchObject({
    count: 2,
    unassigned: 1,
    methods: [{ method: 'admin', confidence: 'high', tasks: 2 }],
    list: [
      { name: 'checkout', method: 'admin', calls: 2, exit: { outcome: 'failed' } },
      { name: 'task-2', calls: 1, exit: { outcome: 'ok' } },
    ],
  });
});
