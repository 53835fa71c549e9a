/** Credentials: got, used, got again, and never shown. With a small authorization server and commands as people run them. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { takeManifest } from '../../packages/toolquake/src/operations/take-manifest.js';
import { healthyResult } from '../../packages/toolquake/src/sick-servers/mcp-script.js';
import { openConnection } from '../../packages/toolquake/src/targets/open-connection.js';
import type { UrlTarget } from '../../packages/toolquake/src/targets/target.js';
import { createDesk } from '../cli/harness.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return text;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Authority = {
  readonly url: string;
  /** What came to the token endpoint: who, and what was asked for. */
  readonly asked: { readonly who: string; readonly form: Readonly<Record<string, string>> }[];
  /** Tokens in the order in which they were given, and how often each was accepted. */
  readonly tokens: string[];
  readonly uses: Map<string, number>;
  /** Tokens that are accepted now. */
  readonly valid: Set<string>;
  seconds: number;
};

/** An MCP server with its authorization server: `/token` gives tokens, `/mcp` wants one, the metadata says where to get it. */
async function startAuthority(secret: string, echo: (request: IncomingMessage) => string = () => ''): Promise<Authority> {
  const authority: Authority = { url: '', asked: [], tokens: [], uses: new Map(), valid: new Set(), seconds: 3600 };
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void =>
        void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
      if (request.url === '/token') {
        const [, word = ''] = (request.headers.authorization ?? '').split(' ');
        const [id = '', given] = Buffer.from(word, 'base64')
          .toString()
          .split(':')
          .map((part) => new URLSearchParams(`a=${part}`).get('a') ?? '');
        authority.asked.push({ who: id, form: Object.fromEntries(new URLSearchParams(body)) });
        if (given !== secret) return json(401, { error: 'invalid_client', error_description: `not ${given}` });
        const token = `token-${authority.tokens.length}-${secret.length}-kXb93hQpLm2vTz`;
        authority.tokens.push(token);
        authority.valid.add(token);
        return json(200, { access_token: token, token_type: 'Bearer', expires_in: authority.seconds });
      }
      if (request.url === '/.well-known/oauth-protected-resource/mcp') {
        return json(200, { authorization_servers: ['https://issuer.example'], scopes_supported: ['tools', 'more'] });
      }
      const token = (request.headers.authorization ?? '').replace('Bearer ', '');
      if (!authority.valid.has(token)) {
        return json(401, { error: `no ${token}` }, { 'www-authenticate': 'Bearer realm="shop", scope="tools"' });
      }
      authority.uses.set(token, (authority.uses.get(token) ?? 0) + 1);
      const { id, method, params = {} } = JSON.parse(body) as { id?: number; method: string; params?: Record<string, unknown> };
      if (id === undefined) return void response.writeHead(202).end();
      const result = healthyResult(method, params);
      const error = { code: -32601, message: `Method not found ${echo(request)}` };
      json(200, { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
    })();
  });
  return Object.assign(authority, { url: await listen(server) });
}

const targetOf = ({ url }: Authority): UrlTarget => ({
  name: 'shop',
  kind: 'url',
  url: `${url}/mcp`,
  auth: {
    kind: 'client-credentials',
    tokenUrl: `${url}/token`,
    clientIdVariable: 'CLIENT',
    clientSecretVariable: 'SECRET',
    scope: 'tools',
    resource: `${url}/mcp`,
  },
});
const SECRET = 's3cr3t:with/odd+parts %';

describe('client credentials', () => {
  test('a token is got with the secret, and used for every request of a connection', async () => {
    const authority = await startAuthority(SECRET);
    const connection = await openConnection(targetOf(authority), { env: { CLIENT: 'me', SECRET } });
    await connection.listAll('tools');
    await connection.close();
    expect(authority.asked).toEqual([
      { who: 'me', form: { grant_type: 'client_credentials', scope: 'tools', resource: `${authority.url}/mcp` } },
    ]);
    expect(authority.uses.get(authority.tokens[0]!)).toBeGreaterThanOrEqual(2);
    // It is fetched again when it ends: no warning for anybody.
    expect(connection.credentialEndsAtMs).toBeUndefined();
  });

  test('a token is got again before it ends, and once for requests side by side', async () => {
    const authority = await startAuthority(SECRET);
    let nowMs = Date.now();
    const connection = await openConnection(targetOf(authority), { env: { CLIENT: 'me', SECRET }, wallClockMs: () => nowMs });
    nowMs += 3_580_000;
    authority.valid.clear();
    const outcomes = await Promise.all([1, 2, 3].map(() => connection.request('tools/call', { name: 'echo', arguments: {} })));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['result', 'result', 'result']);
    expect(authority.tokens).toHaveLength(2);
    await connection.close();
  });

  test('a token that was withdrawn is replaced once; who is refused again is told so', async () => {
    const authority = await startAuthority(SECRET);
    const connection = await openConnection(targetOf(authority), { env: { CLIENT: 'me', SECRET } });
    authority.valid.clear();
    expect(await connection.request('tools/call', { name: 'echo', arguments: {} })).toMatchObject({ kind: 'result' });
    expect(authority.tokens).toHaveLength(2);
    authority.valid.clear();
    authority.valid.add = () => authority.valid;
    await expect(connection.request('tools/call', { name: 'echo', arguments: {} })).rejects.toMatchObject({ reason: 'auth_rejected' });
    expect(authority.tokens).toHaveLength(3);
    await connection.close();
  });

  test('a secret that the authorization server refuses is named as that, in every gate', async () => {
    const authority = await startAuthority('another');
    const refused = takeManifest(targetOf(authority), { env: { CLIENT: 'me', SECRET } });
    await expect(refused).rejects.toThrow(/auth_refresh_failed at token: the token endpoint .* HTTP status 401 \(invalid_client\)/);
  });

  test('a lock says what the server asks for from those who have no credentials', async () => {
    const authority = await startAuthority(SECRET);
    const manifest = await takeManifest(targetOf(authority), { env: { CLIENT: 'me', SECRET } });
    expect(manifest.auth).toEqual({ scopes: ['tools'], issuers: ['https://issuer.example'] });
  });
});

describe('a planted secret', () => {
  const secretText = fc.stringMatching(/^[A-Za-z0-9]{24,40}$/).map((text) => `Zx9${text}`);
  /** What a person, a pipe or a file gets to see of it. */
  const COMMANDS: readonly (readonly string[])[] = [
    ['probe', 'shop'],
    ['probe', 'shop', '--json'],
    ['probe', 'local', '--json'],
    ['bench', 'capture', 'shop', '--call', 'nothing', '--iterations', '1', '--warm-up', '0', '--pace', '0', '--out', 'seen.jsonl'],
  ];

  test('never appears in what a command prints or writes, whether it succeeds or fails', async () => {
    await fc.assert(
      fc.asyncProperty(secretText, secretText, fc.boolean(), fc.constantFrom(...COMMANDS), async (secret, header, isRight, argv) => {
        const authority = await startAuthority(isRight ? secret : 'another', (request) => String(request.headers['x-key']));
        const leak = `console.error('api_key=' + process.env.KEY + ' token: ' + process.env.SECRET); process.exit(3)`;
        const desk = createDesk({
          'toolquake.yaml': `version: 1
targets:
  - name: shop
    url: ${authority.url}/mcp
    headers: { x-key: "\${KEY}" }
    auth: { type: client-credentials, tokenUrl: "${authority.url}/token", clientId: "\${CLIENT}", clientSecret: "\${SECRET}" }
  - name: local
    command: [${process.execPath}, -e, ${JSON.stringify(leak)}]
    env: { API_KEY: "\${KEY}" }
`,
        });
        const { stdout, stderr, code } = await desk.run(argv, { CLIENT: 'me', SECRET: secret, KEY: header });
        const files = desk.files().map((name) => readFileSync(path.join(desk.folder, name), 'utf8'));
        const shown = [stdout, stderr, ...files].join('\n');
        for (const word of [secret, header, ...authority.tokens]) expect(shown).not.toContain(word);
        expect(stdout + stderr).not.toBe('');
        expect([0, 1, 5]).toContain(code);
      }),
      { numRuns: 8 },
    );
  });

  test('in the address of a server is refused or cut off by every gate', async () => {
    const query = 'Zx9kkT81nQpLm2vTz77aaBBcc';
    const url = `http://127.0.0.1:9/mcp?api_key=${query}`;
    for (const argv of [
      ['probe', url],
      ['probe', url, '--json'],
      ['lock', url],
      ['diff', url, url, '--json'],
      ['bench', 'compare', url, url, '--call', 'work'],
    ]) {
      const { stdout, stderr, code } = await createDesk().run(argv);
      expect(stdout + stderr).not.toContain(query);
      expect([1, 5]).toContain(code);
    }
  });
});
