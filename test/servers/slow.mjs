// A server of SDK v1 whose tool "work" takes --delay MS. --noise F: some calls take up to F times as long, by no pattern a
// gate could find. --break N: from call N on, the tool fails. --pids FILE: where its process id goes. --http: on a loopback
// port, whose URL is the first line.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const { values } = parseArgs({
  options: {
    delay: { type: 'string', default: '10' },
    noise: { type: 'string', default: '1' },
    break: { type: 'string' },
    pids: { type: 'string' },
    http: { type: 'boolean' },
  },
});
const [delayMs, noise, breakAt] = [Number(values.delay), Number(values.noise), Number(values.break ?? Infinity)];
if (values.pids !== undefined) appendFileSync(values.pids, `${process.pid}\n`);
let calls = 0;

function createSlowServer() {
  const server = new McpServer({ name: 'slow', version: '1' });
  server.registerTool('work', { inputSchema: {} }, async () => {
    if (++calls >= breakAt) return { isError: true, content: [{ type: 'text', text: 'out of cheese' }] };
    await wait(delayMs * noise ** Math.random());
    return { content: [{ type: 'text', text: 'done' }] };
  });
  return server;
}

if (values.http) {
  const http = createServer(async (request, response) => {
    const server = createSlowServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${http.address().port}/mcp\n`));
} else await createSlowServer().connect(new StdioServerTransport());
