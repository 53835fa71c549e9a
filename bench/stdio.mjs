// What does the stdio proxy cost? Ratios to hand-written limits of the same run: machines differ, ratios less so.
// All contestants live at the same time and take turns in short slices; the median over rounds of the ratio to the
// limit of the same round is what counts. The gap between the two "direct" rows is the noise of this machine.
//   node bench/stdio.mjs [rounds]        (45 for a verdict, 10 for a look; build first)
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);
const cli = fileURLToPath(new URL('../packages/toolquake/bin/toolquake.js', import.meta.url));
const NEWLINE = 0x0a;

/** The server: answers every line with as little work as possible. */
function serve() {
  const texts = new Map();
  const textOf = (bytes) => texts.get(bytes) ?? texts.set(bytes, 'x'.repeat(bytes)).get(bytes);
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    let out = '';
    for (const line of lines) {
      const { id, params } = JSON.parse(line);
      out += `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${textOf(params.arguments?.bytes ?? 0)}"}]}}\n`;
    }
    process.stdout.write(out);
  });
  process.stdin.on('end', () => process.exit(0));
}

/** A limit: the least that a relay of its kind must do. */
function relay(command, makeReader) {
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  process.stdin
    .on(
      'data',
      makeReader((bytes) => child.stdin.write(bytes)),
    )
    .on('end', () => child.stdin.end());
  child.stdout.on(
    'data',
    makeReader((bytes) => process.stdout.write(bytes)),
  );
  child.on('exit', (code) => process.exit(code ?? 1));
}

const chunkReader = (write) => write;

/** Finds line ends and hands on whole lines only. */
function lineReader(write) {
  let held = [];
  return (chunk) => {
    let end = 0;
    for (let at; (at = chunk.indexOf(NEWLINE, end)) !== -1; end = at + 1);
    if (end === 0) return void held.push(chunk);
    for (const piece of held) write(piece);
    held = [];
    write(chunk.subarray(0, end));
    if (end < chunk.length) held.push(chunk.subarray(end));
  };
}

/** Parses every line, sends the original bytes. */
function jsonReader(write) {
  let held = [];
  return (chunk) => {
    if (!chunk.includes(NEWLINE)) return void held.push(chunk);
    const bytes = held.length === 0 ? chunk : Buffer.concat([...held, chunk]);
    let end = 0;
    for (let at; (at = bytes.indexOf(NEWLINE, end)) !== -1; end = at + 1) JSON.parse(bytes.toString('utf8', end, at));
    write(bytes.subarray(0, end));
    held = end < bytes.length ? [bytes.subarray(end)] : [];
  };
}

/** CPU time of a process in microseconds, its server excluded. */
function cpuUs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function openPeer(name, command) {
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
  let onLines = () => {};
  child.stdout.on('data', (chunk) => {
    let lines = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines++;
    if (lines > 0) onLines(lines);
  });
  let id = 0;
  // As every client does: until it has, a proxy with rules must look for the introduction in every message.
  child.stdin.write('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"bench"}}}\n');
  const introduced = new Promise((resolve) => (onLines = resolve));
  /** Keeps `inFlight` calls under way until `calls` were answered; resolves to the milliseconds it took. */
  const burst = (calls, inFlight, bytes) =>
    new Promise((resolve) => {
      const startedMs = performance.now();
      let sent = 0;
      let answered = 0;
      const send = (count) => {
        let text = '';
        for (let left = Math.min(count, calls - sent); left > 0; left--, sent++) {
          text += `{"jsonrpc":"2.0","id":${++id},"method":"tools/call","params":{"name":"echo","arguments":{"bytes":${bytes}}}}\n`;
        }
        if (text !== '') child.stdin.write(text);
      };
      onLines = (lines) => {
        answered += lines;
        if (answered >= calls) resolve(performance.now() - startedMs);
        else send(lines);
      };
      send(inFlight);
    });
  return { name, child, introduced, burst, samples: { rate: [], alone: [], large: [], cpu: [] } };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const ratio = (of, to, what) => median(of.samples[what].map((value, round) => value / to.samples[what][round]));

async function measure(rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-bench-'));
  const plan = join(folder, 'plan.json');
  const rules = Array.from({ length: 20 }, (_, index) => ({
    id: `rule-${index}`,
    fault: 'latency',
    when: { tool: `other_${index}${index % 2 ? '*' : ''}` },
  }));
  writeFileSync(plan, JSON.stringify({ version: 1, seed: 1, rules }));
  const server = [process.execPath, self, 'serve'];
  const limit = (kind) => [process.execPath, self, kind, ...server];
  const ours = (...options) => [process.execPath, cli, 'proxy', 'stdio', ...options, '--', ...server];
  const peers = [
    openPeer('direct', server),
    openPeer('direct again', server),
    openPeer('limit: chunks', limit('chunks')),
    openPeer('limit: lines', limit('lines')),
    openPeer('limit: JSON.parse', limit('json')),
    openPeer('toolquake, no plan', ours()),
    openPeer('toolquake, 20 rules', ours('--plan', plan)),
    openPeer('toolquake, journal', ours('--journal', join(folder, 'run.jsonl'))),
  ];
  for (const peer of peers) {
    await peer.introduced;
    await peer.burst(3000, 64, 16);
    await peer.burst(4, 2, 1 << 20);
  }
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers.toSorted(() => Math.random() - 0.5)) {
      const { samples, burst, child } = peer;
      await burst(1000, 64, 16);
      const cpuBefore = cpuUs(child.pid);
      samples.rate.push(20_000 / (await burst(20_000, 64, 16)));
      samples.cpu.push(cpuUs(child.pid) - cpuBefore);
      samples.alone.push((await burst(200, 1, 16)) / 200);
      samples.large.push(8 / (await burst(8, 2, 1 << 20)));
    }
  }
  for (const { child } of peers) child.stdin.end();
  await Promise.all(peers.map(({ child }) => new Promise((resolve) => child.once('close', resolve))));
  rmSync(folder, { recursive: true, force: true });
  return peers;
}

function print(peers, rounds) {
  const [direct, , , lines, json, idle, busy] = peers;
  console.log(`stdio proxy, ${rounds} rounds, node ${process.version}, ${cpus().length} CPUs; ratios to direct`);
  for (const peer of peers) {
    const cells = ['rate', 'alone', 'large'].map((what) => ratio(peer, direct, what).toFixed(2).padStart(6));
    const cpu = (peer.samples.cpu.reduce((sum, value) => sum + value, 0) / rounds / 20_000).toFixed(2).padStart(6);
    console.log(`${peer.name.padEnd(22)} msg/s ${cells[0]}   time of one call ${cells[1]}   1 MiB results ${cells[2]}   CPU ${cpu} us/msg`);
  }
  const bars = [
    ['no plan, msg/s against the line framer', ratio(idle, lines, 'rate'), '>=', 0.85],
    ['no plan, one call against the line framer', ratio(idle, lines, 'alone'), '<=', 1.25],
    ['no plan, 1 MiB results against the line framer', ratio(idle, lines, 'large'), '>=', 0.8],
    ['20 rules, msg/s against JSON.parse', ratio(busy, json, 'rate'), '>=', 0.8],
    ['20 rules, one call against the line framer', ratio(busy, lines, 'alone'), '<=', 1.25],
    ['20 rules, 1 MiB results against the line framer', ratio(busy, lines, 'large'), '>=', 0.8],
  ];
  console.log('\nbars');
  for (const [what, value, way, bar] of bars) {
    const isMet = way === '>=' ? value >= bar : value <= bar;
    console.log(`${isMet ? 'ok  ' : 'MISS'} ${what.padEnd(50)} ${value.toFixed(2)} ${way} ${bar}`);
  }
}

const [mode = '45', ...command] = process.argv.slice(2);
if (mode === 'serve') serve();
else if (mode === 'chunks') relay(command, chunkReader);
else if (mode === 'lines') relay(command, lineReader);
else if (mode === 'json') relay(command, jsonReader);
else {
  const rounds = Number(mode);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`"${mode}" is no number of rounds. For example: node bench/stdio.mjs 45`);
    process.exit(2);
  }
  print(await measure(rounds), rounds);
}
