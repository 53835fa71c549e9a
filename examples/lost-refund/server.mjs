// A bank's MCP server, for one order: it counts what it has paid out.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

let refunds = 0;
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

serveStdio(() => {
  const server = new McpServer({ name: 'bank', version: '1.0.0' });
  server.registerTool('create_refund', { description: 'Refunds the order.' }, () => text(++refunds));
  server.registerTool('count_refunds', { description: 'How often was the order refunded?' }, () => text(refunds));
  return server;
});
