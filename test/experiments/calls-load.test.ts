/** The workload of an experiment, through a real proxy, against real servers of both eras. */
import { spawn } from 'node:child_process';
import { errorResponse, latency } from '@toolquake/sdk/faults';
import type { JournalEntry } from '@toolquake/sdk/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { processesByCommand } from '../../packages/toolquake/src/managers/process-table.js';
import { endProcessUndo } from '../../packages/toolquake/src/undo/end-process-undo.js';
import { endProcess } from '../../packages/toolquake/src/undo/steps/end-process.js';
import { createLaneJoin } from '../../packages/toolquake/src/experiments/lane-join.js';
import { proxied, rule } from '../http/harness.js';
import { startBank } from '../servers/http-bank.mjs';
import { startDualEra } from '../servers/http-dual-era.mjs';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listen, loadOf, worker, type CallSample } from './calls-harness.js';

async function dualEra(): Promise<string> {
  const server = await startDualEra();
  onTestFinished(() => server.stop());
  return server.url;
}

async function proxy(upstream: string, probability: number, labelHeader?: string) {
  const shaken = await proxied(upstream, [rule(errorResponse, { probability, when: { tool: ['echo'] } })], { labelHeader });
  onTestFinished(() => shaken.proxy.stop());
  return shaken;
}

test.each(['modern', 'legacy'])('each call knows its lane, in the %s era: the hit ones failed, the others did not', async (era) => {
  const { url, journal } = await proxy(await dualEra(), 0.3);
  const load = await worker('load', { load: loadOf({ perSecond: 100 }), target: { kind: 'url', name: 'shop', url, era } });
  const heard = listen(load);
  load.go();
  await vi.waitFor(() => expect(heard.calls.length).toBeGreaterThanOrEqual(200), { timeout: 30_000 });
  await load.stop();
  const told: CallSample[] = [];
  const join = createLaneJoin({ onSample: (sample) => told.push(sample) });
  for (const call of heard.calls) join.call(call, 0);
  for (const entry of journal) join.entry(entry, 0);
  join.settle(Infinity);
  expect(join.dropped.calls).toBe(0);
  expect(told.length).toBe(heard.calls.length);
  const ends = (lane: string): string[] => [...new Set(told.filter((one) => one.lane === lane).map(({ end }) => end))];
  expect([ends('faulted'), ends('control')]).toEqual([['error'], ['ok']]);
  expect(told.every(({ atMs, ms }) => atMs > 0 && ms > 0 && ms < 2000)).toBe(true);
});

test('the same seed makes the same decisions, and the share of hit calls is the one that was asked for (invariant 21)', async () => {
  const upstream = await dualEra();
  const decisions = async (): Promise<Record<string, boolean[]>> => {
    const { url, journal } = await proxy(upstream, 0.25, 'x-caller');
    const load = await worker('load', {
      load: loadOf({ perSecond: 400, clients: 4 }),
      target: { kind: 'url', name: 'shop', url },
      labelHeader: 'x-caller',
    });
    const heard = listen(load);
    load.go();
    await vi.waitFor(() => expect(heard.calls.length).toBeGreaterThanOrEqual(600), { timeout: 60_000 });
    await load.stop();
    const hits: Record<string, boolean[]> = {};
    const calls = journal.filter((entry): entry is JournalEntry & { kind: 'call' } => entry.kind === 'call' && entry.tool === 'echo');
    for (const { session, faults } of calls.toSorted((one, other) => one.exchange - other.exchange))
      (hits[session] ??= []).push(faults !== undefined);
    return hits;
  };
  const [one, other] = [await decisions(), await decisions()];
  expect(Object.keys(one).toSorted()).toEqual(['load-1', 'load-2', 'load-3', 'load-4']);
  for (const [session, hits] of Object.entries(one)) {
    const both = Math.min(hits.length, other[session]!.length);
    expect(both).toBeGreaterThan(20);
    expect(hits.slice(0, both)).toEqual(other[session]!.slice(0, both));
  }
  const all = Object.values(one).flat();
  const hit = all.filter(Boolean).length;
  // Four standard deviations: with the fixed seed it is no matter of luck.
  const deviation = Math.sqrt(all.length * 0.25 * 0.75);
  expect(Math.abs(hit - all.length * 0.25)).toBeLessThan(4 * deviation);
});

test('the outage of a server behind the proxy is seen call by call, and no call of it is lost', async () => {
  const server = await startDualEra();
  const { url, journal } = await proxy(server.url, 0.2);
  const load = await worker('load', { load: loadOf({ perSecond: 100 }), target: { kind: 'url', name: 'shop', url } });
  const heard = listen(load);
  load.go();
  await vi.waitFor(() => expect(heard.calls.length).toBeGreaterThan(20), { timeout: 30_000 });
  await server.stop();
  const isDown = ({ sample }: { sample: CallSample }): boolean => sample.end === 'broken';
  await vi.waitFor(() => expect(heard.calls.filter(isDown).length).toBeGreaterThan(50), { timeout: 30_000 });
  await load.stop();
  const told: CallSample[] = [];
  const join = createLaneJoin({ onSample: (sample) => told.push(sample) });
  for (const entry of journal) join.entry(entry, 0);
  for (const call of heard.calls) join.call(call, 0);
  join.settle(Infinity);
  expect([told.length, join.dropped.calls]).toEqual([heard.calls.length, 0]);
  expect(told.filter(({ lane, end }) => lane === 'control' && end === 'broken').length).toBeGreaterThan(30);
});

test('a slow server does not slow the schedule: who finds no free caller is counted', async () => {
  const shaken = await proxied(await dualEra(), [rule(latency, { params: { addedMs: 400 } as never, when: { tool: ['echo'] } })]);
  onTestFinished(() => shaken.proxy.stop());
  const load = await worker('load', {
    load: loadOf({ clients: 2, perSecond: 50 }),
    target: { kind: 'url', name: 'shop', url: shaken.url },
  });
  const heard = listen(load);
  load.go();
  await vi.waitFor(() => expect(Number(heard.other.at(-1)?.['missed'])).toBeGreaterThan(40), { timeout: 30_000 });
  const { arrivals, missed, atMs } = heard.other.at(-1) as { arrivals: number; missed: number; atMs: number };
  expect(arrivals).toBeGreaterThan(((atMs - 2000) / 1000) * 50 * 0.7);
  expect(missed).toBeLessThan(arrivals);
});

test('callers try again, twice as late each time, and an operation tells how many calls it took', async () => {
  const { url } = await proxy(await dualEra(), 1);
  const load = await worker('load', {
    load: loadOf({ clients: 1, perSecond: 2, retries: 2, retryDelayMs: 40 }),
    target: { kind: 'url', name: 'shop', url },
  });
  const heard = listen(load);
  load.go();
  await vi.waitFor(() => expect(heard.tasks.length).toBeGreaterThanOrEqual(2), { timeout: 30_000 });
  expect(heard.tasks[0]).toMatchObject({ isDone: false, attempts: 3 });
  expect(heard.tasks[0]!.ms).toBeGreaterThanOrEqual(115);
});

test('a call that gets no answer is given up, and a server that is not there is broken, not slow', async () => {
  const silent = await startDualEra();
  const first = await worker('load', {
    load: loadOf({ tool: 'wait', arguments: {}, clients: 1, perSecond: 5, timeoutMs: 150 }),
    target: { kind: 'url', name: 'shop', url: silent.url },
  });
  const heard = listen(first);
  first.go();
  await vi.waitFor(() => expect(heard.calls.some(({ sample }) => sample.end === 'timeout')).toBe(true), { timeout: 30_000 });
  await silent.stop();
  await vi.waitFor(() => expect(heard.calls.some(({ sample }) => sample.end === 'broken')).toBe(true), { timeout: 30_000 });
});

test('Ctrl-C at the terminal of a run reaches none of its workers, however early it comes', async () => {
  const load = await worker('load', { load: loadOf(), target: { kind: 'url', name: 'shop', url: 'http://127.0.0.1:9/mcp' } });
  const [, afterName = ''] = readFileSync(`/proc/${load.pid}/stat`, 'utf8').split(') ');
  // State, parent, and then the group that a terminal signals.
  expect(Number(afterName.split(' ')[2])).toBe(load.pid);
});

test('over stdio each caller has a server of its own, and none is left behind when the run is gone', async () => {
  const server = fileURLToPath(new URL('../servers/sdk2.mjs', import.meta.url));
  const load = await worker('load', {
    load: loadOf({ tool: 'greet', arguments: {}, clients: 2, perSecond: 20 }),
    target: { kind: 'command', name: 'shop', command: [process.execPath, server], era: 'modern' },
  });
  const heard = listen(load);
  load.go();
  await vi.waitFor(() => expect(heard.calls.length).toBeGreaterThan(10), { timeout: 30_000 });
  expect(new Set(heard.calls.map(({ sample }) => sample.end))).toEqual(new Set(['ok']));
  await load.stop();
  expect(await load.ended).toMatchObject({ code: 0 });
});

test.each(['the run lets go', 'its undo'])(
  'servers behind a script that do not hear that they should go end with their callers: %s',
  async (by) => {
    const server = fileURLToPath(new URL('../servers/stubborn.mjs', import.meta.url));
    const mark = `${by.replaceAll(' ', '-')}-${process.pid}`;
    const script = `"${process.execPath}" "${server}" ${mark}; true`;
    const load = await worker('load', {
      load: loadOf({ clients: 2, perSecond: 20 }),
      target: { kind: 'command', name: 'deaf', command: ['sh', '-c', script], era: 'legacy' },
    });
    const heard = listen(load);
    const servers = (): readonly number[] => processesByCommand([process.execPath, server, mark]);
    const undo = endProcessUndo(load.pid, 1500);
    load.go();
    await vi.waitFor(() => expect([heard.calls.length > 5, servers().length]).toEqual([true, 2]), { timeout: 30_000 });
    if (by === 'its undo') await endProcess.undo(undo.data, { env: {}, signal: AbortSignal.timeout(10_000) });
    else await load.stop();
    expect(servers()).toEqual([]);
  },
);

test('nothing is sent before the run says go', async () => {
  const bank = await startBank();
  onTestFinished(() => bank.stop());
  const load = await worker('load', { load: loadOf(), target: { kind: 'url', name: 'bank', url: bank.url } });
  await load.stop();
  expect(bank.log).toEqual([]);
});

test('a holder of sessions dies with the run, even when the run is killed', async () => {
  const server = await startDualEra();
  onTestFinished(() => server.stop());
  const program = fileURLToPath(new URL('../../packages/toolquake/dist/experiment-worker.js', import.meta.url));
  const config = {
    startedAtHostMs: 0,
    target: { kind: 'url', name: 'shop', url: server.url, era: 'modern' },
    call: { tool: 'wait', arguments: {}, timeoutMs: 60_000 },
    sessions: 12,
    everyMs: 100,
  };
  // Alone it would wait for three answers that never come.
  const order = JSON.stringify({ role: 'hold-sessions', config: { ...config, call: { ...config.call, timeoutMs: 100 } } });
  const runner = spawn(
    process.execPath,
    [
      '-e',
      `const child = require('node:child_process').spawn(process.execPath, [process.argv[1]], { stdio: ['pipe', 'inherit', 'inherit'] });
       child.stdin.write(process.argv[2] + '\\ngo\\n');
       console.log(JSON.stringify({ pid: child.pid }));
       setInterval(() => {}, 1000);`,
      program,
      order,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  runner.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await vi.waitFor(() => expect(said).toMatch(/"open":12\b/), { timeout: 30_000 });
  const pid = Number(/"pid":(\d+)/.exec(said)?.[1]);
  expect(isAlive(pid)).toBe(true);
  runner.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
  await vi.waitFor(() => expect(server.seen.waiting).toBe(0), { timeout: 10_000 });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
