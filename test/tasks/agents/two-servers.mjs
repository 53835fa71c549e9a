// An agent without a model: four calls to two servers behind proxies, and one of them again when it fails.
// Arguments: the command of each server as JSON, and what to do at the end: a code to exit with, or `kill`.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [first, second, end] = process.argv.slice(2);

async function connect([command, ...args]) {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  // The SDK hands on a short list of variables only; this agent hands on all of them.
  await client.connect(new StdioClientTransport({ command, args, env: process.env }));
  return client;
}

async function call(client, name, args) {
  try {
    const result = await client.callTool({ name, arguments: args });
    return result.isError !== true;
  } catch {
    return false;
  }
}

const clients = await Promise.all([connect(JSON.parse(first)), connect(JSON.parse(second))]);
const [bank, shop] = clients;
await call(bank, 'echo', { text: 'one' });
if (!(await call(bank, 'refund', {}))) await call(bank, 'refund', {});
await call(shop, 'echo', { text: 'one' });
await call(shop, 'echo', { text: 'two' });
if (end === 'kill') process.kill(process.pid, 'SIGKILL');
for (const client of clients) await client.close();
process.stdout.write('the answer\n', () => process.exit(Number(end)));
