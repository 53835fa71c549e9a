// A server of the official SDK v2, both eras over stdio, whose tools differ between release 1 and 2 (first argument).
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const release = process.argv[2] ?? '1';

serveStdio(() => {
  const server = new McpServer({ name: 'shop', version: `${release}.0.0` });
  const query =
    release === '1' ? z.object({ query: z.string(), limit: z.number().optional() }) : z.object({ query: z.string(), limit: z.number() });
  server.registerTool('search', { description: 'Finds products by name.', inputSchema: query }, async () => ({ content: [] }));
  if (release === '1')
    server.registerTool('refund', { description: 'Pays an order back.', inputSchema: z.object({ order: z.string() }) }, async () => ({
      content: [],
    }));
  return server;
});
