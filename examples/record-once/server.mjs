// A shop's MCP server. It cannot run in CI: it wants a key, and every start is counted (and, let us say, billed).
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

appendFileSync(process.env.STARTS, 'started\n');
const prices = { apple: 3, pear: 4 };
const login = { apiKey: z.string(), fruit: z.string() };

serveStdio(() => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('price', { description: 'Price of a fruit.', inputSchema: z.object(login) }, ({ apiKey, fruit }) => {
    if (apiKey !== process.env.SHOP_KEY) return { content: [{ type: 'text', text: 'wrong key' }], isError: true };
    return { content: [{ type: 'text', text: String(prices[fruit]) }] };
  });
  return server;
});
