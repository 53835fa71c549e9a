/** The official client and server of the protocol, with a wrapped fetch between them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { answer, defineFault, disconnect, EMPTY_PLAN, hold, type Effect, type Fault, type Frame, type Plan } from '../core/index.js';
import { errorResponse } from '../faults/error-response.js';
import { wrapFetch, type WrappedFetch } from './fetch.js';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const onCall = (decide: (event: { part: 'request' | 'answer'; frame: Frame }) => readonly Effect[]): Fault =>
  defineFault({
    type: 'small',
    summary: 'For a test.',
    carriers: ['mcp'],
    role: 'terminal',
    params: {},
    decide: (event) => (event.kind === 'frame' ? decide({ part: event.part, frame: event.frame }) : []),
  });

const planOf = (fault: Fault): Plan => ({
  ...EMPTY_PLAN,
  rules: [
    {
      id: 'rule',
      fault,
      params: { code: -32603, message: 'Internal error' },
      when: {},
      at: { first: 1 },
      probability: 1,
      shape: { kind: 'iid' },
      phase: 'pre',
      isEnabled: true,
    },
  ],
});

async function connect(era: 'legacy' | 'modern', fault: Fault): Promise<{ client: Client; wrapped: WrappedFetch; executed: () => number }> {
  let executed = 0;
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'till', version: '1.0.0' });
    server.registerTool('pay', {}, () => {
      executed++;
      return { content: [{ type: 'text', text: 'paid' }] };
    });
    return server;
  });
  const http = createServer(toNodeHandler(handler));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  });
  const wrapped = wrapFetch(fetch, { plan: planOf(fault), isAllowed: () => true });
  closing.push(() => wrapped.stop());
  const client = new Client({ name: 'agent', version: '1.0.0' }, era === 'legacy' ? {} : { versionNegotiation: { mode: 'auto' } });
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: wrapped.fetch as typeof fetch }));
  closing.push(() => client.close());
  expect(client.getProtocolEra()).toBe(era);
  return { client, wrapped, executed: () => executed };
}

const paid = { content: [{ type: 'text', text: 'paid' }] };

describe.each(['legacy', 'modern'] as const)('the official client, %s era', (era) => {
  test('sees an error that no server gave, then the tool again', async () => {
    const { client, wrapped, executed } = await connect(era, errorResponse);
    await expect(client.callTool({ name: 'pay' })).rejects.toMatchObject({ code: -32603 });
    expect(await client.callTool({ name: 'pay' })).toMatchObject(paid);
    expect(executed()).toBe(1);
    expect(wrapped.journal).toContainEqual(expect.objectContaining({ kind: 'fault', state: 'delivered', session: 'agent#1' }));
  });

  test('sees a status that no server gave', async () => {
    const { client } = await connect(
      era,
      onCall(({ part }) => (part === 'request' ? [answer(undefined, { status: 503, body: 'busy' })] : [])),
    );
    await expect(client.callTool({ name: 'pay' })).rejects.toMatchObject({ message: expect.stringContaining('busy') as string });
    expect(await client.callTool({ name: 'pay' })).toMatchObject(paid);
  });

  test('sees a broken connection as it would see a real one', async () => {
    const { client } = await connect(
      era,
      onCall(({ part }) => (part === 'request' ? [disconnect('reset')] : [])),
    );
    await expect(client.callTool({ name: 'pay' })).rejects.toThrow('fetch failed');
    expect(await client.callTool({ name: 'pay' })).toMatchObject(paid);
  });

  test('times out on a lost answer although the server did the work', async () => {
    const { client, executed } = await connect(
      era,
      onCall(({ part, frame }) => (part === 'answer' ? [hold(frame, 'never')] : [])),
    );
    await expect(client.callTool({ name: 'pay' }, { timeout: 700 })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    expect(executed()).toBe(1);
    expect(await client.callTool({ name: 'pay' })).toMatchObject(paid);
  });
});
