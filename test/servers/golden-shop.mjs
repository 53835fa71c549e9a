// A shop whose answers hold a time and an id that change with every call. The argument is its release: 2 sells at another price.
import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const release = process.argv[2] ?? '1';
const reads = { readOnlyHint: true };

serveStdio(() => {
  const server = new McpServer({ name: 'golden-shop', version: `${release}.0.0` });
  const outputSchema = z.object({
    requestId: z.string(),
    at: z.string(),
    total: z.number(),
    items: z.array(z.object({ id: z.number(), price: z.number(), score: z.number(), token: z.string() })),
  });
  server.registerTool('search', { inputSchema: z.object({ q: z.string() }), outputSchema, annotations: reads }, ({ q }) => {
    if (q === 'nothing') return { isError: true, content: [{ type: 'text', text: 'no such thing' }] };
    const item = (id) => ({ id, price: release === '2' ? 12 : 10, score: Math.random(), token: `${process.env.SHOP_TOKEN}` });
    const found = { requestId: randomUUID(), at: new Date().toISOString(), total: 2, items: [item(1), item(2)] };
    return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
  });
  server.registerTool('dice', { inputSchema: z.object({}), annotations: reads }, () => ({
    content: [{ type: 'text', text: `${randomUUID()}` }],
  }));
  server.registerTool('buy', { inputSchema: z.object({}) }, () => ({ content: [{ type: 'text', text: 'bought' }] }));
  server.registerTool('secretive', { inputSchema: z.object({}), annotations: reads }, () => ({
    content: [{ type: 'text', text: JSON.stringify({ ok: true, note: Buffer.from(`${process.env.SHOP_TOKEN}`).toString('base64') }) }],
  }));
  return server;
});
