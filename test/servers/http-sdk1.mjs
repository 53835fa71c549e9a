// A server of SDK v1 over Streamable HTTP, without sessions. Tools: echo {text}.
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

async function serve(request, response) {
  const server = new McpServer({ name: 'sdk1', version: '1' });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({ content: [{ type: 'text', text }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

/** Starts it on a free loopback port. */
export async function startSdk1() {
  const http = createServer((request, response) => void serve(request, response));
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${http.address().port}/mcp`,
    stop() {
      http.closeAllConnections();
      return new Promise((resolve) => http.close(resolve));
    },
  };
}
