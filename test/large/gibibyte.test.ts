/** A result far above `maxFrameBytes` is streamed on: the same bytes, and no memory for it. */
import { createHash, type Hash } from 'node:crypto';
import { connect, createServer, type AddressInfo } from 'node:net';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { call, open } from '../http/harness.js';
import { proxyCommand, serverCommand } from '../stdio/harness.js';

const GIBIBYTE = 1024 ** 3;
/** All that a proxy may ever have taken, Node itself (about 60 MiB) and garbage not yet collected included. */
const FLAT_MIB = 192;

const folder = mkdtempSync(join(tmpdir(), 'toolquake-large-'));

/** Rules that wait for this very answer: it is looked at, and neither the data nor the time of it can be changed. */
function plan(): string {
  const file = join(folder, 'plan.json');
  const when = { tool: 'huge' };
  const rules = [
    { id: 'wrong', fault: 'wrong-value', when },
    { id: 'slow', fault: 'latency', when, phase: 'post' },
  ];
  writeFileSync(file, JSON.stringify({ version: 1, seed: 1, rules }));
  return file;
}

function started([file = '', ...args]: readonly string[]): ChildProcess {
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const peakMiB = (child: ChildProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

/** The whole of an answer as its length and hash; `isWhole` tells its end where the stream goes on. */
async function digestOf(stream: Readable, isWhole: (chunk: Buffer) => boolean = () => false): Promise<[bytes: number, hash: string]> {
  const hash: Hash = createHash('sha1');
  let bytes = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
    if (isWhole(chunk)) break;
  }
  return [bytes, hash.digest('hex')];
}

/** Asks over stdio; the digest of one line. */
async function askStdio(child: ChildProcess, id: number): Promise<[number, string]> {
  child.stdin?.write(`${JSON.stringify(call(id, 'huge'))}\n`);
  return digestOf(child.stdout!, (chunk) => chunk.at(-1) === 0x0a);
}

test('over stdio, with rules that wait for it', async () => {
  const server = serverCommand('gibibyte', 'stdio', String(GIBIBYTE));
  const direct = await askStdio(started(server), 7);
  const journal = join(folder, 'stdio.jsonl');
  const proxy = started(proxyCommand(server, '--plan', plan(), '--journal', journal));
  expect(await askStdio(proxy, 7)).toEqual(direct);
  expect(direct[0]).toBeGreaterThan(GIBIBYTE);
  expect(peakMiB(proxy)).toBeLessThan(FLAT_MIB);
  proxy.stdin?.end();
  await once(proxy, 'exit');
  const faults = readFileSync(journal, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"kind":"fault"'));
  expect(faults).toHaveLength(2);
  for (const line of faults) expect(JSON.parse(line)).toMatchObject({ state: 'not-delivered', why: 'too large' });
});

test.each(['json', 'events'])('over HTTP as %s, with rules that wait for it', async (form) => {
  const server = started(serverCommand('gibibyte', form, String(GIBIBYTE)));
  const [port] = (await once(createInterface(server.stdout!), 'line')) as [string];
  const upstream = `http://127.0.0.1:${port}/mcp`;
  const [, cli = ''] = proxyCommand([]);
  const argv = ['proxy', 'http', '--upstream', upstream, '--port', '0', '--json', '--plan', plan()];
  const proxy = started([process.execPath, cli, ...argv, '--journal', join(folder, `${form}.jsonl`)]);
  const [line] = (await once(createInterface(proxy.stdout!), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const ask = async (where: string): Promise<[number, string]> => digestOf(await open(where, 'POST', JSON.stringify(call(7, 'huge'))));
  const direct = await ask(upstream);
  expect(await ask(url)).toEqual(direct);
  expect(peakMiB(proxy)).toBeLessThan(FLAT_MIB);
});

test.each([
  ['no plan', []],
  ['a plan that delays every byte of it', [{ id: 'slow', fault: 'latency', params: { addedMs: 2 }, phase: 'post' }]],
])('over TCP to a reader that stops and goes, with %s', async (_name, rules) => {
  const block = Buffer.alloc(1024 * 1024, 'a block of bytes ');
  const server = createServer((socket) => {
    let left = GIBIBYTE / block.length;
    const pump = (): void => {
      while (left > 0) if ((left--, !socket.write(block))) return;
      socket.end();
    };
    socket.on('error', () => {}).on('drain', pump);
    pump();
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const file = join(folder, 'tcp-plan.json');
  writeFileSync(file, JSON.stringify({ version: 1, rules }));
  const [, cli = ''] = proxyCommand([]);
  const upstream = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = started([process.execPath, cli, 'proxy', 'tcp', '--upstream', upstream, '--port', '0', '--json', '--plan', file]);
  const [line] = (await once(createInterface(proxy.stdout!), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  const hash = createHash('sha1');
  for (let count = 0; count < GIBIBYTE / block.length; count++) hash.update(block);
  const client = connect(port, '127.0.0.1');
  let pauses = 0;
  client.on('data', () => {
    if (++pauses % 1000 !== 0) return;
    client.pause();
    setTimeout(() => client.resume(), 5);
  });
  expect(await digestOf(client)).toEqual([GIBIBYTE, hash.digest('hex')]);
  expect(peakMiB(proxy)).toBeLessThan(FLAT_MIB);
});
