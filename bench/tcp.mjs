// What does the TCP proxy cost? Ratios to the least that a relay on node:net must do, in the same run: machines differ,
// ratios less so. All contestants live at the same time and take turns in short slices; the median over rounds of the
// ratio to the limit of the same round is what counts. The gap between the two "direct" rows is the noise of this machine.
//   node bench/tcp.mjs [rounds]   (45 for a verdict, 11 for a look; build first)
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const cli = fileURLToPath(new URL('../packages/toolquake/bin/toolquake.js', import.meta.url));
const HOST = '127.0.0.1';
const QUESTION = Buffer.alloc(64, 'q');
/** A first byte of `Q` asks for as many bytes back; `B` and a number asks for so many MiB. */
const BLOCK = Buffer.alloc(1 << 20, 'b');
const BULK_MIB = 64;

function serve() {
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (bytes[0] !== 66) return socket.write(bytes);
      let left = BULK_MIB;
      const pump = () => {
        while (left > 0) {
          left--;
          if (!socket.write(BLOCK)) return socket.once('drain', pump);
        }
      };
      pump();
    });
  });
  server.listen(0, HOST, () => console.log(`listening on ${HOST}:${server.address().port},`));
}

/** The limit: two pipes, with an error on one side told to the other. */
function limit(port) {
  const server = net.createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = net.connect({ host: HOST, port, noDelay: true, allowHalfOpen: true });
    client.on('error', () => upstream.destroy()).pipe(upstream);
    upstream.on('error', () => client.destroy()).pipe(client);
  });
  server.listen(0, HOST, () => console.log(`listening on ${HOST}:${server.address().port},`));
}

/** A connection that asks one question at a time. */
function connection(port) {
  const socket = net.connect({ host: HOST, port, noDelay: true });
  let left = 0;
  let done;
  socket.on('data', (bytes) => {
    left -= bytes.length;
    if (left === 0) done();
  });
  socket.on('error', (error) => {
    throw error;
  });
  return {
    ask(bytes, expected, whenDone) {
      left = expected;
      done = whenDone;
      socket.write(bytes);
    },
    close: () => socket.destroy(),
  };
}

/** Asks `count` times over all connections; resolves to round trips per second. */
function roundTrips(pool, count) {
  return new Promise((resolve) => {
    const started = performance.now();
    let sent = 0;
    let done = 0;
    const next = (one) => {
      if (sent >= count) return;
      sent++;
      one.ask(QUESTION, QUESTION.length, () => {
        if (++done === count) resolve((count / (performance.now() - started)) * 1000);
        else next(one);
      });
    };
    for (const one of pool) next(one);
  });
}

/** One question after the other; resolves to the median round trip as a rate, so that more is better here, too. */
function oneByOne([one], count) {
  return new Promise((resolve) => {
    const tookMs = [];
    const next = () => {
      const started = performance.now();
      one.ask(QUESTION, QUESTION.length, () => {
        tookMs.push(performance.now() - started);
        if (tookMs.length === count) resolve(1000 / median(tookMs));
        else next();
      });
    };
    next();
  });
}

const bulk = (pool) =>
  new Promise((resolve) => {
    const started = performance.now();
    pool[0].ask('B', BULK_MIB << 20, () => resolve((BULK_MIB / (performance.now() - started)) * 1000));
  });

const children = [];

/** Starts a program and resolves with the port that it names. */
function start(...command) {
  const env = { ...process.env, NODE_ENV: 'development', ENVIRONMENT: 'development' };
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'], env });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    const take = (chunk) => {
      said += chunk;
      const [, port] = /listening on 127\.0\.0\.1:(\d+),/.exec(said) ?? [];
      if (port !== undefined) resolve({ port: Number(port), child });
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('exit', (code) => reject(new Error(`${command.join(' ')} ended with ${code}: ${said}`)));
  });
}

/** Processor time that a process has used, in ticks of 10 ms. */
const ticksOf = (child) => {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
};

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const folder = mkdtempSync(join(tmpdir(), 'toolquake-bench-'));

function planFile(name, rules) {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify({ version: 1, rules }));
  return path;
}

const WORK = {
  'p50, one at a time': { run: (pool) => oneByOne(pool, 400) },
  '64 at once': { run: (pool) => roundTrips(pool, 3000), countsTicks: true },
  [`${BULK_MIB} MiB`]: { run: bulk },
};

async function compare(rounds) {
  const { port: upstream } = await start(self, 'serve');
  const proxy = (...options) => start(cli, 'proxy', 'tcp', '--port', '0', '--upstream', `${HOST}:${upstream}`, ...options);
  const idle = Array.from({ length: 20 }, (_, index) => ({ id: `idle-${index}`, fault: 'latency', when: { target: `nobody-${index}` } }));
  const field = {
    'limit: node:net': await start(self, 'limit', String(upstream)),
    direct: { port: upstream },
    'direct again': { port: upstream },
    'proxy, no plan': await proxy(),
    'proxy, 20 rules that match nothing': await proxy('--plan', planFile('idle', idle)),
    'proxy, a rule on every byte': await proxy('--plan', planFile('all', [{ id: 'all', fault: 'latency', params: { addedMs: 0 } }])),
  };
  const pools = Object.fromEntries(
    Object.entries(field).map(([name, { port }]) => [name, Array.from({ length: 64 }, () => connection(port))]),
  );
  const rates = {};
  const ticks = {};
  for (const [work, { run, countsTicks }] of Object.entries(WORK)) {
    for (const pool of Object.values(pools)) await run(pool);
    for (let round = 0; round < rounds; round++) {
      for (const name of Object.keys(field).toSorted(() => Math.random() - 0.5)) {
        const { child } = field[name];
        const before = child === undefined ? 0 : ticksOf(child);
        ((rates[work] ??= {})[name] ??= [])[round] = await run(pools[name]);
        if (countsTicks && child !== undefined) ticks[name] = (ticks[name] ?? 0) + ticksOf(child) - before;
      }
    }
  }
  console.log(`TCP proxy, node ${process.version}, ${cpus().length} cores, ${rounds} rounds: rates against the limit\n`);
  console.log(
    `| | ${Object.keys(WORK).join(' | ')} | processor time per round trip |\n|---|${'---:|'.repeat(Object.keys(WORK).length + 1)}`,
  );
  const ratio = (work, name) => median(rates[work][name].map((rate, round) => rate / rates[work]['limit: node:net'][round]));
  for (const name of Object.keys(field)) {
    const cells = Object.keys(WORK).map((work) => ratio(work, name).toFixed(2));
    const cost = ticks[name] === undefined ? '' : (ticks[name] / ticks['limit: node:net']).toFixed(2);
    console.log(`| ${name} | ${cells.join(' | ')} | ${cost} |`);
  }
  console.log(`| bar for "no plan" | >= 0.85 | >= 0.85 | >= 0.85 | <= 1.18 |`);
  for (const pool of Object.values(pools)) for (const one of pool) one.close();
}

const [role, ...rest] = process.argv.slice(2);
if (role === 'serve') serve();
else if (role === 'limit') limit(Number(rest[0]));
else {
  try {
    await compare(Number(role ?? 11));
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(0);
}
