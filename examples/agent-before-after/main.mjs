// One agent loop before and after resilience, under the same plan, beside what the simulator said would happen.
// incident.json holds the system and the plan: the simulator runs both on virtual time, this file runs the plan against an
// official MCP client and server. Run: node examples/agent-before-after/main.mjs
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { expectEveryRuleFired, withPlan } from '@toolquake/sdk/assertions';
import { wrapFetch } from '@toolquake/sdk/interceptors';
import { createGracefulDegradation, lastSteps, withResilience } from '@toolquake/sdk/resilience';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const incident = JSON.parse(readFileSync(path('incident.json'), 'utf8'));
const { tasks, steps } = incident.agents.responder;
const TIMEOUT_MS = 1000;

/** The tickets that were really opened: the server keeps one per key, and one per call without a key. */
const tickets = [];
const build = () => {
  const server = new McpServer({ name: 'observability', version: '1.0.0' });
  const inputSchema = fromJsonSchema({ type: 'object', properties: { key: { type: 'string' } } });
  for (const tool of incident.servers.observability.tools) {
    server.registerTool(tool, { inputSchema }, ({ key }) => {
      if (tool === 'open_ticket' && (key === undefined || !tickets.includes(key))) tickets.push(key);
      return { content: [{ type: 'text', text: 'fine' }] };
    });
  }
  return server;
};

/** Before: what fails, fails. */
function before(client) {
  return async (tool) => {
    await client.callTool({ name: tool, arguments: {} }, { timeout: TIMEOUT_MS });
    return 'complete';
  };
}

/** After: the defences of the variant "after" in incident.json, around the same client. */
function after(client) {
  const reads = steps.filter((tool) => tool !== 'open_ticket').map((tool) => [tool, { kind: 'read' }]);
  const tools = withResilience((call, options) => client.callTool(call, options), {
    deadlineMs: 10_000,
    attemptMs: TIMEOUT_MS,
    retry: { maxRetries: 2, maxShare: 0.1 },
    backoff: { firstMs: 5, factor: 2, maxMs: 20, jitter: 0 },
    breaker: { threshold: 0.5, minCalls: 4, probeInterval: 5 },
    // The ticket system knows keys, so a ticket whose acknowledgement was lost is asked for again under the same one.
    contracts: { ...Object.fromEntries(reads), open_ticket: { kind: 'idempotent', keyArgument: 'key' } },
  });
  return async (tool) => {
    const report = await tools.callTool({ name: tool, arguments: {} });
    if (report.state === 'failed') throw new Error(report.failure.message);
    return report.state;
  };
}

/** The agent: all steps of all tasks, one after the other. A task fails when a step failed that it needs. */
async function work(callStep, spareSteps) {
  const task = createGracefulDegradation(lastSteps(spareSteps));
  const ended = { complete: 0, degraded: 0, failed: 0 };
  for (let n = 0; n < tasks; n++) {
    task.begin(steps.length);
    for (const [step, tool] of steps.entries()) await callStep(tool).catch(() => task.recordFailure(step));
    ended[task.outcome()]++;
  }
  return ended;
}

/** Runs the agent under the plan. The label is that of the simulated session: equal scopes make equal draws. */
async function measure(url, defend, spareSteps) {
  process.env.CHAOS_ENABLED = 'true';
  const start = (plan) => wrapFetch(fetch, { plan, label: 'responder@observability', observesAll: true });
  const plan = { version: 1, ...incident.plan };
  tickets.length = 0;
  return withPlan(
    plan,
    async (run) => {
      const client = new Client({ name: 'responder', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(url, { fetch: run.fetch }));
      const ended = await work(defend(client), spareSteps);
      await client.close();
      expectEveryRuleFired(run);
      const calls = run.journal.filter(({ kind }) => kind === 'call').length;
      return { failed: ended.failed / tasks, degraded: ended.degraded / tasks, calls, tickets: tickets.length };
    },
    { start },
  );
}

const server = createServer(toNodeHandler(createMcpHandler(build)));
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`);
const measured = { before: await measure(url, before, 0), after: await measure(url, after, 2) };
server.closeAllConnections();
server.close();

const toolquake = path('../../packages/toolquake/bin/toolquake.js');
const told = execFileSync(process.execPath, [toolquake, 'simulate', path('incident.json'), '--json'], { encoding: 'utf8' });
const predicted = Object.fromEntries(
  JSON.parse(told).rows.map(({ variant, figures }) => [
    variant,
    { failed: figures.failedShare.mean, degraded: figures.degradedShare.mean, calls: figures.calls.mean },
  ]),
);

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const line = (name, { failed, degraded, calls, tickets: opened = '' }) => [
  name,
  percent(failed),
  percent(degraded),
  `${calls}`,
  `${opened}`,
];
const rows = [
  ['', 'blast radius', 'degraded', 'calls', 'tickets'],
  ...['before', 'after'].flatMap((name) => [line(`${name}, measured`, measured[name]), line(`${name}, predicted`, predicted[name])]),
];
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows)
  console.log(
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join('  ')
      .trimEnd(),
  );

assert.ok(measured.before.failed > 0.1, 'three failing calls in a hundred fail more than a tenth of the tasks');
assert.ok(measured.after.failed < measured.before.failed / 4, 'resilience contains them');
assert.equal(measured.after.tickets, tasks, 'one ticket per task, lost acknowledgements or not');
for (const name of ['before', 'after'])
  assert.ok(Math.abs(measured[name].failed - predicted[name].failed) <= 0.05, `${name}: the simulator predicted the blast radius`);
