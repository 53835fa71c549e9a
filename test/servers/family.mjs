// A server that starts a child in its own process group and leaves it behind when it ends. Writes all process ids to a file.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , pids] = process.argv;
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
appendFileSync(pids, `${process.pid}\n${child.pid}\n`);
const results = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'family', version: '1.0.0' } },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method];
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
process.exit(0);
