// What observing a server costs per call: the same v2 server and client over a pair in memory, bare and observed, taken in
// turn in one process. In memory is the worst there is; beside a socket it is what a user would see.
// Run: node bench/signals.mjs
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { loadSources } from './load-sources.mjs';

const { createSignals } = await loadSources(['sdk/src/signals/index.ts']);
const ROUNDS = 200;
const CALLS = 100;

async function connected(observe) {
  const server = observe(new McpServer({ name: 'bench', version: '1.0.0' }));
  server.registerTool('look', {}, async () => ({ content: [{ type: 'text', text: 'fine' }] }));
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(mine);
  return { call: () => client.callTool({ name: 'look', arguments: {} }), close: () => client.close() };
}

const signals = createSignals();
const worlds = [await connected((server) => server), await connected((server) => signals.observe(server))];
const best = worlds.map(() => Number.POSITIVE_INFINITY);
for (let round = 0; round < ROUNDS; round++) {
  for (const [index, { call }] of worlds.entries()) {
    const started = process.hrtime.bigint();
    for (let run = 0; run < CALLS; run++) await call();
    best[index] = Math.min(best[index], Number(process.hrtime.bigint() - started) / CALLS / 1000);
  }
}
const scrapes = [];
for (let run = 0; run < 200; run++) {
  const started = process.hrtime.bigint();
  signals.metrics();
  scrapes.push(Number(process.hrtime.bigint() - started) / 1000);
}
for (const { close } of worlds) await close();
signals.stop();
const [bare, observed] = best;
console.log(`Node ${process.version}\n`);
console.log(`a call in memory, bare       ${bare.toFixed(1).padStart(8)} us`);
console.log(
  `a call in memory, observed   ${observed.toFixed(1).padStart(8)} us   ${(observed / bare).toFixed(2)}x, ${(observed - bare).toFixed(1)} us added`,
);
console.log(
  `a scrape of /metrics         ${scrapes
    .sort((one, other) => one - other)[100]
    .toFixed(1)
    .padStart(8)} us   (median)`,
);
