/** Which client of which SDK gets on with which server, and how it fails otherwise: the proxy changes nothing of it. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseTransport1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as faults from '@toolquake/sdk/faults';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDualEra } from '../servers/http-dual-era.mjs';
import { startLegacySse } from '../servers/http-legacy-sse.mjs';
import { startSdk1 } from '../servers/http-sdk1.mjs';
import { proxied, rule } from './harness.js';

type ServerName = 'sdk 1' | 'sdk 1, sse' | 'sdk 2' | 'sdk 2, modern only';
type Server = { url: string; stop(): Promise<unknown> };
const starters: Record<ServerName, () => Promise<Server>> = {
  'sdk 1': startSdk1,
  'sdk 1, sse': startLegacySse,
  'sdk 2': startDualEra,
  'sdk 2, modern only': () => startDualEra({ legacy: 'reject' }),
};

const info = { name: 'tester', version: '1' };
const call = { name: 'echo', arguments: { text: 'é ✓' } };
type Meeting = (url: URL) => Promise<{ version: unknown; content: unknown }>;

const meetOf1: Meeting = async (url) => {
  const client = new Client1(info);
  const isSse = url.pathname.endsWith('/sse');
  const transport = isSse ? new SseTransport1(url) : new Transport1(url);
  try {
    await client.connect(transport);
    const { content } = await client.callTool(call);
    // Both transports are told the version; only one says it.
    return { version: Reflect.get(transport, '_protocolVersion') as unknown, content };
  } finally {
    await client.close();
  }
};

type Mode = NonNullable<ClientOptions['versionNegotiation']>['mode'];
const meetOf2 =
  (mode: Mode): Meeting =>
  async (url) => {
    const client = new Client(info, { versionNegotiation: { mode } });
    try {
      await client.connect(url.pathname.endsWith('/sse') ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url));
      const { content } = await client.callTool(call);
      return { version: client.getNegotiatedProtocolVersion(), content };
    } finally {
      await client.close();
    }
  };

const old = '2025-11-25';
const modern = '2026-07-28';
const noEra = 'SdkError ERA_NEGOTIATION_FAILED';
/** Client, how it connects, and what comes of it: a version, or the name and code of the error. */
const clients: readonly (readonly [string, Meeting, Record<ServerName, string>])[] = [
  ['sdk 1', meetOf1, { 'sdk 1': old, 'sdk 1, sse': old, 'sdk 2': old, 'sdk 2, modern only': 'StreamableHTTPError 400' }],
  [
    'client 2, legacy',
    meetOf2('legacy'),
    { 'sdk 1': old, 'sdk 1, sse': old, 'sdk 2': old, 'sdk 2, modern only': 'SdkHttpError CLIENT_HTTP_NOT_IMPLEMENTED' },
  ],
  ['client 2, auto', meetOf2('auto'), { 'sdk 1': old, 'sdk 1, sse': old, 'sdk 2': modern, 'sdk 2, modern only': modern }],
  ['client 2, pin', meetOf2({ pin: modern }), { 'sdk 1': noEra, 'sdk 1, sse': noEra, 'sdk 2': modern, 'sdk 2, modern only': modern }],
];

async function outcome(meet: Meeting, url: string): Promise<string> {
  try {
    const { version, content } = await meet(new URL(url));
    expect(content).toEqual([{ type: 'text', text: 'é ✓' }]);
    return String(version);
  } catch (error) {
    const { name, code } = error as { name: string; code?: unknown };
    return `${name === 'Error' ? (error as object).constructor.name : name} ${String(code)}`;
  }
}

describe.each(Object.keys(starters) as ServerName[])('a server of %s', (name) => {
  let server: Server;
  beforeAll(async () => void (server = await starters[name]()));
  afterAll(() => server.stop());

  test.each(clients)('met by %s: the same directly, relayed and watched', async (_client, meet, expected) => {
    const relayed = await proxied(server.url, []);
    const watched = await proxied(server.url, [rule(faults.latency, { when: { tool: ['nobody'] } })]);
    try {
      const outcomes = [await outcome(meet, server.url), await outcome(meet, relayed.url), await outcome(meet, watched.url)];
      expect(outcomes).toEqual([expected[name], expected[name], expected[name]]);
      expect(watched.problems).toEqual([]);
    } finally {
      await Promise.all([relayed.proxy.stop(), watched.proxy.stop()]);
    }
  });
});
