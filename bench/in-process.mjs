// What an interceptor adds to a call while no rule looks at it: a stub of fetch called as it is, wrapped without rules, wrapped
// with a rule for another tool, and wrapped where the guard refuses. The stub is the cheapest fetch there is (a promise of a
// Response that is there already), so what is added is all ours. The same for a tool handler and for an auth gate.
// Run: node bench/in-process.mjs
import { loadSources } from './load-sources.mjs';

const { startPlan, interceptFetch, interceptTools, interceptAuth } = await loadSources([
  'sdk/src/controller/index.ts',
  'sdk/src/interceptors/index.ts',
]);

// Many short rounds in turn, the best of each: a busy machine only ever adds.
const ROUNDS = 200;
const CALLS = 200;

async function nanoseconds(actions) {
  const best = actions.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, action] of actions.entries()) {
      const started = process.hrtime.bigint();
      for (let call = 0; call < CALLS; call++) await action();
      best[index] = Math.min(best[index], Number(process.hrtime.bigint() - started) / CALLS);
    }
  }
  return best;
}

const OTHER = [{ id: 'other', fault: 'http-status', when: { tool: 'nobody_calls_this' } }];
const start = (rules, isAllowed = true) => startPlan({ version: 1, seed: 1, rules }, { isAllowed: () => isAllowed, journal: () => {} });
/** The same work bare, without rules, with a rule for another tool, and where the guard refuses. */
const four = (bare, wrap) => [bare, wrap(start([])), wrap(start(OTHER)), wrap(start([], false))];

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'look', arguments: { query: 'weather' } } });
// As clients send them: the SDKs build a Headers object, and say who they are before anything else.
const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
const hello = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { clientInfo: { name: 'bench' } } });
const url = 'http://127.0.0.1:1/mcp';
const post = { method: 'POST', headers, body };
const response = new Response('{}', { headers: { 'content-type': 'application/json' } });
const stub = () => Promise.resolve(response);
const fetching = (init) =>
  four(
    () => stub(url, init),
    (run) => {
      const { fetch } = interceptFetch(run, { fetch: stub });
      void fetch(url, { method: 'POST', headers, body: hello });
      return () => fetch(url, init);
    },
  );

const result = { content: [] };
const handler = async () => result;
const args = { query: 'weather' };

const request = new Request(url);
const next = async () => response;

const works = {
  'fetch: a tool call (POST)': fetching(post),
  'fetch: anything else (GET)': fetching({}),
  'a tool handler': four(
    () => handler(args),
    (run) => {
      const wrapped = interceptTools(run).wrap('look', handler);
      return () => wrapped(args);
    },
  ),
  'an auth gate (GET)': four(
    () => next(request),
    (run) => {
      const { handle } = interceptAuth(run);
      return () => handle(request, next);
    },
  ),
};

const lines = [['added to', 'bare', 'no rules', 'a rule for another tool', 'disabled']];
for (const [name, actions] of Object.entries(works)) {
  const [bare, ...wrapped] = await nanoseconds(actions);
  lines.push([name, `${bare.toFixed(0)} ns`, ...wrapped.map((ns) => `+${Math.max(0, ns - bare).toFixed(0)} ns`)]);
}
const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
console.log(`Node ${process.version}\n`);
for (const line of lines)
  console.log(line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '));
