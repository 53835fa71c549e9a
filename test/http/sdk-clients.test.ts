/** The official clients of both generations see the same through the proxy as without it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import * as faults from '@toolquake/sdk/faults';
import type { Rule } from '@toolquake/sdk/core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startDualEra } from '../servers/http-dual-era.mjs';
import { proxied, rule } from './harness.js';

const EVERYTHING = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url));
const stops: (() => Promise<unknown>)[] = [];
let everything: { url: string; child: ChildProcess };
let dual: Awaited<ReturnType<typeof startDualEra>>;

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

beforeAll(async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => void (line.includes('listening') && resolve()));
  });
  everything = { url: `http://127.0.0.1:${port}/mcp`, child };
  dual = await startDualEra();
});

afterAll(async () => {
  everything.child.kill('SIGKILL');
  await dual.stop();
});

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A URL to reach a server by: directly, through a proxy that only relays, or through one that looks at everything. */
const ways: readonly (readonly [string, readonly Rule[] | undefined])[] = [
  ['relayed', []],
  ['watched', [rule(faults.latency, { when: { tool: ['nobody'] } })]],
];

async function through(url: string, rules: readonly Rule[]): Promise<string> {
  const { url: proxyUrl, proxy } = await proxied(url, rules);
  stops.push(() => proxy.stop());
  return proxyUrl;
}

/** What a client of SDK v1 sees of server-everything. */
async function tourOfEverything(url: string): Promise<unknown> {
  const client = new Client1({ name: 'tour', version: '1' }, { capabilities: { sampling: {}, elicitation: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'm',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'sampled' },
  }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' as const }));
  const transport = new Transport1(new URL(url));
  await client.connect(transport);
  const progress: unknown[] = [];
  const seen = {
    version: client.getServerVersion(),
    tools: (await client.listTools()).tools.map(({ name }) => name),
    prompts: (await client.listPrompts()).prompts.map(({ name }) => name),
    echo: await client.callTool({ name: 'echo', arguments: { message: 'é ✓' } }),
    long: await client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } }, undefined, {
      onprogress: (step) => progress.push(step),
    }),
    sampling: await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'p', maxTokens: 5 } }),
    unknown: await client.callTool({ name: 'no-such-tool' }).catch((error: unknown) => String(error)),
    progress,
  };
  await transport.terminateSession();
  await client.close();
  return seen;
}

/** What a client of SDK v2 sees of the dual-era server. */
async function tourOfDualEra(url: string, versionNegotiation: ClientOptions['versionNegotiation']): Promise<unknown> {
  const client = new Client({ name: 'tour', version: '1' }, { versionNegotiation });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const progress: unknown[] = [];
  const seen = {
    era: client.getProtocolEra(),
    tools: (await client.listTools()).tools.map(({ name }) => name),
    echo: (await client.callTool({ name: 'echo', arguments: { text: 'é ✓' } })).content,
    count: (await client.callTool({ name: 'count', arguments: { to: 5 } }, { onprogress: (step) => progress.push(step) })).content,
    parallel: await Promise.all(
      [1, 2, 3, 4, 5].map(async (n) => (await client.callTool({ name: 'echo', arguments: { text: String(n) } })).content),
    ),
    wrong: await client.callTool({ name: 'echo', arguments: {} }).then(
      ({ isError }) => isError,
      (error: unknown) => String(error),
    ),
    progress,
  };
  await client.close();
  return seen;
}

describe.each(ways)('%s', (_, rules = []) => {
  test('sdk v1 sees server-everything as it is: progress, sampling, session end', async () => {
    const direct = await tourOfEverything(everything.url);
    expect(await tourOfEverything(await through(everything.url, rules))).toEqual(direct);
    expect(direct).toMatchObject({ progress: { length: 4 } });
  });

  test.each([['legacy' as const], ['auto' as const], [{ pin: '2026-07-28' } as const]])(
    'client v2 in mode %j sees the dual-era server as it is',
    async (mode) => {
      const direct = await tourOfDualEra(dual.url, { mode });
      expect(await tourOfDualEra(await through(dual.url, rules), { mode })).toEqual(direct);
      expect(direct).toMatchObject({ era: mode === 'legacy' ? 'legacy' : 'modern', progress: { length: 5 } });
    },
  );

  test('client v2 falls back to a legacy server, and a deleted session stays gone', async () => {
    const url = await through(everything.url, rules);
    const client = new Client({ name: 'fallback', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(url));
    await client.connect(transport);
    expect(client.getProtocolEra()).toBe('legacy');
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const session = transport.sessionId!;
    await transport.terminateSession();
    await client.close();
    const ask = async (at: string): Promise<number> =>
      (
        await fetch(at, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': session },
          body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        })
      ).status;
    expect(await ask(url)).toBe(await ask(everything.url));
  });

  test('cancelling a modern call reaches the tool', async () => {
    const client = new Client({ name: 'cancel', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(await through(dual.url, rules))));
    const before = dual.seen.aborted;
    const giveUp = new AbortController();
    const call = client.callTool({ name: 'wait', arguments: {} }, { signal: giveUp.signal });
    await expect.poll(() => dual.seen.waiting).toBeGreaterThan(0);
    giveUp.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => dual.seen.aborted).toBe(before + 1);
    await client.close();
  });
});

test('a storm of list changes reaches a real client on its GET stream', async () => {
  const url = await through(everything.url, [rule(faults.listChangedStorm, { params: { everyMs: 1, count: 5 }, at: { first: 1 } })]);
  const client = new Client1({ name: 'storm', version: '1' });
  let notices = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void notices++);
  await client.connect(new Transport1(new URL(url)));
  await client.callTool({ name: 'echo', arguments: { message: 'x' } });
  await expect.poll(() => notices).toBeGreaterThanOrEqual(5);
  await client.close();
});

test('both clients report an injected status at once', async () => {
  const url = await through(dual.url, [rule(faults.httpStatus)]);
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client({ name: 'status', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    await expect(client.callTool({ name: 'echo', arguments: { text: 'x' } })).rejects.toThrow('Service Unavailable');
    await client.close();
  }
});
