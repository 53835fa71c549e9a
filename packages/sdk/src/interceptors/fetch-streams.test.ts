import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { EMPTY_PLAN, type JournalEntry } from '../core/index.js';
import { duplicateResponse } from '../faults/duplicate-response.js';
import { wrapFetch } from './fetch.js';

let server: Server | undefined;
afterEach(() => server?.close().closeAllConnections());

/** Gives out session ids; a GET opens a stream in which nothing is ever said. */
async function serve(): Promise<string> {
  let ids = 0;
  server = createServer((request, response) => {
    if (request.method === 'GET') return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { id, method } = JSON.parse(Buffer.concat(parts).toString()) as { id: number; method: string };
      const given = method === 'initialize' ? { 'mcp-session-id': `s${++ids}` } : {};
      response.writeHead(200, { 'content-type': 'application/json', ...given }).end(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server?.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const JSON_ONLY = { accept: 'application/json', 'content-type': 'application/json' };

const rule = {
  id: 'twice',
  fault: duplicateResponse,
  params: { copies: 2, differ: false },
  when: {},
  at: {},
  probability: 1,
  shape: { kind: 'iid' },
  phase: 'post',
  isEnabled: true,
} as const;

test('what is said about one client never reaches the stream of another', async () => {
  const url = await serve();
  const journal: JournalEntry[] = [];
  const plan = { ...EMPTY_PLAN, seed: 42, rules: [rule] };
  const wrapped = wrapFetch(fetch, { plan, isAllowed: () => true, journal: (entry) => journal.push(entry) });
  const say = async (message: object, headers: Record<string, string> = {}): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    return (await wrapped.fetch(url, { method: 'POST', headers: { ...JSON_ONLY, ...headers }, body })).json();
  };
  for (const id of [1, 2]) await say({ id, method: 'initialize', params: { clientInfo: { name: 'agent' } } });
  const news = await wrapped.fetch(url, { headers: { accept: 'text/event-stream', 'mcp-session-id': 's2' } });
  expect(news.ok).toBe(true);
  expect(await say({ id: 3, method: 'tools/call', params: { name: 'pay' } }, { 'mcp-session-id': 's1' })).toMatchObject({ id: 3 });
  expect(journal.find(({ kind }) => kind === 'fault')).toMatchObject({ state: 'not-delivered', why: 'the client has no stream open' });
  wrapped.stop();
});
