// Invariant 28: an order is made, its answer is lost, the client sends it again. Is it booked twice?
// One experiment, two servers. Run: node examples/exactly-once/main.mjs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const toolquake = path('../../packages/toolquake/bin/toolquake.js');
const folder = mkdtempSync(join(tmpdir(), 'exactly-once-'));
mkdirSync(join(folder, 'state'), { mode: 0o700 });
const text = readFileSync(path('experiment.yaml'), 'utf8');

/** Runs the experiment on a server of its own. */
async function experiment(words) {
  const server = spawn(process.execPath, [path('server.mjs'), ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface({ input: server.stdout }), 'line');
    writeFileSync(join(folder, 'experiment.yaml'), text.replace('http://127.0.0.1:4100/mcp', JSON.parse(line).url));
    const env = { ...process.env, TOOLQUAKE_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' };
    const run = spawn(process.execPath, [toolquake, 'run', 'experiment.yaml', '--yes', '--json'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    for await (const text of run.stdout.setEncoding('utf8')) said += text;
    return JSON.parse(said);
  } finally {
    server.kill('SIGKILL');
  }
}

for (const [words, wanted, findings] of [
  [['--careful'], 'held', []],
  [[], 'violated', ['duplicate-effect']],
]) {
  const { verdict, why, lanes, findings: found } = await experiment(words);
  console.log(`${words.join(' ') || 'careless'}: ${verdict}. ${why} ${lanes.faulted.calls} answers were lost.`);
  assert.equal(verdict, wanted, why);
  for (const name of findings) assert(found.some((finding) => finding.name === name));
}
rmSync(folder, { recursive: true, force: true });
