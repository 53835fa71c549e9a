// An MCP server over HTTP as a program of its own. `echo` answers; `press` presses a switch, `release` only says that it released it,
// `look` tells. Says where it listens, and its pid, as one line of JSON.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

let isPressed = false;
const said = (data) => ({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data });
const tools = {
  echo: ({ text }) => said({ text }),
  press: () => said({ isPressed: (isPressed = true) }),
  release: () => said({ isPressed: false }),
  look: () => said({ isPressed }),
};

function desk() {
  const server = new McpServer({ name: 'flag-desk', version: '1.0.0' });
  for (const [name, run] of Object.entries(tools))
    server.registerTool(name, { inputSchema: z.object(name === 'echo' ? { text: z.string() } : {}) }, (given) => run(given));
  return server;
}

const http = createServer({ keepAliveTimeout: 65_000 }, toNodeHandler(createMcpHandler(desk)));
http.listen(0, '127.0.0.1', () => {
  const line = { url: `http://127.0.0.1:${http.address().port}/mcp`, pid: process.pid };
  process.stdout.write(`${JSON.stringify(line)}\n`);
});
