// An MCP server on Fastify that two variables shake, and that can be shaken further while it runs. Without CHAOS_ENABLED
// none of this does anything. Prints its address. Run: CHAOS_ENABLED=true CHAOS_DELAY_MS=200 node server.mjs
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { mountFastifyAdmin, planFromEnvironment, startPlan } from '@toolquake/sdk/controller';
import { interceptFastifyAuth, interceptTools } from '@toolquake/sdk/interceptors';
import { fastify } from 'fastify';
import { z } from 'zod';

// The variables are about the tools: a call passes the check of its token first, and is not to be shaken twice.
const run = startPlan(planFromEnvironment(process.env, { target: 'tools' }));
const tools = interceptTools(run, { target: 'tools' });
const token = interceptFastifyAuth(run, {
  target: 'oauth-token',
  resourceMetadata: 'https://weather.example/.well-known/oauth-protected-resource',
});

const forecast = tools.wrap('forecast', ({ city }) => ({ content: [{ type: 'text', text: `sunny in ${city}` }] }));
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  server.registerTool('forecast', { inputSchema: { city: z.string() } }, forecast);
  return server;
});
const toMcp = toNodeHandler(handler);

const app = fastify();
app.addHook('onRequest', mountFastifyAdmin(run)); // opens with CHAOS_ADMIN_TOKEN, for this machine
app.addHook('preHandler', token.handle);
app.all('/mcp', (request, reply) => {
  reply.hijack();
  return toMcp(request.raw, reply.raw, request.body);
});
app.get('/health', () => ({ ok: true }));

process.on('SIGTERM', async () => {
  run.stop();
  await app.close();
});
console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
