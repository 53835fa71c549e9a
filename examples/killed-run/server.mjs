// A shop over Streamable HTTP with one tool. Says where it listens as one line of JSON.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

function shop() {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('search', { inputSchema: z.object({ q: z.string() }), annotations: { readOnlyHint: true } }, ({ q }) => ({
    content: [{ type: 'text', text: `${q}: 3 found` }],
  }));
  return server;
}

const http = createServer(toNodeHandler(createMcpHandler(shop)));
http.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp`, pid: process.pid })));
