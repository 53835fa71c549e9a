/** Servers behind https: the right name is asked for, a certificate is checked, and one that is not trusted is a clear 502. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import * as faults from '@toolquake/sdk/faults';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { call, messagesOf, post, proxied, rule, textOf } from './harness.js';

const CLI = fileURLToPath(new URL('../../packages/toolquake/bin/toolquake.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolquake-https-'));
const certificate = join(folder, 'cert.pem');
const plan = join(folder, 'plan.yaml');
afterAll(() => rmSync(folder, { recursive: true }));
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

beforeAll(() => {
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const how = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', ...names];
  execFileSync('openssl', [...how, '-keyout', join(folder, 'key.pem'), '-out', certificate], { stdio: 'ignore' });
  writeFileSync(plan, 'seed: 1\nrules:\n  - { id: empty, fault: empty-result, when: { tool: refund } }\n');
});

type Asked = { readonly name: unknown; readonly host: string | undefined };

async function secureServer(): Promise<{ port: number; asked: Asked[] }> {
  const asked: Asked[] = [];
  const options = { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(certificate) };
  const server = createServer(options, (request, response) => {
    asked.push({ name: (request.socket as TLSSocket & { servername?: unknown }).servername, host: request.headers.host });
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { id } = JSON.parse(body) as { id: number };
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'secret' }] } }));
    });
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

/** The proxy as users start it, trusting the certificate: Node reads that when it starts. */
async function trusting(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [CLI, 'proxy', 'http', '--port', '0', ...args], {
    stdio: 'pipe',
    env: { ...process.env, NODE_ENV: 'development', ENVIRONMENT: 'development', NODE_EXTRA_CA_CERTS: certificate },
  });
  stops.push(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  await expect.poll(() => said, { timeout: 20_000 }).toContain('listening on ');
  return /listening on (\S+),/.exec(said)![1]!;
}

describe.each([
  ['without a plan', []],
  ['with a plan', ['--plan', plan]],
])('%s', (name, args) => {
  test("a trusted server is asked under its own name in TLS, and Host is the client's", async () => {
    const { port, asked } = await secureServer();
    const url = await trusting(['--upstream', `https://localhost:${port}/mcp`, ...args]);
    const found = messagesOf((await post(url, call(1, 'echo'), { host: 'mine.test:1' })).body)[0];
    expect(textOf(found)).toBe('secret');
    const emptied = messagesOf((await post(url, call(2, 'refund'))).body)[0];
    expect(textOf(emptied)).toBe(name === 'with a plan' ? undefined : 'secret');
    expect(asked).toEqual([
      { name: 'localhost', host: 'mine.test:1' },
      { name: 'localhost', host: new URL(url).host },
    ]);
  });

  test("an address is no name, and --rewrite-host says the server's own", async () => {
    const { port, asked } = await secureServer();
    const url = await trusting(['--upstream', `https://127.0.0.1:${port}/mcp`, '--rewrite-host', ...args]);
    expect((await post(url, call(1, 'echo'), { host: 'localhost' })).status).toBe(200);
    expect(asked).toEqual([{ name: false, host: `127.0.0.1:${port}` }]);
  });
});

test.each([
  ['without a plan', []],
  ['with a plan', [rule(faults.emptyResult, { when: { tool: ['nobody'] } })]],
])('%s, a certificate that nobody trusts is a 502 with its reason, told of once, and the proxy goes on', async (_name, rules) => {
  const { port, asked } = await secureServer();
  const told: string[] = [];
  const through = await proxied(`https://localhost:${port}/mcp`, rules, { tell: (line) => told.push(line) });
  stops.push(() => through.proxy.stop());
  for (let time = 0; time < 2; time++) {
    const reply = await post(through.url, call(time, 'echo'), { authorization: 'Bearer very-secret' });
    expect([reply.status, reply.body]).toEqual([502, 'Bad Gateway: DEPTH_ZERO_SELF_SIGNED_CERT\n']);
  }
  expect(asked).toEqual([]);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/^https:\/\/localhost:\d+ could not be asked: DEPTH_ZERO_SELF_SIGNED_CERT: .*NODE_EXTRA_CA_CERTS\.$/);
  expect(JSON.stringify([told, through.journal])).not.toContain('very-secret');
});
