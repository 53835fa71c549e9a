// Does my retry helper really survive a flaky tool? An official MCP client talks to an official MCP server; between
// them, the client's own fetch fails one tool call in five. Run: node examples/fetch-retry/main.mjs
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createCatalogue, requirePlan } from '@toolquake/sdk';
import * as faults from '@toolquake/sdk/faults';
import { wrapFetch } from '@toolquake/sdk/interceptors';

const CALLS = 100;

const plan = requirePlan(
  { version: 1, seed: 42, rules: [{ id: 'flaky', fault: 'error-response', when: { tool: 'stock' }, probability: 0.2 }] },
  createCatalogue(faults),
  { transport: 'fetch' },
);

/** The code under test: tries again when a call fails, at most so often. */
async function withRetry(work, tries) {
  for (let left = tries - 1; ; left--) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

/** Calls the tool a hundred times through a shaken fetch; tells how many calls failed for good. */
async function shake(url, tries) {
  // The guard: nothing is injected in production, nor unless this is set. A test sets it; a deployment does not.
  process.env.CHAOS_ENABLED = 'true';
  const shaken = wrapFetch(fetch, { plan });
  const client = new Client({ name: 'shop', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: shaken.fetch }));
  let failed = 0;
  for (let n = 0; n < CALLS; n++) {
    await withRetry(() => client.callTool({ name: 'stock' }), tries).catch(() => failed++);
  }
  await client.close();
  shaken.stop();
  return { failed, fired: shaken.journal.at(-1).fired.flaky };
}

const server = createServer(
  toNodeHandler(
    createMcpHandler(() => {
      const shop = new McpServer({ name: 'shop', version: '1.0.0' });
      shop.registerTool('stock', {}, () => ({ content: [{ type: 'text', text: '3 left' }] }));
      return shop;
    }),
  ),
);
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`);

const bare = await shake(url, 1);
const again = await shake(url, 1);
const retried = await shake(url, 5);
server.closeAllConnections();
server.close();

console.log(`without retries: ${bare.failed} of ${CALLS} calls failed (${bare.fired} faults fired)`);
console.log(`with 5 tries:    ${retried.failed} of ${CALLS} calls failed (${retried.fired} faults fired)`);

assert.ok(bare.failed > 10 && bare.failed < 30, 'one call in five fails without retries');
assert.deepEqual(again, bare, 'the same seed makes the same decisions');
assert.equal(retried.failed, 0, 'five tries survive a failure rate of 20 %');
// A fault that never fired proves nothing, so a test looks at this too.
assert.ok(retried.fired >= bare.fired, 'the faults fired while the retries held');
