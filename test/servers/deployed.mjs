// Starts a server as a deployment does: settings from the environment, and a port besides stdio. Usage: deployed.mjs [PORT]
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

const [port] = process.argv.slice(2);
if (process.env['SHOP_DATABASE'] === undefined) {
  process.stderr.write('Error: SHOP_DATABASE is not set\n');
  process.exit(78);
}
if (port !== undefined) {
  const metrics = createServer((_, response) => response.end());
  // Nobody handles the error: the process dies of it, as most do.
  await new Promise((resolve) => metrics.listen(Number(port), '127.0.0.1', resolve));
}
const server = new McpServer({ name: 'deployed', version: '3.2.1' });
server.registerTool('look', { annotations: { readOnlyHint: true } }, () => ({ content: [{ type: 'text', text: 'seen' }] }));
await server.connect(new StdioServerTransport());
