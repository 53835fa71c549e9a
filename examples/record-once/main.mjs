// A server that needs a key is recorded once. From then on the agent is tested offline, over stdio and HTTP, and on a day when
// the shop is busy: a plan is applied to the replay. Run: node examples/record-once/main.mjs
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const toolquake = path('../../packages/toolquake/bin/toolquake.js');
const folder = mkdtempSync(join(tmpdir(), 'record-once-'));
const recording = join(folder, 'shop.rec.jsonl');
const starts = join(folder, 'starts');
const KEY = 'hunter2-of-the-shop';

/** The agent under test: adds up prices, and asks again once when a call fails. */
async function total(transport) {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(transport);
  const price = async (fruit, attempts = 2) => {
    const { content, isError } = await client.callTool({ name: 'price', arguments: { apiKey: KEY, fruit } });
    return isError && attempts > 1 ? price(fruit, attempts - 1) : Number(content[0].text);
  };
  const sum = (await price('apple')) + (await price('pear'));
  await client.close();
  return sum;
}

const piped = (...args) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [toolquake, ...args],
    env: { STARTS: starts, SHOP_KEY: KEY },
    stderr: 'ignore',
  });

// Once, with the real server.
assert.equal(await total(piped('record', '--out', recording, '--', process.execPath, path('server.mjs'))), 7);
assert.ok(!readFileSync(recording, 'utf8').includes(KEY), 'the key is not in the recording');
const started = readFileSync(starts, 'utf8');

// From then on without it: over stdio ..
assert.equal(await total(piped('replay', recording)), 7);

// .. and over HTTP, on a busy day.
const journal = join(folder, 'busy.jsonl');
const words = ['replay', recording, '--port', '0', '--json', '--plan', path('plan.yaml'), '--journal', journal];
const replay = spawn(process.execPath, [toolquake, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
const [line] = await once(replay.stdout, 'data');
assert.equal(await total(new StreamableHTTPClientTransport(new URL(JSON.parse(line).url))), 7);
replay.kill();
await once(replay, 'exit');
// Exit 4 if the fault never fired: then this would have proven nothing.
execFileSync(process.execPath, [toolquake, 'report', journal]);

assert.equal(readFileSync(starts, 'utf8'), started, 'the server ran while it was recorded, and never again');
rmSync(folder, { recursive: true });
console.log('recorded once; the same total from the recording, over stdio, and over HTTP with a failing call');
