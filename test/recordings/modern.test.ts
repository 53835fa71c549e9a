/** The modern era, recorded and replayed over both transports: discovery, multi-round trips, subscriptions, and no server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { createDesk } from '../cli/harness.js';
import { serverCommand, start } from '../stdio/harness.js';
import { listening, recording, replaying } from './harness.js';

type Mode = 'auto' | { readonly pin: '2026-07-28' };

async function script(transport: Transport, mode: Mode): Promise<unknown[]> {
  const heard: unknown[] = [];
  const client = new Client(
    { name: 'script', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    heard.push(params.message);
    return { action: 'accept', content: { sure: true } };
  });
  const changed = new Promise<void>((resolve) => client.setNotificationHandler('notifications/tools/list_changed', () => resolve()));
  await client.connect(transport);
  heard.push(client.getNegotiatedProtocolVersion(), client.getServerVersion());
  heard.push((await client.listTools()).tools.map(({ name }) => name));
  heard.push((await client.callTool({ name: 'count' })).content);
  heard.push((await client.callTool({ name: 'count' })).content);
  heard.push((await client.callTool({ name: 'deploy', arguments: { to: 'prod' } })).content);
  heard.push(await client.callTool({ name: 'nobody' }).catch((error: unknown) => String(error)));
  const subscription = await client.listen({ toolsListChanged: true });
  heard.push((await client.callTool({ name: 'stock' })).content);
  await changed;
  await subscription.close();
  await client.close();
  return heard;
}

const piped = ([command = '', ...args]: readonly string[]): Transport => new StdioClientTransport({ command, args, stderr: 'ignore' });
const posted = (url: string): Transport => new StreamableHTTPClientTransport(new URL(url));

const EXPECTED = [
  '2026-07-28',
  expect.objectContaining({ name: 'shop' }),
  ['count', 'deploy', 'stock'],
  [{ type: 'text', text: 'call 1' }],
  [{ type: 'text', text: 'call 2' }],
  'Deploy to prod?',
  [{ type: 'text', text: 'deployed to prod' }],
  expect.stringContaining('nobody'),
  [{ type: 'text', text: 'stocked' }],
];

/** Both ways to get at a recording, with its server gone. */
async function expectReplays(out: string, mode: Mode, live: unknown[]): Promise<void> {
  expect(await script(piped(replaying(out)), mode)).toEqual(live);
  for (const timing of ['none', 'original']) {
    const replay = await listening('replay', out, '--port', '0', '--timing', timing);
    expect(await script(posted(replay.url), mode), replay.stderr()).toEqual(live);
    expect(await replay.stop(), replay.stderr()).toBe(130);
  }
}

test.each<[string, Mode]>([
  ['auto (which starts the command twice)', 'auto'],
  ['pin', { pin: '2026-07-28' }],
])('stdio, mode %s: the same conversation from the recording, over both transports', async (_, mode) => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const live = await script(piped(recording(out, serverCommand('shop'))), mode);
  expect(live).toEqual(EXPECTED);
  await expectReplays(out, mode, live);
});

test.each<[string, Mode]>([
  ['auto', 'auto'],
  ['pin', { pin: '2026-07-28' }],
])('HTTP, mode %s: the same conversation from the recording, over both transports', async (_, mode) => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const server = start(serverCommand('shop', 'http'));
  const line = await server.stderr.line((__, text) => text.includes('listening on')).then(() => server.stderr.received().toString());
  const url = /http:\S+/.exec(line)![0];
  const record = await listening('record', '--out', out, '--upstream', url, '--port', '0');
  const live = await script(posted(record.url), mode);
  expect(await record.stop()).toBe(130);
  server.child.kill('SIGKILL');
  await server.exited;
  expect(live).toEqual(EXPECTED);
  await expectReplays(out, mode, live);
});

test('a legacy client is served from a legacy recording when it asks for the modern era first', async () => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const legacy = new Client({ name: 'script', version: '1' });
  await legacy.connect(piped(recording(out, serverCommand('shop'))));
  await legacy.callTool({ name: 'count' });
  await legacy.close();
  expect(readFileSync(out, 'utf8')).not.toContain('server/discover');
  const replay = await listening('replay', out, '--port', '0');
  for (const transport of [piped(replaying(out)), posted(replay.url)]) {
    const client = new Client({ name: 'script', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(transport);
    expect(client.getProtocolEra()).toBe('legacy');
    expect((await client.callTool({ name: 'count' })).content).toEqual([{ type: 'text', text: 'call 1' }]);
    await client.close();
  }
  expect(await replay.stop(), replay.stderr()).toBe(130);
});
