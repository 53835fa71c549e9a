// An MCP server over a pool of PostgreSQL: `orders` needs a connection for a while, `set_flag` and `get_flags` keep a switch.
// Over HTTP with the admin routes of its run (`startPoolShop`), or over stdio as a program: POOL_SHOP says where the database is.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import pg from 'pg';
import { z } from 'zod';

const TOO_MANY_CONNECTIONS = '53300';
const text = (value, more = {}) => ({ content: [{ type: 'text', text: JSON.stringify(value) }], ...more });

/**
 * `onFull`: what a caller is told when the pool has no connection for it in time. `refuse`: at once, and why. `silent`: nothing,
 * as if there were no orders. `wait`: callers wait for as long as it takes.
 */
function build(pool, onFull) {
  let isOn = true;
  /** A database that has no place left says so at once, also to those who would wait. */
  const ask = async (...query) => {
    for (;;) {
      try {
        return await pool.query(...query);
      } catch (error) {
        if (onFull !== 'wait' || error.code !== TOO_MANY_CONNECTIONS) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  return () => {
    const server = new McpServer({ name: 'pool-shop', version: '1.0.0' });
    server.registerTool('orders', { inputSchema: z.object({ holdMs: z.number() }) }, async ({ holdMs }) => {
      try {
        const { rows } = await ask('SELECT 7 AS id FROM pg_sleep($1)', [holdMs / 1000]);
        return text({ items: rows });
      } catch (error) {
        if (onFull === 'silent') return text({ items: [] });
        return text(`too many callers, try again: ${error.message}`, { isError: true });
      }
    });
    server.registerTool('set_flag', { inputSchema: z.object({ on: z.boolean() }) }, async ({ on }) => {
      isOn = on;
      return text({ on });
    });
    server.registerTool('get_flags', { inputSchema: z.object({}) }, async () => text({ checkout: isOn }));
    return server;
  };
}

const poolOf = ({ where, max, onFull }) => {
  const pool = new pg.Pool({ ...where, max, ...(onFull === 'wait' ? {} : { connectionTimeoutMillis: 300 }) });
  pool.on('error', () => {});
  return pool;
};

/** Starts it on a free loopback port. `admin` makes a middleware of a pool: the routes of a run, for example. */
export async function startPoolShop({ where, max = 10, onFull = 'refuse', admin }) {
  const pool = poolOf({ where, max, onFull });
  const mcp = toNodeHandler(createMcpHandler(build(pool, onFull)));
  const mounted = admin?.(pool);
  const server = createServer((request, response) => {
    if (mounted === undefined) return mcp(request, response);
    mounted(request, response, () => mcp(request, response));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    pool,
    origin,
    url: `${origin}/mcp`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (!pool.ending) await pool.end();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = JSON.parse(process.env.POOL_SHOP);
  serveStdio(build(poolOf(options), options.onFull));
}
