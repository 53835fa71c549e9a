// A server of the second SDK generation: serves both protocol eras from one factory.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new McpServer({ name: 'sdk2', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool('greet', { description: 'Greets.' }, () => ({ content: [{ type: 'text', text: 'grüße ✓ \u2028' }] }));
  return server;
});
