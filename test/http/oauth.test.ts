/** OAuth through the proxy: challenges and metadata are the server's own bytes, and no token is written down. */
import * as faults from '@toolquake/sdk/faults';
import { afterEach, expect, test } from 'vitest';
import { call, proxied, rule } from './harness.js';
import { rawClient, rawServer, readMessage, type Parsed } from './raw-sockets.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const challenge = (error: string): string =>
  `WWW-Authenticate: Bearer  realm="a", resource_metadata="http://127.0.0.1:1/.well-known/oauth-protected-resource/mcp",scope="a b", error="${error}"\r\n`;
const JSON_ERROR = '{"error" : "invalid_token" , "error_description":"Missing é"}';
const METADATA = '{\n  "resource": "http://127.0.0.1:1/mcp",\n  "authorization_servers": ["http://127.0.0.1:1"]\n}\n';
const ISSUER = '{"issuer":"http://127.0.0.1:1","token_endpoint":"http://127.0.0.1:1/token"}';

const answer = (status: string, headers: string, body: string): string =>
  `HTTP/1.1 ${status}\r\nX-powered-BY: a\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

function answerTo({ start, headers }: Parsed): string {
  const [method, path = ''] = start.split(' ');
  const token = headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  if (path.startsWith('/.well-known/oauth-protected-resource'))
    return answer('200 OK', 'content-TYPE: application/json\r\nCache-Control: max-age=3600\r\n', METADATA);
  if (path.startsWith('/.well-known/') || path.endsWith('/openid-configuration'))
    return answer('200 OK', 'Content-Type: application/json; charset=utf-8\r\n', ISSUER);
  if (path === '/token')
    return answer('200 OK', 'Content-Type: application/json\r\nCache-Control: no-store\r\n', '{"access_token":"issued-secret"}');
  if (path.startsWith('/authorize')) return answer('302 Found', 'Location: http://127.0.0.1:9/callback?code=code-secret&state=s\r\n', '');
  const isAllowed = token === 'Bearer good-secret';
  if (method === 'GET') return answer('401 Unauthorized', challenge('invalid_token'), '');
  if (token === undefined) return answer('401 Unauthorized', `${challenge('invalid_token')}Content-Type: application/json\r\n`, JSON_ERROR);
  if (!isAllowed) return answer('403 Forbidden', `${challenge('insufficient_scope')}Content-Type: text/plain\r\n`, 'no\n');
  return answer('200 OK', 'Content-Type: application/json\r\n', '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}');
}

const body = JSON.stringify(call(1, 'echo'));
const posted = (path: string, extra: string, text = body): string =>
  `POST ${path} HTTP/1.1\r\nHost: origin.test\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${extra}Content-Length: ${text.length}\r\n\r\n${text}`;
const got = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: origin.test\r\nAccept: application/json\r\n\r\n`;

const requests = [
  posted('/mcp', ''),
  posted('/mcp', 'Authorization: Bearer bad-secret\r\nDPoP: proof-secret\r\n'),
  posted('/mcp', 'Authorization: Bearer good-secret\r\n'),
  posted('/token', '', 'grant_type=authorization_code&code=code-secret'),
  ...[
    '/mcp',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-protected-resource',
    '/authorize?client_id=a&code_challenge=b',
  ].map(got),
  ...['oauth-authorization-server', 'oauth-authorization-server/tenant', 'openid-configuration'].map((name) => got(`/.well-known/${name}`)),
  got('/tenant/.well-known/openid-configuration'),
];

/** Everything that comes back, head and body, as it came. */
async function heard(port: number, request: string): Promise<string> {
  const socket = await rawClient(port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(request);
  await readMessage(socket);
  socket.destroy();
  return Buffer.concat(chunks).toString('latin1');
}

test.each([
  ['without a plan', []],
  [
    'with rules at work',
    [rule(faults.emptyResult, { when: { tool: ['nobody'] } }), rule(faults.httpStatus, { when: { method: ['nothing'] } })],
  ],
])('%s, challenges, metadata and redirects are the same, byte for byte, and no secret is kept', async (_name, rules) => {
  const seen: Parsed[] = [];
  const server = await rawServer((request, socket) => {
    seen.push(request);
    socket.write(answerTo(request));
  });
  stops.push(() => server.stop());
  const told: string[] = [];
  const through = await proxied(server.url, rules, { tell: (line) => told.push(line) });
  stops.push(() => through.proxy.stop());
  for (const request of requests) {
    const direct = await heard(Number(new URL(server.url).port), request);
    const proxiedReply = await heard(through.port, request);
    // What concerns the client's own connection is the proxy's to say.
    expect(proxiedReply.replace('Connection: keep-alive\r\n', '').replace(/Keep-Alive: [^\r]*\r\n/, '')).toBe(direct);
    const [asked, passed] = [seen.at(-2)!, seen.at(-1)!];
    const kept = ({ headers }: Parsed): unknown => headers.filter(([name]) => name !== 'Connection');
    expect([passed.start, kept(passed), passed.body.toString()]).toEqual([asked.start, kept(asked), asked.body.toString()]);
  }
  expect(JSON.stringify([told, through.journal, through.problems])).not.toMatch(/secret/);
});
