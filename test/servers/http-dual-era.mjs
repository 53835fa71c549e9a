// A server of the official SDK v2 that speaks both eras over HTTP.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/**
 * Starts it on a free loopback port. `aborted` counts tool calls whose client went away; `legacy: 'reject'` leaves it with one era.
 * `port`: where it was before, for one that comes back.
 * @param {{ legacy?: 'stateless' | 'reject', port?: number }} [options]
 */
export async function startDualEra(options = {}) {
  const seen = { aborted: 0, waiting: 0 };
  const build = () => {
    const server = new McpServer({ name: 'dual-era', version: '1.0.0' });
    server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
    server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, context) => {
      const progressToken = context.mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= to; progress++) {
        if (progressToken !== undefined)
          await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: to } });
      }
      return { content: [{ type: 'text', text: `counted to ${to}` }] };
    });
    server.registerTool(
      'wait',
      { inputSchema: z.object({}) },
      (_, context) =>
        new Promise((resolve) => {
          const { signal } = context.mcpReq;
          seen.waiting++;
          signal.addEventListener('abort', () => {
            seen.waiting--;
            seen.aborted++;
            resolve({ content: [] });
          });
        }),
    );
    return server;
  };
  const server = createServer(toNodeHandler(createMcpHandler(build, options)));
  await new Promise((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    seen,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
