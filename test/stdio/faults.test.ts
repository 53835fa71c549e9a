import { readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  decisionsOf,
  defineFault,
  disconnect,
  emit,
  forward,
  frameFromMessage,
  hold,
  ms,
  pace,
  answer,
  rpcError,
  signalServer,
} from '@toolquake/sdk/core';
import { createVirtualClock } from '../../packages/toolquake/src/simulator/virtual-clock.js';
import { proxied, rule, serverCommand } from './harness.js';

const bank = serverCommand('bank');

/** The state letter of a process: T while it is stopped. */
const stateOf = (pid: number | undefined): string | undefined => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets the event loop turn until something has become true. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await turn();
}

const base = { summary: 'For this test.', carriers: ['mcp'], params: {} } as const;
const slow = defineFault({
  ...base,
  type: 'slow',
  role: 'shaping',
  phases: ['post', 'pre'],
  params: { addedMs: ms({ default: 60_000, about: 'Delay.' }) },
  decide: (event, { addedMs }, { phase }) =>
    event.kind === 'frame' && event.part === (phase === 'pre' ? 'request' : 'answer') ? [forward(event.frame, addedMs)] : [],
});
const lostAck = defineFault({
  ...base,
  type: 'lost-ack',
  role: 'terminal',
  decide: (event) => (event.kind === 'frame' && event.part === 'answer' ? [hold(event.frame, 'never')] : []),
});
const twice = defineFault({
  ...base,
  type: 'twice',
  role: 'terminal',
  decide: (event) => {
    if (event.kind !== 'frame') return [];
    if (event.part === 'request') return [forward(event.frame), forward(event.frame)];
    return event.exchange.answers > 1 ? [hold(event.frame, 'never')] : [];
  },
});
const trickle = defineFault({
  ...base,
  type: 'trickle',
  role: 'shaping',
  decide: (event) => (event.kind === 'frame' && event.part === 'answer' ? [pace(event.frame, { sliceBytes: 7, everyMs: 10 })] : []),
});
const crash = defineFault({
  ...base,
  type: 'crash',
  role: 'terminal',
  decide: (event) => (event.kind === 'frame' && event.part === 'request' ? [disconnect('reset')] : []),
});
const freeze = defineFault({
  ...base,
  type: 'freeze',
  role: 'extra',
  decide: (event) => (event.kind === 'frame' && event.part === 'request' ? [signalServer('freeze', 60_000)] : []),
});
const storm = defineFault({
  ...base,
  type: 'storm',
  role: 'extra',
  decide: (event) =>
    event.kind === 'frame' && event.part === 'request'
      ? [emit(frameFromMessage('to-client', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }), { everyMs: 5, count: 3 })]
      : [],
});
const failing = defineFault({
  ...base,
  type: 'failing',
  role: 'terminal',
  decide: () => {
    throw new Error('a bug of ours');
  },
});
const refusing = defineFault({
  ...base,
  type: 'refusing',
  role: 'terminal',
  decide: (event) =>
    event.kind === 'frame' && event.part === 'request' && event.exchange.id !== undefined
      ? [answer(rpcError(event.exchange.id, -32603, 'Internal error'))]
      : [],
});
const onRefund = { when: { tool: ['refund'] } };

describe('a delayed call', () => {
  test('delays no other call, no ping and no cancel, and arrives when its time has come', async () => {
    const clock = createVirtualClock();
    const { client, proxy } = await proxied(bank, [rule(slow, onRefund)], { clock });
    client.call(1, 'refund');
    client.call(2, 'echo', { text: 'meanwhile' });
    client.send({ id: 3, method: 'ping' });
    client.send({ method: 'notifications/cancelled', params: { requestId: 99 } });
    expect(await client.text(2)).toBe('meanwhile');
    expect(await client.answer(3)).toMatchObject({ result: {} });
    client.call(4, 'executions');
    expect(await client.text(4)).toBe('1');
    clock.advance(59_999);
    client.send({ id: 5, method: 'ping' });
    await client.answer(5);
    expect(client.received().toString()).not.toContain('refund');
    clock.advance(1);
    expect(await client.text(1)).toBe('refund 1');
    client.end();
    expect(await proxy.finished).toMatchObject({ code: 0 });
  });

  test('still reaches the server when the client closes its side first', async () => {
    const clock = createVirtualClock();
    const { client, proxy, server, stdin } = await proxied(bank, [rule(slow, { ...onRefund, phase: 'pre' })], { clock });
    client.call(1, 'refund');
    client.call(2, 'executions');
    expect(await client.text(2)).toBe('0');
    client.end();
    await until(() => stdin.readableEnded);
    await turn();
    expect(server.child.stdin?.writableEnded).toBe(false);
    clock.advance(60_000);
    expect(await client.text(1)).toBe('refund 1');
    expect(await proxy.finished).toMatchObject({ code: 0 });
  });

  test('still reaches a client that closed its side and reads on', async () => {
    const clock = createVirtualClock();
    const { client, proxy, server, journal } = await proxied(bank, [rule(slow, onRefund)], { clock });
    client.call(1, 'refund');
    client.call(2, 'executions');
    expect(await client.text(2)).toBe('1');
    client.end();
    await server.exited;
    await until(() => server.child.stdout?.destroyed === true);
    await turn();
    clock.advance(60_000);
    expect(await client.text(1)).toBe('refund 1');
    await proxy.finished;
    expect(journal).toContainEqual(expect.objectContaining({ kind: 'call', tool: 'refund', outcome: 'ok', latencyMs: 60_000 }));
  });
});

test('a lost answer: the server did it, the client never hears of it, the journal knows', async () => {
  const { client, proxy, journal } = await proxied(bank, [rule(lostAck, onRefund)]);
  client.call(1, 'refund');
  client.call(2, 'executions');
  expect(await client.text(2)).toBe('1');
  client.end();
  await proxy.finished;
  expect(client.received().toString()).not.toContain('"id":1');
  expect(journal).toContainEqual(expect.objectContaining({ kind: 'fault', state: 'delivered', rule: 'lost-ack', exchange: 1 }));
  expect(journal).toContainEqual(expect.objectContaining({ kind: 'call', exchange: 1, outcome: 'no-answer' }));
  expect(decisionsOf(journal)).toHaveLength(1);
});

test('a call sent twice is executed twice and answered once', async () => {
  const { client, proxy } = await proxied(bank, [rule(twice, onRefund)]);
  client.call(1, 'refund');
  expect(await client.text(1)).toBe('refund 1');
  client.call(2, 'executions');
  expect(await client.text(2)).toBe('2');
  client.end();
  await proxy.finished;
  expect(
    client
      .received()
      .toString()
      .match(/"id":1,/g),
  ).toHaveLength(1);
});

test('a paced answer arrives byte by byte as it was, and other answers wait behind it instead of inside it', async () => {
  const clock = createVirtualClock();
  const { client, proxy } = await proxied(bank, [rule(trickle, { when: { tool: ['echo'] } })], { clock });
  client.call(1, 'echo', { text: 'grüße ✓' });
  client.call(2, 'executions');
  client.call(3, 'echo', { text: 'second' });
  // Both slow answers and the quick one in between are on their way once the server has answered this.
  client.send({ id: 4, method: 'ping' });
  const all = Promise.all([client.text(1), client.text(2), client.text(3), client.answer(4)]);
  const done = all.then(() => true);
  while (!(await Promise.race([done, new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]))) clock.advance(10);
  expect((await all).slice(0, 3)).toEqual(['grüße ✓', '0', 'second']);
  client.end();
  await proxy.finished;
  const ids = client
    .received()
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: number }).id);
  expect(ids.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
  expect(ids[0]).toBe(1);
});

test('a crash ends both pipes and the server, as a killed server would', async () => {
  const { client, proxy, journal } = await proxied(bank, [rule(crash, onRefund)]);
  client.call(1, 'executions');
  await client.answer(1);
  client.call(2, 'refund');
  await client.ended;
  expect(await proxy.finished).toMatchObject({ code: null, signal: 'SIGKILL' });
  expect(journal).toContainEqual(expect.objectContaining({ kind: 'call', exchange: 2, outcome: 'disconnected' }));
});

describe('a frozen server', () => {
  test('says nothing until it is thawed', async () => {
    const clock = createVirtualClock();
    const { client, proxy, server } = await proxied(bank, [rule(freeze, onRefund)], { clock });
    client.call(1, 'executions');
    await client.answer(1);
    client.call(2, 'refund');
    await until(() => stateOf(server.child.pid) === 'T');
    clock.advance(59_999);
    expect(stateOf(server.child.pid)).toBe('T');
    clock.advance(1);
    expect(await client.text(2)).toBe('refund 1');
    client.end();
    expect(await proxy.finished).toMatchObject({ code: 0 });
  });

  test('is thawed to receive a signal', async () => {
    const clock = createVirtualClock();
    const { client, proxy, server } = await proxied(bank, [rule(freeze, onRefund)], { clock });
    client.call(1, 'refund');
    await until(() => stateOf(server.child.pid) === 'T');
    proxy.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(await proxy.finished).toMatchObject({ signal: 'SIGTERM' });
  });
});

test('emitted messages are whole lines beside the traffic', async () => {
  const { client, proxy } = await proxied(bank, [rule(storm, onRefund)]);
  client.call(1, 'refund');
  expect(await client.text(1)).toBe('refund 1');
  for (let count = 0; count < 3; count++) await client.line((message) => message?.method === 'notifications/tools/list_changed');
  client.end();
  await proxy.finished;
});

test('a request of the server with the id of a pending call is not taken for its answer', async () => {
  const { client, proxy } = await proxied(bank, [rule(lostAck, { when: { tool: ['ask'] } })]);
  client.call(1, 'ask');
  expect(await client.line((message) => message?.method === 'roots/list')).toMatchObject({ id: 1 });
  client.send({ id: 1, result: { roots: [] } });
  client.call(2, 'executions');
  await client.answer(2);
  client.end();
  await proxy.finished;
  expect(client.received().toString()).not.toContain('"result":{"content":[{"type":"text","text":"{');
});

describe('a fault that throws', () => {
  test('lets the traffic pass, and the problem is told', async () => {
    const { client, proxy, problems } = await proxied(bank, [rule(failing, onRefund)]);
    client.call(1, 'refund');
    expect(await client.text(1)).toBe('refund 1');
    expect(problems).toContainEqual(expect.objectContaining({ message: 'a bug of ours' }));
    client.end();
    expect(await proxy.finished).toMatchObject({ code: 0, isFailed: false });
  });

  test('ends the session in strict mode, and the client sees nothing of that call', async () => {
    const { client, proxy, server } = await proxied(bank, [rule(failing, onRefund)], { isStrict: true });
    client.call(1, 'refund');
    await client.ended;
    await server.exited;
    expect(await proxy.finished).toMatchObject({ isFailed: true });
    expect(client.received()).toHaveLength(0);
  });
});

test('a line over the limit passes as it is, and data or delay on it is journalled as not delivered', async () => {
  const { client, proxy, journal } = await proxied(bank, [rule(slow, { when: { tool: ['big'] } })], { maxFrameBytes: 100_000 });
  client.call(1, 'big', { bytes: 300_000 });
  expect(await client.text(1)).toHaveLength(300_000);
  client.end();
  await proxy.finished;
  expect(journal).toContainEqual(expect.objectContaining({ kind: 'fault', state: 'not-delivered', why: 'too large' }));
  expect(journal).toContainEqual(expect.objectContaining({ kind: 'call', outcome: 'ok' }));
});

test('answers that we make up do not pile up when the client does not read', async () => {
  const calls = 20_000;
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const { proxy, server } = await proxied(bank, [rule(refusing)], { stdin, stdout });
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}\n';
  for (let index = 0; index < calls; index++) stdin.write(call);
  await until(() => stdin.isPaused());
  const answeredUnread = proxy.performer.calls;
  expect(answeredUnread).toBeLessThan(calls / 2);
  let answers = 0;
  stdout.on('data', (chunk: Buffer) => (answers += chunk.toString().split('\n').length - 1));
  await until(() => answers === calls);
  stdin.end();
  expect(await server.exited).toMatchObject({ code: 0 });
});
