import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { latency } from '@toolquake/sdk/faults';
import { proxied, proxyCommand, rule, serverCommand, start } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'toolquake-stdio-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const idlePlan = join(folder, 'idle.json');
writeFileSync(
  idlePlan,
  JSON.stringify({ version: 1, seed: 1, rules: [{ id: 'never', fault: 'latency', when: { tool: 'no_such_tool' } }] }),
);

const modes: readonly (readonly [string, readonly string[]])[] = [
  ['nothing to do', []],
  ['a journal', ['--journal', join(folder, 'run.jsonl')]],
  ['a plan that matches nothing', ['--plan', idlePlan]],
];

const hello = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'scripted', version: '1' } },
};

/** One conversation, step by step (answers in a fixed order); resolves to everything the client received. */
async function converse(command: readonly string[], steps: readonly object[]): Promise<Buffer> {
  const { client, exited, child } = start(command);
  child.stderr?.resume();
  for (const step of steps) {
    client.send(step);
    if ('id' in step) await client.answer(step.id as number);
  }
  client.end();
  await exited;
  return client.received();
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe.each(modes)('with %s', (_name, options) => {
  test('a scripted conversation with our own server is the same to the last byte', async () => {
    const bank = serverCommand('bank');
    const call = (id: number | string, name: string, args: object = {}) => ({
      id,
      method: 'tools/call',
      params: { name, arguments: args },
    });
    const steps = [
      hello,
      { method: 'notifications/initialized' },
      { id: 'list', method: 'tools/list' },
      call(1, 'echo', { text: 'grüße ✓ \u2028 🌍' }),
      call('two', 'shout'),
      call(3, 'big', { bytes: 3_000_000 }),
      { id: 4, method: 'no/such' },
    ];
    const direct = await converse(bank, steps);
    expect(direct.length).toBeGreaterThan(3_000_000);
    expect(hashOf(await converse(proxyCommand(bank, ...options), steps))).toBe(hashOf(direct));
  });

  test('a scripted conversation with a published server is the same to the last byte', async () => {
    const everything = [
      process.execPath,
      createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
      'stdio',
    ];
    const steps = [
      hello,
      { id: 1, method: 'tools/list' },
      { id: 2, method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } },
      { id: 3, method: 'prompts/list' },
      { id: 4, method: 'ping' },
    ];
    const direct = await converse(everything, steps);
    expect(hashOf(await converse(proxyCommand(everything, ...options), steps))).toBe(hashOf(direct));
  });

  test('bytes that are no messages, and a last line without a newline, pass as they are', async () => {
    const bytes = Buffer.concat([Buffer.from('\n\r\n[]\n{"id":\n'), Buffer.from([0xff, 0x00, 0xc3, 0x0a]), Buffer.from('{"unterminated')]);
    const { client, exited, child } = start(proxyCommand(serverCommand('raw-echo'), ...options));
    child.stderr?.resume();
    client.raw(bytes);
    client.end();
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(client.received()).toEqual(bytes);
  });

  test('a reader that takes its time is never outrun by more than a few buffers', async () => {
    const total = 32 * 1024 * 1024;
    const { child, exited, stderr } = start(proxyCommand(serverCommand('endless', String(total)), ...options));
    child.stdout?.removeAllListeners('data').pause();
    let taken = 0;
    let lead = 0;
    for await (const chunk of child.stdout ?? []) {
      taken += (chunk as Buffer).length;
      const sent = Number(
        stderr
          .received()
          .toString()
          .match(/^\d+(?=\n)/gm)
          ?.at(-1) ?? 0,
      );
      lead = Math.max(lead, sent - taken);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(taken).toBe(total + 1);
    expect(lead).toBeLessThan(4 * 1024 * 1024);
    await exited;
  });
});

test('any bytes in any chunking come back identical through a proxy whose rules match nothing', async () => {
  const { client, proxy } = await proxied(serverCommand('raw-echo'), [rule(latency, { when: { tool: ['no_such_tool'] } })], {
    maxFrameBytes: 48,
  });
  const sent: Buffer[] = [];
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc
      .constantFrom('\n', '\r\n', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n', '{"id":1,"result":{}}\n', '"')
      .map((text) => Buffer.from(text)),
  );
  let total = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const token = `end ${sent.length}`;
      for (const bytes of [...pieces, Buffer.from(`\n${token}\n`)]) {
        sent.push(Buffer.from(bytes));
        total += bytes.length;
        client.raw(bytes);
      }
      await client.line((_message, text) => text === token);
      expect(client.received().length).toBe(total);
    }),
    { numRuns: 200 },
  );
  client.end();
  await proxy.finished;
  expect(client.received().equals(Buffer.concat(sent))).toBe(true);
});

test('an answer of 64 MiB passes a proxy that waits for it, at flat memory', async () => {
  const { client, child, exited } = start(proxyCommand(serverCommand('bank'), '--journal', join(folder, 'large.jsonl')));
  child.stderr?.resume();
  client.call(0, 'echo', { text: 'warm' });
  await client.answer(0);
  const peakMiB = (): number => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = peakMiB();
  client.call(1, 'big', { bytes: 64 * 1024 * 1024 });
  expect((await client.text(1))?.length).toBe(64 * 1024 * 1024);
  expect(peakMiB() - before).toBeLessThan(64);
  client.end();
  expect(await exited).toEqual({ code: 0, signal: null });
});
