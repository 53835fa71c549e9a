// A Hono app for a runtime without Node: an MCP server behind two checks, each of which can be made to fail.
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { startPlan } from '@toolquake/sdk/controller';
import { interceptHonoAuth } from '@toolquake/sdk/interceptors';
import { Hono } from 'hono';

/** `env` is what the runtime hands to a worker: there is no process here. */
export function createApp(env, plan) {
  const run = startPlan(plan, { isAllowed: () => env.CHAOS_ENABLED === 'true' });
  const resourceMetadata = 'https://bank.example/.well-known/oauth-protected-resource';
  const token = interceptHonoAuth(run, { target: 'oauth-token', resourceMetadata, scope: 'accounts:read' });
  const key = interceptHonoAuth(run, { target: 'api-key' });

  let paid = 0;
  const mcp = createMcpHandler(() => {
    const server = new McpServer({ name: 'bank', version: '1.0.0' });
    server.registerTool('pay', {}, () => ({ content: [{ type: 'text', text: `payment ${++paid}` }] }));
    server.registerTool('balance', {}, () => ({ content: [{ type: 'text', text: '5' }] }));
    return server;
  });

  const app = new Hono();
  app.get('/.well-known/oauth-protected-resource', (context) => context.json({ resource: 'https://bank.example/mcp' }));
  app.use(token.handle, key.handle);
  app.all('/mcp', (context) => mcp.fetch(context.req.raw));
  app.get('/rates', (context) => context.json({ EUR: 1 }));
  return { app, run, payments: () => paid };
}
