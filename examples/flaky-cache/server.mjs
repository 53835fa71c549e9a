// A shop's MCP server. It looks prices up in a cache (argument 1: its port), trusting or wary (argument 2).
import { connect } from 'node:net';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [port, manner] = process.argv.slice(2);
const fromDatabase = () => '1299';

/** Asks the cache: what it said until it hung up. */
const ask = (patienceMs) =>
  new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET price\n'));
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('the cache is silent')));
    socket.on('data', (bytes) => (said += bytes)).on('end', () => resolve(said));
    socket.on('error', reject);
  });

const lookups = {
  trusting: async () => (await ask(0)).trim(),
  wary: async () => {
    const said = await ask(300).catch(() => '');
    // An answer that does not end with its line end is not whole.
    return said.endsWith('\n') ? said.trim() : fromDatabase();
  },
};

serveStdio(() => {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.registerTool('price', { description: 'What does it cost?' }, async () => ({
    content: [{ type: 'text', text: await lookups[manner]() }],
  }));
  return server;
});
