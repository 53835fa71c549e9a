// Whatever answers, the dialler ends in bounded time with one reason, and never breaks.
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { TargetFailure } from '../../packages/toolquake/src/core/connection.js';
import { isFailureReason } from '../../packages/toolquake/src/core/failure-reason.js';
import { judgeTools, schemaProblem } from '../../packages/toolquake/src/gates/judge-tools.js';
import { listening, startScript, healthyResult, type Script } from '../../packages/toolquake/src/sick-servers/mcp-script.js';
import { openConnection } from '../../packages/toolquake/src/targets/open-connection.js';
import type { Budgets } from '../../packages/toolquake/src/targets/target.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** The name of what came of hello and list, or the whole error when it has none. */
async function outcomeAt(url: string, budgets: Partial<Budgets>): Promise<string> {
  try {
    const connection = await openConnection({ name: 'it', kind: 'url', url }, { budgets });
    try {
      await connection.listAll('tools');
      return 'fine';
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof TargetFailure && isFailureReason(error.reason)) return error.reason;
    return `no reason: ${error instanceof Error ? error.stack : String(error)}`;
  }
}

async function start(script: Script): Promise<string> {
  const running = await startScript(script);
  stops.push(() => running.stop());
  return running.url;
}

/** Answers each connection with these bytes. */
async function rawServer(): Promise<{ url: string; say(bytes: Uint8Array, ends: boolean): void }> {
  let bytes: Uint8Array = new Uint8Array();
  let ends = true;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', () => {
      socket.write(bytes);
      if (ends) socket.end();
    });
  });
  const running = await listening(server, 'http');
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    return running.stop();
  });
  return {
    url: running.url,
    say(next, isEnding) {
      bytes = next;
      ends = isEnding;
    },
  };
}

const head = (type: string): string => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`;

test('random bytes as an answer end with one reason, whatever they are', async () => {
  const server = await rawServer();
  const opening = fc.constantFrom(
    '',
    'HTTP/1.1 ',
    head('application/json'),
    head('text/event-stream'),
    head('text/event-stream') + 'data: {"jsonrpc":"2.0",',
  );
  await fc.assert(
    fc.asyncProperty(opening, fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (start, noise, ends) => {
      server.say(Buffer.concat([Buffer.from(start), noise]), ends);
      const outcome = await outcomeAt(server.url, { helloMs: 100, listMs: 100 });
      expect(outcome).not.toMatch(/^no reason/);
      expect(outcome).not.toBe('unknown');
    }),
    { numRuns: 200 },
  );
});

test('random JSON as an answer ends with one reason, or is accepted', async () => {
  let answer: unknown;
  const url = await start((turn) => {
    if (turn.message['id'] === undefined) return false;
    turn.raw(200, 'application/json', JSON.stringify(isLike(answer) ? { jsonrpc: '2.0', id: turn.message['id'], ...answer } : answer));
    return true;
  });
  const isLike = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);
  const messages = fc.oneof(
    fc.jsonValue(),
    fc.record({ result: fc.jsonValue() }),
    fc.record({ error: fc.jsonValue() }),
    fc.record({ result: fc.record({ supportedVersions: fc.jsonValue(), capabilities: fc.jsonValue() }) }),
    fc.record({ error: fc.record({ code: fc.constantFrom(-32022, -32601, 1.5, 0), message: fc.jsonValue(), data: fc.jsonValue() }) }),
  );
  await fc.assert(
    fc.asyncProperty(messages, async (message) => {
      answer = message;
      expect(await outcomeAt(url, { helloMs: 2000, listMs: 2000 })).not.toMatch(/^no reason|^unknown$/);
    }),
    { numRuns: 150 },
  );
});

const onList =
  (answer: Parameters<Script>[0] extends infer Turn ? (turn: Turn) => void : never): Script =>
  (turn) => {
    if (turn.method !== 'tools/list') return false;
    answer(turn);
    return true;
  };
const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });

test.each<[name: string, script: Script, budgets: Partial<Budgets>, reason: string]>([
  [
    'an endless list of fresh cursors',
    onList((turn) => turn.result({ ...healthyResult('tools/list', {}), nextCursor: `page-${Math.random()}` })),
    { maxPages: 20 },
    'pagination_runaway',
  ],
  [
    'a huge list',
    onList((turn) =>
      turn.result({ ...healthyResult('tools/list', {}), tools: Array.from({ length: 2000 }, (_, index) => tool(`t${index}`)) }),
    ),
    { maxItems: 1000 },
    'answer_too_large',
  ],
  [
    'a body that never ends',
    onList(({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536, 0x20), more));
      more();
    }),
    { maxAnswerBytes: 1_000_000 },
    'answer_too_large',
  ],
  [
    'an event that never ends',
    onList(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: ');
      const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536, 0x61), more));
      more();
    }),
    { maxAnswerBytes: 1_000_000 },
    'answer_too_large',
  ],
  [
    'a stream of comments',
    onList(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = (): void => void (response.destroyed || response.write(': still here\n\n', () => setImmediate(more)));
      more();
    }),
    { listMs: 500 },
    'sse_no_final_response',
  ],
  [
    'nesting that would exhaust a stack',
    onList((turn) =>
      turn.raw(200, 'application/json', `{"jsonrpc":"2.0","id":2,"result":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_001)}`),
    ),
    {},
    'answer_too_large',
  ],
  [
    'headers without an end',
    ({ response }) => (response.socket?.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`), true),
    {},
    'http_malformed',
  ],
  [
    'an answer that is compressed unasked',
    onList((turn) => turn.raw(200, 'application/json', '\u001f\u008b\u0008', { 'content-encoding': 'gzip' })),
    {},
    'jsonrpc_parse_error',
  ],
  [
    'a redirect to somewhere inside',
    (turn) => (turn.raw(307, undefined, '', { location: 'http://169.254.169.254/' }), true),
    {},
    'http_redirect_unexpected',
  ],
])('%s is given up as a named failure', async (_, script, budgets, reason) => {
  expect(await outcomeAt(await start(script), { helloMs: 20_000, listMs: 20_000, ...budgets })).toBe(reason);
});

test('a schema that refers to the network is refused without asking the network', () => {
  expect(schemaProblem({ name: 'a', inputSchema: { type: 'object', $ref: 'http://127.0.0.1:9/schema' } })).toBe(
    'its inputSchema refers to another document',
  );
});

test('a schema bomb costs a bounded walk', () => {
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, { type: 'string' }])),
  };
  expect(judgeTools([{ name: 'a', inputSchema: wide }], [])).toMatchObject([{ reason: 'tool_schema_invalid' }]);
});

test('any schema is judged, and none breaks the judge', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (schema) =>
        void judgeTools(
          [{ name: 'a', inputSchema: schema as never }, schema as never].filter(
            (one) => typeof one === 'object' && one !== null && !Array.isArray(one),
          ),
          ['b'],
        ),
    ),
  );
});

test('private addresses are refused where only public ones are allowed', async () => {
  const url = await start(() => false);
  const target = { name: 'it', kind: 'url', url: url.replace('127.0.0.1', 'inside.example'), publicOnly: true } as const;
  const resolve = (): Promise<{ address: string; family: number }[]> => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  await expect(openConnection(target, { resolve })).rejects.toMatchObject({ facts: { reason: 'probe_config_error', step: 'resolve' } });
  await expect(openConnection({ name: 'it', kind: 'url', url, publicOnly: true })).rejects.toMatchObject({
    facts: { reason: 'probe_config_error' },
  });
});
