// A server of SDK v1 over legacy HTTP+SSE. Tools: echo {text}, refund {} (counts executions), count {to} (reports progress),
// ask {} (asks the client for its roots). `endpoint` makes the announced endpoint of the path and query of the SDK's own.
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

/**
 * Starts it on a free loopback port.
 * @param {{ endpoint?: (path: string, url: string) => string, prefix?: string }} [options]
 */
export async function startLegacySse({ endpoint = (path) => path, prefix = '' } = {}) {
  const sessions = new Map();
  const seen = { executions: 0, cancelled: 0 };

  const connect = async (response) => {
    const transport = new SSEServerTransport(`${prefix}/messages`, response);
    const write = response.write.bind(response);
    // The SDK can only announce relative endpoints; others announce whole URLs.
    response.write = (chunk, ...rest) =>
      write(
        typeof chunk === 'string'
          ? chunk.replace(/^(event: endpoint\ndata: )(.*)$/m, (_, open, path) => open + endpoint(path, url))
          : chunk,
        ...rest,
      );
    sessions.set(transport.sessionId, transport);
    response.on('close', () => sessions.delete(transport.sessionId));
    const server = new McpServer({ name: 'old', version: '1' });
    server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text: given }) => text(given));
    server.registerTool('refund', {}, () => text(`refund ${++seen.executions}`));
    server.registerTool('count', { inputSchema: { to: z.number() } }, async ({ to }, { _meta, sendNotification }) => {
      for (let progress = 1; progress <= to; progress++) {
        await sendNotification({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress, total: to } });
        // The SDK's client loses what it reads in one piece with the answer.
        await setTimeout(5);
      }
      return text(to);
    });
    server.registerTool('ask', {}, async () => text((await server.server.listRoots()).roots.map(({ uri }) => uri).join()));
    server.registerTool('wait', {}, ({ signal }) => new Promise(() => signal.addEventListener('abort', () => seen.cancelled++)));
    await server.connect(transport);
  };

  const http = createServer((request, response) => {
    const at = new URL(request.url, 'http://here');
    const session = sessions.get(at.searchParams.get('sessionId'));
    if (request.method === 'GET' && at.pathname === `${prefix}/sse`) void connect(response);
    else if (request.method === 'POST' && at.pathname === `${prefix}/messages` && session !== undefined)
      void session.handlePostMessage(request, response);
    else response.writeHead(404).end('Session not found');
  });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${http.address().port}${prefix}/sse`;
  return {
    url,
    seen,
    sessions,
    async stop() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
