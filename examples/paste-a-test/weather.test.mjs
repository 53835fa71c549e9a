// Paste this beside your own code. It runs under Vitest as it is; for node:test, import { test } from 'node:test' instead.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expectFired, expectGaveUpWithin, expectNoDuplicateWrite, withPlan } from '@toolquake/sdk/assertions';
import { wrapFetch } from '@toolquake/sdk/interceptors';
import { withResilience } from '@toolquake/sdk/resilience';
import { test } from 'vitest';

// The server under test, in this process. Yours may be anywhere: what is wrapped is the client's fetch.
let booked = 0;
const server = createMcpHandler(() => {
  const weather = new McpServer({ name: 'weather', version: '1.0.0' });
  weather.registerTool('forecast', {}, () => ({ content: [{ type: 'text', text: 'sunny' }] }));
  weather.registerTool('book_trip', {}, () => ({ content: [{ type: 'text', text: `trip ${++booked}` }] }));
  return weather;
});

/** The code under test: your own client and its defences, with a fetch handed in. */
async function createAgent(fetch) {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://weather.example/mcp'), { fetch }));
  return withResilience((call, options) => client.callTool(call, options), {
    deadlineMs: 2000,
    attemptMs: 300,
    backoff: { firstMs: 5, factor: 2, maxMs: 50, jitter: 0.5 },
    contracts: { forecast: { kind: 'read' } },
  });
}

// Nothing is injected unless somebody says so.
process.env.CHAOS_ENABLED = 'true';
const toServer = (url, init) => server.fetch(new Request(url, init));
const start = (plan) => wrapFetch(toServer, { plan, observesAll: true });

test('a forecast survives two errors in a row', async () => {
  const plan = { version: 1, rules: [{ id: 'flaky', fault: 'error-response', when: { tool: 'forecast' }, at: { first: 2 } }] };
  await withPlan(
    plan,
    async (run) => {
      const agent = await createAgent(run.fetch);
      assert.equal((await agent.callTool({ name: 'forecast' })).state, 'complete');
      expectFired(run, 'flaky', 2);
    },
    { start },
  );
});

test('a booking whose answer is lost is not made again', async () => {
  const plan = { version: 1, rules: [{ id: 'lost', fault: 'lost-ack', when: { tool: 'book_trip' } }] };
  await withPlan(
    plan,
    async (run) => {
      const agent = await createAgent(run.fetch);
      const report = await agent.callTool({ name: 'book_trip' });
      assert.equal(report.state, 'failed');
      assert.equal(report.failure.executed, 'maybe-later');
      assert.equal(booked, 1);
      run.stop();
      expectNoDuplicateWrite(run, { tools: ['book_trip'] });
    },
    { start },
  );
});

test('a forecast that hangs is given up before the deadline', async () => {
  const plan = { version: 1, rules: [{ id: 'hung', fault: 'hang', when: { tool: 'forecast' } }] };
  await withPlan(
    plan,
    async (run) => {
      const agent = await createAgent(run.fetch);
      await expectGaveUpWithin(5000, () => agent.callTool({ name: 'forecast' }));
    },
    { start },
  );
});
