// A dual-era server of the SDK v2 over stdio (default) or HTTP ("http": prints its URL on stderr): `deploy` asks before it
// acts (a multi-round trip with request state in the modern era), `stock` changes the list of tools, which subscribers hear.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
let calls = 0;
let handler;

const build = () => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool('count', {}, () => text(`call ${++calls}`));
  server.registerTool('deploy', { inputSchema: z.object({ to: z.string() }) }, ({ to }, { mcpReq }) => {
    const schema = z.object({ sure: z.boolean() });
    const answer = acceptedContent(mcpReq.inputResponses, 'sure', schema);
    if (answer === undefined) {
      const sure = inputRequired.elicit({ message: `Deploy to ${to}?`, requestedSchema: schema });
      return inputRequired({ inputRequests: { sure }, requestState: `state-${process.pid}-${++calls}` });
    }
    return text(answer.sure ? `deployed to ${to}` : 'kept');
  });
  server.registerTool('stock', {}, () => {
    if (handler === undefined) server.sendToolListChanged();
    else handler.notify.toolsChanged();
    return text('stocked');
  });
  return server;
};

if (process.argv[2] !== 'http') serveStdio(build);
else {
  handler = createMcpHandler(build);
  const server = createServer(toNodeHandler(handler));
  server.listen(0, '127.0.0.1', () => process.stderr.write(`listening on http://127.0.0.1:${server.address().port}/mcp\n`));
}
