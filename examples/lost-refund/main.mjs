// A refund was made, and its answer got lost. Does my agent pay twice? An official MCP client starts a real server behind the
// proxy: the only change is the command line. Run: node examples/lost-refund/main.mjs
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const toolquake = path('../../packages/toolquake/bin/toolquake.js');
const folder = mkdtempSync(join(tmpdir(), 'lost-refund-'));

/** The agents under test: what each does when it hears nothing of a refund. */
const agents = {
  careless: async (bank) => bank.refund(),
  careful: async (bank) => (await bank.refunds()) > 0 || bank.refund(),
};

async function refundsMadeBy(name) {
  const journal = join(folder, `${name}.jsonl`);
  const server = [process.execPath, path('server.mjs')];
  const args = [toolquake, 'proxy', 'stdio', '--plan', path('plan.yaml'), '--journal', journal, '--', ...server];
  const client = new Client({ name: `${name}-agent`, version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  const call = async (name, options) => Number((await client.callTool({ name }, options)).content[0].text);
  const bank = {
    refund: () => call('create_refund', { timeout: 500 }),
    refunds: () => call('count_refunds'),
  };
  await assert.rejects(bank.refund(), /timed out/i, 'the first answer is lost');
  await agents[name](bank);
  const made = await bank.refunds();
  await client.close();
  // Exit 4 if the fault never fired: then this would have proven nothing.
  execFileSync(process.execPath, [toolquake, 'report', journal]);
  return made;
}

const careless = await refundsMadeBy('careless');
const careful = await refundsMadeBy('careful');
rmSync(folder, { recursive: true });
console.log(`careless: ${careless} refunds of one order; careful: ${careful}`);
assert.deepEqual({ careless, careful }, { careless: 2, careful: 1 });
