/** Batches over stdio: rules meet every element, and what they do not touch keeps its bytes. */
import * as faults from '@toolquake/sdk/faults';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { proxied, rule, serverCommand } from './harness.js';

const bank = serverCommand('bank');
const refund = (id: number): string => `{"jsonrpc":"2.0", "id":${id},"method":"tools/call","params":{"name":"refund"}}`;
const echo = (id: number, text: string): string =>
  `{ "id":${id},"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"}}}`;
const onRefund = { when: { tool: ['refund'] } };

test('any batch that no rule matches passes byte for byte, both ways', async () => {
  const { client, stdin, proxy, problems } = await proxied(serverCommand('raw-echo'), [rule(faults.errorResponse, onRefund)]);
  const element = fc.oneof(fc.json({ maxDepth: 2 }), fc.constant(echo(1, 'a')), fc.constant('[[]]'));
  const lines = fc
    .sample(fc.array(fc.array(element, { maxLength: 6 }).map((items) => `[ ${items.join(' ,')}]`)), { numRuns: 60, seed: 7 })
    .flat();
  const sent = Buffer.from([...lines, `[${'{},'.repeat(100_000)}1]`, '[[[', '[]'].map((line) => `${line}\n`).join(''));
  for (let at = 0; at < sent.length; at += 1000) stdin.write(sent.subarray(at, at + 1000));
  client.end();
  await proxy.finished;
  expect(client.received().equals(sent)).toBe(true);
  expect(problems).toEqual([]);
});

test('an element that is answered in the place of the server leaves the batch, and the others stay as they were', async () => {
  const { client, proxy } = await proxied(serverCommand('raw-echo'), [rule(faults.errorResponse, onRefund)]);
  client.raw(`[ ${echo(1, 'a')} , ${refund(2)},\t${echo(3, 'b')} ]\n[${refund(4)}]\n`);
  client.end();
  await proxy.finished;
  const lines = client.received().toString().trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('['))).toEqual([`[ ${echo(1, 'a')},\t${echo(3, 'b')} ]`]);
  expect(lines.filter((line) => line.startsWith('{')).map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([2, 4]);
});

test('an answer in a batch is edited in its place', async () => {
  const { client, proxy, journal } = await proxied(bank, [rule(faults.emptyResult, onRefund)]);
  client.raw(`[${echo(1, 'a')},${refund(2)},${echo(3, 'b')}]\n`);
  client.end();
  await proxy.finished;
  const text = (value: string): string => `"result":{"content":[{"type":"text","text":"${value}"}]}`;
  expect(client.received().toString()).toBe(
    `[{"jsonrpc":"2.0","id":1,${text('a')}},{"jsonrpc":"2.0","id":2,"result":{"content":[]}},{"jsonrpc":"2.0","id":3,${text('b')}}]\n`,
  );
  expect(journal.flatMap((entry) => (entry.kind === 'call' ? [[entry.id, entry.outcome]] : []))).toEqual([
    [1, 'ok'],
    [2, 'ok'],
    [3, 'ok'],
  ]);
});

test('an answer that comes late comes alone, and one that is lost is missing', async () => {
  const slow = rule(faults.latency, { ...onRefund, params: { addedMs: 20, jitterMs: 0 }, phase: 'post', at: { nth: [1] } });
  const { client, proxy } = await proxied(bank, [slow, rule(faults.lostAck, { ...onRefund, at: { nth: [2] } })]);
  client.raw(`[${refund(1)},${echo(2, 'a')},${refund(3)}]\n`);
  expect((await client.line((message) => Array.isArray(message)))!).toMatchObject([{ id: 2 }]);
  expect(await client.text(1)).toBe('refund 1');
  client.end();
  await proxy.finished;
  expect(client.received().toString()).not.toContain('"id":3');
});
