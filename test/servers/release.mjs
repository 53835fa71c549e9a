// A small shop of SDK v2 over HTTP, in the states in which deployments leave servers. Tools: orders, echo, cancel (writes).
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/**
 * Starts one release on a loopback port; 0 takes a free one. `token` closes it to strangers, `isMigrated: false` leaves the
 * database behind the build, `busy` answers so many requests with 503 first, `without` leaves a tool out.
 * @param {{ version?: string, token?: string, isMigrated?: boolean, challenge?: string, busy?: number, without?: string, port?: number }} [options]
 */
export async function startRelease(options = {}) {
  const {
    version = '1.0.0',
    token,
    isMigrated = true,
    challenge = 'Bearer resource_metadata="http://127.0.0.1/m"',
    without,
    port = 0,
  } = options;
  const seen = { cancelled: 0, requests: 0 };
  let busy = options.busy ?? 0;
  const build = () => {
    const server = new McpServer({ name: 'release', version });
    const offer = (name, config, handler) => name !== without && server.registerTool(name, config, handler);
    offer('echo', { inputSchema: z.object({ text: z.string() }), annotations: { readOnlyHint: true } }, async ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
    offer('orders', { inputSchema: z.object({}), annotations: { readOnlyHint: true } }, async () => {
      if (!isMigrated) throw new Error('SQLITE_ERROR: no such table: orders');
      return { content: [{ type: 'text', text: '[{"id":1}]' }] };
    });
    offer('cancel', { inputSchema: z.object({}) }, async () => {
      seen.cancelled++;
      return { content: [{ type: 'text', text: 'cancelled' }] };
    });
    return server;
  };
  const handle = toNodeHandler(createMcpHandler(build));
  const server = createServer((request, response) => {
    seen.requests++;
    if (busy > 0) {
      busy--;
      response.writeHead(503, { connection: 'close' }).end();
    } else if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401, challenge === '' ? {} : { 'www-authenticate': challenge }).end();
    } else void handle(request, response);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    seen,
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
