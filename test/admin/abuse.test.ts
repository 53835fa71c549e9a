/** Whatever is sent to the admin routes: a clear answer, no crash, and no change unless the answer is 200. */
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { createAdmin, createController, createEventFeed, createTaskMarks } from '@toolquake/sdk/controller';
import { createCatalogue, createLiveDecider, EMPTY_PLAN, keyedRandom, type JournalEntry } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { realClock } from '@toolquake/sdk/interceptors';
import { describe, expect, onTestFinished, test } from 'vitest';
import { planError, readPlanText } from '../../packages/toolquake/src/config/load-plan.js';
import { startAdminServer } from '../../packages/toolquake/src/proxies/admin-server.js';
import { adminAt, TOKEN } from './harness.js';

/** The routes over a decider that nobody uses, and all that they can change as one text. */
function routes() {
  const plan = { ...EMPTY_PLAN, seed: 1 };
  const catalogue = createCatalogue(faults);
  const decider = createLiveDecider({ plan, random: keyedRandom(1), transport: 'http', startedAtMs: 0 });
  const told: JournalEntry[] = [];
  const journal = (entry: JournalEntry): void => void told.push(entry);
  const controller = createController({ plan, decider, clock: realClock, catalogue, release: () => {}, endRules: () => {}, journal });
  const tasks = createTaskMarks({ clock: realClock, startedAtMs: 0, journal });
  const readPlan = (text: string) => {
    const reading = readPlanText(text, { catalogue, transport: 'http' });
    if (reading.plan === undefined) throw planError('plan', reading.problems);
    return reading.plan;
  };
  const events = createEventFeed({ clock: realClock });
  const answer = createAdmin({ controller, tasks, events, token: TOKEN, fired: () => 0, readPlan, metrics: () => '' });
  onTestFinished(() => {
    controller.clearAll();
    events.close();
  });
  const state = (): string =>
    JSON.stringify([controller.list().map(({ id }) => id), controller.plan, controller.isKilled, tasks.current, told]);
  return { answer, state, controller };
}

async function served(patienceMs?: number) {
  const { answer, state, controller } = routes();
  const server = await startAdminServer({ port: 0, answer, ...(patienceMs === undefined ? {} : { patienceMs }) });
  onTestFinished(() => server.close());
  const raw = (): Socket => connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
  return { admin: adminAt(server.url), url: server.url, state, controller, raw };
}

/** Cut or ended, whichever. */
const closed = (socket: Socket): Promise<void> => new Promise((resolve) => void socket.once('close', () => resolve()));

const ROUTES = [
  'GET /chaos/status',
  'GET /metrics',
  'POST /chaos/inject',
  'POST /chaos/clear',
  'POST /chaos/clear-all',
  'POST /chaos/plan',
  'POST /chaos/kill',
  'POST /chaos/revive',
  'POST /chaos/task/start',
  'POST /chaos/task/end',
];

const word = fc.constantFrom(
  'fault',
  'latency',
  'config',
  'type',
  'durationMs',
  'params',
  'addedMs',
  'id',
  'when',
  'tool',
  'name',
  'outcome',
  '__proto__',
  'constructor',
  'ok',
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, -1, 0, 1e308, '', 'latency', 'ok'),
    word,
    fc.double(),
    tie('object'),
    fc.array(tie('any'), { maxLength: 3 }),
  ),
  object: fc.dictionary(word, tie('any'), { maxKeys: 4 }),
})).any;
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString()),
  value.map((one) => JSON.stringify(one) ?? ''),
  fc.string().map((text) => `version: 1\nrules:\n  - fault: ${text}\n`),
);

test('any body to any route never crashes, and changes nothing unless the answer is 200', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ROUTES), body, fc.boolean(), async (route, text, hasToken) => {
      const { answer, state, controller } = routes();
      const before = state();
      const [method = '', path = ''] = route.split(' ');
      const response = await answer({ method, path, headers: hasToken ? { authorization: `Bearer ${TOKEN}` } : {}, body: text });
      expect(hasToken ? [200, 400] : [403]).toContain(response.status);
      if (response.status !== 200) {
        expect(state()).toBe(before);
        expect(JSON.parse(response.body)).toEqual({ error: expect.any(String) });
      }
      controller.clearAll();
    }),
    { numRuns: 600 },
  );
});

describe('over a socket', () => {
  test.each([
    ['absent', {}],
    ['empty', { authorization: '' }],
    ['a prefix', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['longer', { authorization: `Bearer ${TOKEN}x` }],
    ['doubled', { authorization: `Bearer ${TOKEN}Bearer ${TOKEN}` }],
    ['of another scheme', { authorization: `Basic ${TOKEN}` }],
    ['of another length', { authorization: 'Bearer ' }],
  ])('a token that is %s is 403 on every route', async (_, headers) => {
    const { url, state } = await served();
    const before = state();
    for (const route of [...ROUTES, 'GET /chaos/events']) {
      const [method, path] = route.split(' ') as [string, string];
      const response = await fetch(`${url}${path}`, { method, headers: headers as Record<string, string> });
      expect([route, response.status]).toEqual([route, 403]);
    }
    expect(state()).toBe(before);
  });

  test('a page of another origin is refused, with and without a token; a page of our own address is not', async () => {
    const { url, state } = await served();
    const before = state();
    const ask = (origin: string, method = 'POST') =>
      fetch(`${url}/chaos/kill`, { method, headers: { origin, authorization: `Bearer ${TOKEN}` } });
    for (const origin of ['http://evil.example', 'null', 'http://localhost:1', 'https://127.0.0.1'])
      expect((await ask(origin)).status).toBe(403);
    const preflight = await ask('http://evil.example', 'OPTIONS');
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect(state()).toBe(before);
    expect((await ask(url)).status).toBe(200);
  });

  test('a body over 1 MiB is 413, also in chunks without a length', async () => {
    const { raw, state } = await served();
    const before = state();
    const socket = raw();
    let heard = '';
    socket.setEncoding('utf8').on('data', (text: string) => (heard += text));
    socket.write(`POST /chaos/plan HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const piece = 'x'.repeat(64 * 1024);
    for (let count = 0; count < 20; count++) socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
    socket.write('0\r\n\r\n');
    await closed(socket);
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
    expect(state()).toBe(before);
  });

  test('a body without end is cut off', async () => {
    const { raw, state } = await served();
    const before = state();
    const socket = raw();
    socket.write(`POST /chaos/plan HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const piece = `100000\r\n${'x'.repeat(1024 * 1024)}\r\n`;
    const send = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', send);
    send();
    await closed(socket.resume());
    expect(state()).toBe(before);
  });

  test('a body that trickles in is cut off, and so is a head; others are served meanwhile', async () => {
    const { raw, admin, state } = await served(50);
    const before = state();
    const body = raw();
    body.write(`POST /chaos/kill HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 10\r\n\r\n{`);
    const head = raw();
    head.write('GET /chaos/status HTTP/1.1\r\nHost: loc');
    expect((await admin('GET', '/chaos/status')).status).toBe(200);
    await Promise.all([closed(body.resume()), closed(head.resume())]);
    expect(state()).toBe(before);
  });

  test.each([
    'PUT /chaos/kill',
    'GET /chaos/kill',
    'DELETE /chaos/plan',
    'POST /chaos/status',
    'POST //chaos/kill',
    'POST /chaos/kill/',
    'POST /chaos/%6bill',
    'POST /CHAOS/KILL',
    'POST /chaos/../chaos/kill',
    'POST /__proto__',
    'GET /constructor',
  ])('%s is 404 and changes nothing', async (route) => {
    const { raw, state } = await served();
    const before = state();
    const [method, path] = route.split(' ') as [string, string];
    const socket = raw();
    let heard = '';
    socket.setEncoding('utf8').on('data', (text: string) => (heard += text));
    socket.end(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n\r\n`);
    await closed(socket);
    expect(heard).toMatch(/^HTTP\/1\.1 404 /);
    expect(state()).toBe(before);
  });

  test('numbers that make no sense, prototype keys and unknown words are 400 with a reason', async () => {
    const { admin, state } = await served();
    const before = state();
    const bad = [
      '{"fault":"latency","durationMs":-1}',
      '{"fault":"latency","durationMs":0}',
      '{"fault":"latency","durationMs":1e999}',
      '{"fault":"latency","durationMs":"60"}',
      '{"fault":"latency","params":{"addedMs":-5}}',
      '{"fault":"latency","params":{"addedMs":NaN}}',
      '{"fault":"latency","probability":-0.1}',
      '{"fault":"latency","__proto__":{"enabled":false}}',
      '{"fault":"latency","constructor":1}',
      '{"fault":"__proto__"}',
      '{"config":{"type":"__proto__"}}',
      '{"target":5,"fault":"latency"}',
      '[]',
      'null',
    ];
    for (const text of bad) {
      const { status, body: said } = await admin('POST', '/chaos/inject', text);
      expect([text, status, said]).toEqual([text, 400, { error: expect.any(String) }]);
    }
    expect((await admin('POST', '/chaos/inject', { fault: 'latncy' })).body['error']).toContain('Did you mean "latency"');
    expect(state()).toBe(before);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('enabled');
  });

  test('a rule for a very long time is there, and the thousand and first is refused', async () => {
    const { admin, controller } = await served();
    expect((await admin('POST', '/chaos/inject', { fault: 'latency', durationMs: 1e15 })).status).toBe(200);
    for (let count = 1; count < 1000; count++) controller.inject({ fault: 'latency' });
    expect(await admin('POST', '/chaos/inject', { fault: 'latency' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('1000') },
    });
    expect(controller.list()).toHaveLength(1000);
  });
});
