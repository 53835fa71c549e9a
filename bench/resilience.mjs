// What a defended call costs when nothing fails, beside the plain call: one process, one run, so that the ratio means
// something on any machine. The plain call is the cheapest there is (a promise), so the ratio is the worst there is; beside a
// call over a loopback socket it is what a user would see.
// Run: node bench/resilience.mjs
import { createServer } from 'node:http';
import { loadSources } from './load-sources.mjs';

const { withResilience } = await loadSources(['sdk/src/resilience/index.ts']);
// Many short rounds: on a busy machine, one of them falls into a quiet moment.
const ROUNDS = 300;
const result = { content: [{ type: 'text', text: 'fine' }] };
const call = { name: 'look', arguments: { q: 'x' } };
const contracts = { look: { kind: 'read' } };

/** Microseconds per run of each: the best of some rounds, taken in turn. The best, because a busy machine only ever adds. */
async function microseconds(actions, times) {
  const best = actions.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, action] of actions.entries()) {
      const started = process.hrtime.bigint();
      for (let run = 0; run < times; run++) await action();
      best[index] = Math.min(best[index], Number(process.hrtime.bigint() - started) / times / 1000);
    }
  }
  return best;
}

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
const post = async (_, { signal } = {}) => (await fetch(url, { method: 'POST', body: JSON.stringify(call), signal })).json();

const promise = () => Promise.resolve(result);
const rows = [];
for (const [name, plain, times] of [
  ['a promise', promise, 500],
  ['a fetch over loopback', post, 10],
]) {
  const everything = withResilience(plain, { contracts });
  const retryOnly = withResilience(plain, { contracts, breaker: false, routing: false });
  // A client hands fetch a signal of its own, defended or not.
  const bareCall = () => plain(call, { signal: new AbortController().signal });
  const actions = [bareCall, () => retryOnly.callTool(call), () => everything.callTool(call)];
  const [bare, some, all] = await microseconds(actions, times);
  rows.push({ name, plain: bare, retryOnly: some, everything: all });
}
server.closeAllConnections();
server.close();

const time = (value) => `${value.toFixed(2)} us`;
const ratio = (value, plain) => `${(value / plain).toFixed(2)}x`;
const lines = [
  ['the call', 'plain', 'retries and deadline', 'all defences', 'ratio', 'added'],
  ...rows.map(({ name, plain, retryOnly, everything }) => [
    name,
    time(plain),
    time(retryOnly),
    time(everything),
    ratio(everything, plain),
    time(everything - plain),
  ]),
];
const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
console.log(`Node ${process.version}\n`);
for (const line of lines)
  console.log(line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '));
