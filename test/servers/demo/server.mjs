// The server that the shipped experiments are tried on: MCP over HTTP, a PostgreSQL behind it, /health and /ready.
// Everything comes from the environment: PORT, DATABASE_URL, DEMO_VARIANT (variants.mjs), DEMO_POOL and DEMO_WARM
// (connections at most, and from the start), DEMO_WORK_MS, and how patient it is: DEMO_CONNECT_MS, DEMO_QUERY_MS, DEMO_HEALTH_MS.
// Replicas of PM2's cluster mode share PORT; each has a port of its own besides, ADMIN_PORT + its number.
import { createServer } from 'node:http';
import pg from 'pg';
import { variants } from './variants.mjs';

const { PORT, ADMIN_PORT, DATABASE_URL, DEMO_VARIANT = 'good', NODE_APP_INSTANCE = '0' } = process.env;
const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const workSeconds = number('DEMO_WORK_MS', 0) / 1000;
const variant = variants[DEMO_VARIANT];
if (variant === undefined) throw new Error(`DEMO_VARIANT is none of ${Object.keys(variants).join(', ')}.`);

const healthMs = number('DEMO_HEALTH_MS', 500);
const patience = { connectionTimeoutMillis: number('DEMO_CONNECT_MS', 1000), query_timeout: number('DEMO_QUERY_MS', 2000) };
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: number('DEMO_POOL', 10), idleTimeoutMillis: 0, ...patience });
// Health has a connection of its own: a pool that is used up is no dependency that is gone.
const own = new pg.Pool({ connectionString: DATABASE_URL, max: 1, connectionTimeoutMillis: healthMs, query_timeout: healthMs });
const onLoss = () => variant.needsDatabase && process.exit(1);
for (const one of [pool, own]) one.on('error', onLoss);

// Asked by many at once, it asks once.
let asking;
const check = () =>
  (asking ??= own
    .query('SELECT 1')
    .then(
      () => undefined,
      () => 'database_unreachable',
    )
    .finally(() => (asking = undefined)));

if (variant.needsDatabase) {
  if ((await check()) !== undefined) process.exit(1);
  setInterval(async () => (await check()) !== undefined && onLoss(), 200);
}

// Loaded late: whoever ends for want of a database ends at once, however busy the host is.
const { toNodeHandler } = await import('@modelcontextprotocol/node');
const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
const { mountNodeAdmin, startPlan } = await import('@toolquake/sdk/controller');
const { z } = await import('zod');

// Connections that are open already need no handshakes when the way to the database is slow.
const warm = Array.from({ length: number('DEMO_WARM', 0) }, () => pool.query('SELECT pg_sleep(0.2)'));
await Promise.allSettled([...warm, check()]);

const said = (data) => ({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data });

async function search(query) {
  const { rows } = await pool.query('SELECT id, title FROM documents, pg_sleep($2) WHERE title ILIKE $1 ORDER BY id LIMIT 5', [
    `%${query}%`,
    workSeconds,
  ]);
  return said({ documents: rows });
}

async function order(key, item) {
  // The key makes it one order, however often it is sent.
  const { rows } = await pool.query(
    'INSERT INTO orders (key, item) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET key = EXCLUDED.key RETURNING id',
    [key, item],
  );
  return said({ id: rows[0].id, key });
}

async function count() {
  const { rows } = await pool.query('SELECT count(*)::int AS count FROM orders');
  return said({ count: rows[0].count });
}

function build() {
  const server = new McpServer({ name: 'demo', version: '1.0.0' });
  const reads = { annotations: { readOnlyHint: true } };
  const { answer } = variant;
  server.registerTool('search_documents', { inputSchema: z.object({ query: z.string() }), ...reads }, ({ query }) =>
    answer(() => search(query), said({ documents: [] })),
  );
  server.registerTool('create_order', { inputSchema: z.object({ key: z.string(), item: z.string() }) }, ({ key, item }) =>
    answer(() => order(key, item), said({})),
  );
  server.registerTool('count_orders', { inputSchema: z.object({}), ...reads }, () => answer(count, said({ count: 0 })));
  return server;
}

const mcp = toNodeHandler(createMcpHandler(build));
const admin = mountNodeAdmin(startPlan({ seed: 1, rules: [] }), { pools: { main: pool } });

function say(response, reason, extra = {}) {
  response.writeHead(reason === undefined ? 200 : 503, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ status: reason === undefined ? 'ok' : 'unavailable', ...(reason === undefined ? {} : { reason }), ...extra }),
  );
}

async function serve(request, response) {
  const { totalCount, idleCount, waitingCount } = pool;
  switch (request.url?.split('?')[0]) {
    case '/mcp':
      return mcp(request, response);
    case '/health':
      return say(response, await variant.health(check));
    case '/ready':
      return say(response, waitingCount > 0 ? 'pool_exhausted' : await variant.health(check), {
        totalCount,
        idleCount,
        waitingCount,
        uptimeSeconds: process.uptime(),
      });
    default:
      return admin(request, response, () => response.writeHead(404).end());
  }
}

const handler = (request, response) => void serve(request, response).catch(() => response.destroy());
// Longer than clients keep a connection that they do not use: who hangs up first must not be us, in the moment of a call.
const listenAt = (place) => createServer({ keepAliveTimeout: 65_000 }, handler).listen(place);
const servers = [listenAt({ port: Number(PORT), host: '127.0.0.1' })];
if (ADMIN_PORT !== undefined)
  servers.push(listenAt({ port: Number(ADMIN_PORT) + Number(NODE_APP_INSTANCE), host: '127.0.0.1', exclusive: true }));
process.on('SIGINT', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.stdout.write(`demo listens on ${PORT}\n`);
