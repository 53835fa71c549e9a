// What does the HTTP proxy cost? Ratios to a hand-written streaming proxy on node:http of the same run: machines differ,
// ratios less so. All contestants live at the same time and take turns in short slices; the median over rounds of the
// ratio to the limit of the same round is what counts. The gap between the two "direct" rows is the noise of this machine.
//   node bench/http.mjs [rounds]               (45 for a verdict, 11 for a look; build first)
//   node bench/http.mjs streams [n] [seconds]  (n event streams at once under a plan: errors and memory)
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const cli = fileURLToPath(new URL('../packages/toolquake/bin/toolquake.js', import.meta.url));
const HOST = '127.0.0.1';

/** The server: answers with as little work as possible. `events` notices before the answer make it an event stream. */
function serve() {
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const { id, params } = JSON.parse(Buffer.concat(parts));
      const { bytes = 20, events, everyMs } = params.arguments;
      const body = `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${'x'.repeat(bytes)}"}]}}`;
      if (events === undefined)
        return response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const notice =
        'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n\n';
      let left = events;
      const step = () => {
        while (left > 0) {
          response.write(notice);
          left--;
          if (everyMs !== undefined) return setTimeout(step, everyMs);
        }
        response.end(`event: message\ndata: ${body}\n\n`);
      };
      step();
    });
  });
  server.keepAliveTimeout = 0;
  server.listen(0, HOST, () => console.log(`http://${HOST}:${server.address().port}/mcp`));
}

/** The limit: the least that a streaming proxy on node:http must do; with a delay, the least that slows every request. */
function limit(upstream, delayMs) {
  const { hostname: host, port } = new URL(upstream);
  const agent = new http.Agent({ keepAlive: true, noDelay: true });
  const pass = (request, response) => {
    const { method, url: path, headers } = request;
    const out = http.request({ host, port, agent, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    out.on('error', () => response.destroy());
    request.pipe(out);
  };
  const server = http.createServer(delayMs === undefined ? pass : (...both) => setTimeout(pass, delayMs, ...both));
  server.keepAliveTimeout = 0;
  server.listen(0, HOST, () => console.log(`http://${HOST}:${server.address().port}/mcp`));
}

/** A connection that asks one question at a time, and only looks for the end of the answer. */
function connection(url) {
  const { port, pathname } = new URL(url);
  const socket = net.connect({ host: HOST, port, noDelay: true });
  let whenDone;
  let head;
  let length;
  let seen = 0;
  let tail = '';
  const finish = (error) => {
    const done = whenDone;
    whenDone = undefined;
    head = undefined;
    done?.(error);
  };
  socket.on('data', (chunk) => {
    let from = 0;
    if (head === undefined) {
      const end = chunk.indexOf('\r\n\r\n');
      head = chunk.toString('latin1', 0, end);
      from = end + 4;
      length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
      seen = 0;
      tail = '';
      if (!head.startsWith('HTTP/1.1 200')) return finish(new Error(head.split('\r\n')[0]));
    }
    seen += chunk.length - from;
    if (!Number.isNaN(length)) return seen >= length ? finish() : undefined;
    tail = (tail + chunk.toString('latin1', Math.max(from, chunk.length - 5))).slice(-5);
    if (tail === '0\r\n\r\n') finish();
  });
  socket.on('error', (error) => finish(error));
  socket.on('close', () => finish(new Error('closed')));
  const start = `POST ${pathname} HTTP/1.1\r\nHost: ${HOST}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`;
  return {
    ask(body, done) {
      whenDone = done;
      socket.write(`${start}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    },
    close: () => socket.destroy(),
  };
}

const bodyOf = (id, args) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":${JSON.stringify(args)}}}`;

/** Asks `count` times over all connections; resolves to requests per second. */
function load(connections, args, count) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let sent = 0;
    let done = 0;
    const next = (one) => {
      if (sent >= count) return;
      one.ask(bodyOf(++sent, args), (error) => {
        if (error !== undefined) return reject(new Error('a request failed', { cause: error }));
        if (++done === count) resolve((count / (performance.now() - started)) * 1000);
        else next(one);
      });
    };
    for (const one of connections) next(one);
  });
}

const children = [];

/** Starts a program and resolves with the URL that it names. */
function start(...command) {
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'development', ENVIRONMENT: 'development' },
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const take = (chunk) => {
      said += chunk;
      const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said) ?? [];
      if (url !== undefined) resolve({ url, child });
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => reject(new Error(`${command.join(' ')} ended with ${code}: ${said}`)));
  });
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rssMiB = (child) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1024;
const folder = mkdtempSync(join(tmpdir(), 'toolquake-bench-'));

function planFile(name, rules) {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify({ version: 1, rules }));
  return path;
}

const proxy = (upstream, ...options) => start(cli, 'proxy', 'http', '--port', '0', '--upstream', upstream, ...options);
const idleRules = Array.from({ length: 20 }, (_, index) => ({
  id: `idle-${index}`,
  fault: 'latency',
  when: { tool: `nobody_${index}_*` },
}));

const WORK = {
  JSON: { args: {}, count: 1000, connections: 64, bar: 0.85 },
  SSE: { args: { events: 0 }, count: 1000, connections: 64 },
  'SSE, 10 events': { args: { events: 10 }, count: 400, connections: 64, bar: 0.85 },
  '1 MiB': { args: { bytes: 1 << 20 }, count: 8, connections: 2, bar: 0.85 },
};

async function compare(rounds) {
  const { url: upstream } = await start(self, 'serve');
  const field = {
    'limit: node:http': (await start(self, 'limit', upstream)).url,
    direct: upstream,
    'direct again': upstream,
    'proxy, no plan': (await proxy(upstream)).url,
    'proxy, 20 rules that match nothing': (await proxy(upstream, '--plan', planFile('idle', idleRules))).url,
  };
  const pools = Object.fromEntries(Object.entries(field).map(([name, url]) => [name, Array.from({ length: 64 }, () => connection(url))]));
  const rates = {};
  for (const [work, { args, count, connections }] of Object.entries(WORK)) {
    for (const pool of Object.values(pools)) await load(pool.slice(0, connections), args, count);
    for (let round = 0; round < rounds; round++) {
      for (const name of Object.keys(field).toSorted(() => Math.random() - 0.5)) {
        ((rates[work] ??= {})[name] ??= [])[round] = await load(pools[name].slice(0, connections), args, count);
      }
    }
  }
  console.log(`HTTP proxy, node ${process.version}, ${cpus().length} cores, ${rounds} rounds: requests per second against the limit\n`);
  console.log(`| | ${Object.keys(WORK).join(' | ')} |\n|---|${'---:|'.repeat(Object.keys(WORK).length)}`);
  const ratio = (work, name) => median(rates[work][name].map((rate, round) => rate / rates[work]['limit: node:http'][round]));
  for (const name of Object.keys(field))
    console.log(
      `| ${name} | ${Object.keys(WORK)
        .map((work) => ratio(work, name).toFixed(2))
        .join(' | ')} |`,
    );
  console.log(
    `| bar for "no plan" | ${Object.values(WORK)
      .map(({ bar }) => (bar === undefined ? '' : `>= ${bar}`))
      .join(' | ')} |`,
  );
  for (const pool of Object.values(pools)) for (const one of pool) one.close();
  await compareDelay(upstream, rounds);
}

/** A delay of 50 ms on 32 calls at once: what is seen of it, beside a timer in the limit and no delay at all. */
async function compareDelay(upstream, rounds) {
  const askedMs = 50;
  const slow = planFile('delay', [{ id: 'delay', fault: 'latency', params: { addedMs: askedMs } }]);
  const field = {
    direct: upstream,
    limit: (await start(self, 'limit', upstream, String(askedMs))).url,
    proxy: (await proxy(upstream, '--plan', slow)).url,
  };
  const pools = Object.fromEntries(Object.entries(field).map(([name, url]) => [name, Array.from({ length: 32 }, () => connection(url))]));
  const seenMs = { direct: [], limit: [], proxy: [] };
  // Enough for every program to have compiled what it uses; not counted.
  const WARM_UP = 20;
  for (let round = 0; round < WARM_UP + 3 * rounds; round++) {
    for (const [name, pool] of Object.entries(pools)) {
      const took = await Promise.all(
        pool.map((one, index) => {
          const started = performance.now();
          return new Promise((resolve) => one.ask(bodyOf(index, {}), () => resolve(performance.now() - started)));
        }),
      );
      if (round >= WARM_UP) seenMs[name].push(...took);
    }
  }
  const seen = (name) => (median(seenMs[name]) / askedMs).toFixed(2);
  console.log(
    `\n${askedMs} ms of latency on 32 calls at once: seen / asked ${seen('proxy')} (bar: <= 1.12); ` +
      `one timer per call in the limit ${seen('limit')}; direct, without any latency, ${seen('direct')}`,
  );
  for (const pool of Object.values(pools)) for (const one of pool) one.close();
}

/** A rule that acts on every event of a stream. */
const slowEvents = {
  id: 'slow-events',
  fault: 'latency',
  when: { method: 'notifications/progress' },
  phase: 'pre',
  params: { addedMs: 20, jitterMs: 20 },
};

/** Many event streams at once, each with an event per second, through a plan that reads all of them and delays each event. */
async function streams(count, seconds) {
  const { url: upstream } = await start(self, 'serve');
  const { url, child } = await proxy(
    upstream,
    '--plan',
    planFile('streams', [...idleRules, slowEvents]),
    '--journal',
    join(folder, 'journal.jsonl'),
  );
  let errors = 0;
  let peakMiB = 0;
  const watch = setInterval(() => (peakMiB = Math.max(peakMiB, rssMiB(child))), 250);
  const pool = Array.from({ length: count }, () => connection(url));
  await Promise.all(
    pool.map(
      (one, index) =>
        new Promise((resolve) =>
          one.ask(bodyOf(index, { events: seconds, everyMs: 1000 }), (error) => resolve(error !== undefined && errors++)),
        ),
    ),
  );
  clearInterval(watch);
  console.log(
    `${count} event streams for ${seconds} s, plan active: ${errors} errors, RSS ${peakMiB.toFixed(0)} MiB (bar: no error, < 400 MiB)`,
  );
  for (const one of pool) one.close();
}

const [role, ...rest] = process.argv.slice(2);
if (role === 'serve') serve();
else if (role === 'limit') limit(rest[0], rest[1] === undefined ? undefined : Number(rest[1]));
else {
  try {
    if (role === 'streams') await streams(Number(rest[0] ?? 1000), Number(rest[1] ?? 60));
    else await compare(Number(role ?? 11));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(0);
}
