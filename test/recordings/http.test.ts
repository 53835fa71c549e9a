/** HTTP servers of real SDKs, recorded and replayed with the server gone: both client generations get what they got. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { createDesk } from '../cli/harness.js';
import { everythingOverHttp, listening, replaying } from './harness.js';

type AnyClient = Pick<Client, 'listTools' | 'callTool' | 'listPrompts' | 'readResource' | 'close'>;

/** What a client heard: answers, errors, progress and questions, in order. */
async function script(client: AnyClient, heard: unknown[]): Promise<unknown[]> {
  const attempt = async (ask: () => Promise<unknown>): Promise<void> => {
    heard.push(await ask().catch((error: unknown) => String(error)));
  };
  const onprogress = ({ progress }: { progress: number }): void => void heard.push({ progress });
  await attempt(() => client.listTools());
  await attempt(() => client.callTool({ name: 'echo', arguments: { message: 'hello' } }));
  await attempt(() => client.callTool({ name: 'get-sum', arguments: { a: 'two' } }));
  await attempt(() => client.callTool({ name: 'get-tiny-image', arguments: {} }));
  await attempt(() =>
    client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 3 } }, undefined, { onprogress }),
  );
  await attempt(() => client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'why', maxTokens: 5 } }));
  await attempt(() => client.callTool({ name: 'nobody-has-this', arguments: {} }));
  await attempt(() => client.listPrompts());
  await attempt(() => client.readResource({ uri: 'demo://no/such' }));
  await client.close();
  return heard;
}

const SAMPLED = { model: 'test', role: 'assistant' as const, content: { type: 'text' as const, text: 'because' } };

async function first(url: string, isSse = false): Promise<unknown[]> {
  const heard: unknown[] = [];
  const client = new Client({ name: 'script', version: '1' }, { capabilities: { sampling: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    heard.push(params.messages);
    return SAMPLED;
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, () => {});
  const transport = isSse ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
  // The declared type of `sessionId` differs under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return script(client, heard);
}

async function second(url: string, mode: 'legacy' | 'auto' = 'legacy'): Promise<unknown[]> {
  const heard: unknown[] = [];
  const client = new ModernClient({ name: 'script', version: '1' }, { capabilities: { sampling: {} }, versionNegotiation: { mode } });
  client.setRequestHandler('sampling/createMessage', ({ params }) => {
    heard.push(params.messages);
    return SAMPLED;
  });
  await client.connect(new ModernTransport(new URL(url)));
  const callTool = (params: { name: string }, _: unknown, options: object): unknown => client.callTool(params, options);
  const bound = { listTools: () => client.listTools(), listPrompts: () => client.listPrompts(), close: () => client.close() };
  return script(
    { ...bound, callTool, readResource: (params: { uri: string }) => client.readResource(params) } as unknown as AnyClient,
    heard,
  );
}

/** Without progress: an SDK client loses what it reads in one piece with the answer, from a real server too. */
const answersIn = (heard: readonly unknown[]): unknown[] =>
  heard.filter((one) => typeof one !== 'object' || one === null || !('progress' in one));

const recorder = (out: string, url: string) => listening('record', '--out', out, '--upstream', url, '--port', '0');

test.each([
  ['first', (url: string) => first(url)],
  ['second', (url: string) => second(url)],
  ['second (auto)', (url: string) => second(url, 'auto')],
])('a client of the %s SDK generation gets the same from a recording of server-everything over HTTP', async (_, run) => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const server = await everythingOverHttp('streamableHttp');
  const record = await recorder(out, server.url);
  const live = await run(record.url);
  expect(await record.stop()).toBe(130);
  await server.stop();
  for (const timing of ['none', 'original']) {
    const replay = await listening('replay', out, '--port', '0', '--timing', timing);
    expect(answersIn(await run(replay.url)), replay.stderr()).toEqual(answersIn(live));
    expect(await replay.stop(), replay.stderr()).toBe(130);
  }
  expect(answersIn(live)).toHaveLength(10);
  expect(live).toContainEqual({ progress: 1 });
});

test('legacy HTTP+SSE is recorded and replayed', async () => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const server = await everythingOverHttp('sse');
  const record = await recorder(out, server.url);
  const live = await first(record.url, true);
  await record.stop();
  await server.stop();
  const replay = await listening('replay', out, '--port', '0');
  expect(replay.url).toMatch(/\/sse$/);
  expect(answersIn(await first(replay.url, true)), replay.stderr()).toEqual(answersIn(live));
  expect(await replay.stop(), replay.stderr()).toBe(130);
});

test('what was recorded over HTTP is replayed over pipes', async () => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const server = await everythingOverHttp('streamableHttp');
  const record = await recorder(out, server.url);
  const live = await second(record.url);
  await record.stop();
  const heard: unknown[] = [];
  const client = new ModernClient({ name: 'script', version: '1' }, { capabilities: { sampling: {} } });
  client.setRequestHandler('sampling/createMessage', ({ params }) => (heard.push(params.messages), SAMPLED));
  const [command = '', ...args] = replaying(out);
  await client.connect(new ModernStdio({ command, args, stderr: 'ignore' }));
  const callTool = (params: { name: string }, _: unknown, options: object): unknown => client.callTool(params, options);
  const bound = { listTools: () => client.listTools(), listPrompts: () => client.listPrompts(), close: () => client.close() };
  const readResource = (params: { uri: string }): unknown => client.readResource(params);
  const again = await script({ ...bound, callTool, readResource } as unknown as AnyClient, heard);
  expect(answersIn(again)).toEqual(answersIn(live));
});

test('no id of a session is in a recording', async () => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const server = await everythingOverHttp('streamableHttp');
  const record = await recorder(out, server.url);
  const client = new Client({ name: 'script', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(record.url));
  await client.connect(transport as Parameters<Client['connect']>[0]);
  const { sessionId } = transport;
  await client.listTools();
  await transport.terminateSession();
  await client.close();
  await record.stop();
  expect(sessionId).toBeDefined();
  expect(readFileSync(out, 'utf8')).not.toContain(sessionId);
});
