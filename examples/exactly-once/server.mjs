// An order desk over Streamable HTTP. With `--careful` it knows an order by its key, and books it once however often it is sent.
// Says where it listens as one line of JSON.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const isCareful = process.argv.includes('--careful');
/** How often each order was booked, by its key. */
const booked = new Map();

const said = (data) => ({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data });

function desk() {
  const server = new McpServer({ name: 'orders', version: '1.0.0' });
  server.registerTool('create_order', { inputSchema: z.object({ key: z.string(), item: z.string() }) }, ({ key }) => {
    const before = booked.get(key) ?? 0;
    booked.set(key, isCareful ? 1 : before + 1);
    return said({ key });
  });
  server.registerTool('audit', { inputSchema: z.object({}), annotations: { readOnlyHint: true } }, () => {
    const times = [...booked.values()];
    return said({ orders: times.length, duplicates: times.reduce((sum, one) => sum + one - 1, 0) });
  });
  return server;
}

const http = createServer(toNodeHandler(createMcpHandler(desk)));
http.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp` })));
