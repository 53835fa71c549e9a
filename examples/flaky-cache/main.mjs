// The cache behind my MCP server falls silent, then breaks in the middle of an answer. What does an agent get to see? The
// server is told the port of the proxy instead of that of the cache. Run: node examples/flaky-cache/main.mjs
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const toolquake = path('../../packages/toolquake/bin/toolquake.js');
const folder = mkdtempSync(join(tmpdir(), 'flaky-cache-'));

/** The cache: one answer per connection. */
const cache = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('1299\n')));
await once(cache.listen(0, '127.0.0.1'), 'listening');

/** Three prices as an agent sees them: nothing, or what it was told. */
async function pricesOf(manner) {
  const journal = join(folder, `${manner}.jsonl`);
  const upstream = `127.0.0.1:${cache.address().port}`;
  const options = ['--upstream', upstream, '--port', '0', '--json', '--plan', path('plan.yaml'), '--journal', journal];
  const proxy = spawn(process.execPath, [toolquake, 'proxy', 'tcp', ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(proxy.stdout, 'data');
  const { port } = JSON.parse(line);

  const client = new Client({ name: 'shopper', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [path('server.mjs'), String(port), manner] }));
  const price = () =>
    client.callTool({ name: 'price' }, { timeout: 2000 }).then(
      ({ content }) => content[0].text,
      () => 'nothing',
    );
  const prices = [await price(), await price(), await price()];
  await client.close();

  proxy.kill('SIGTERM');
  await once(proxy, 'exit');
  // Exit 4 if a fault never fired: then this would have proven nothing.
  execFileSync(process.execPath, [toolquake, 'report', journal]);
  return prices;
}

const trusting = await pricesOf('trusting');
const wary = await pricesOf('wary');
cache.close();
rmSync(folder, { recursive: true });
console.log(`trusting: ${trusting.join(', ')}; wary: ${wary.join(', ')}`);
assert.deepEqual({ trusting, wary }, { trusting: ['nothing', '12', '1299'], wary: ['1299', '1299', '1299'] });
