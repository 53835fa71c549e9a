import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import {
  EMPTY_PLAN,
  answer,
  defineFault,
  disconnect,
  editFrame,
  emit,
  forward,
  frameFromMessage,
  frameObject,
  hold,
  pace,
  signalServer,
  withResult,
} from '../core/index.js';
import type { Effect, Fault, FaultRole, JournalEntry, Plan, Rule, TrafficEvent } from '../core/index.js';
import { errorResponse } from '../faults/error-response.js';
import { latency } from '../faults/latency.js';
import { wrapFetch, type WrapFetchOptions } from './fetch.js';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Handler = (request: { body: string; message: IncomingMessage }, response: ServerResponse) => void;

/** A real loopback server; `seen` holds the bodies that reached it. */
async function serve(handler: Handler): Promise<{ url: string; seen: string[]; server: Server }> {
  const seen: string[] = [];
  const server = createServer((message, response) => {
    const parts: Buffer[] = [];
    message.on('data', (part: Buffer) => parts.push(part));
    message.on('end', () => {
      const body = Buffer.concat(parts).toString();
      seen.push(body);
      handler({ body, message }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen, server };
}

/** Answers tool calls as JSON or as an event stream. */
const mcp =
  (as: 'json' | 'events'): Handler =>
  ({ body }, response) => {
    const request = JSON.parse(body) as { id?: number; params?: { name?: string } };
    if (request.id === undefined) return void response.writeHead(202).end();
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: request.id,
      result: { content: [{ type: 'text', text: `did ${request.params?.name} é` }] },
    });
    if (as === 'json') response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`: hello\n\nid: 7\nevent: message\ndata: ${text}\n\n`);
  };

const small = (role: FaultRole, decide: (event: TrafficEvent) => readonly Effect[], trigger: 'call' | 'connect' = 'call'): Fault =>
  defineFault({ type: 'small', summary: 'For a test.', carriers: ['mcp'], role, trigger, params: {}, decide });

const onRequest = (role: FaultRole, decide: (event: TrafficEvent & { kind: 'frame' }) => readonly Effect[]): Fault =>
  small(role, (event) => (event.kind === 'frame' && event.part === 'request' ? decide(event) : []));

const onAnswer = (role: FaultRole, decide: (event: TrafficEvent & { kind: 'frame' }) => readonly Effect[]): Fault =>
  small(role, (event) => (event.kind === 'frame' && event.part === 'answer' ? decide(event) : []));

function planOf(fault: Fault, rule: Partial<Rule> = {}): Plan {
  const params = Object.fromEntries(Object.entries(fault.params).map(([name, spec]) => [name, spec.default]));
  const filled: Rule = {
    id: 'rule',
    fault,
    params,
    when: {},
    at: {},
    probability: 1,
    shape: { kind: 'iid' },
    phase: fault.phases[0]!,
    isEnabled: true,
    ...rule,
  };
  return { ...EMPTY_PLAN, seed: 42, rules: [filled] };
}

function wrap(plan: Plan, options: Partial<WrapFetchOptions> = {}): ReturnType<typeof wrapFetch> {
  const wrapped = wrapFetch(fetch, { plan, isAllowed: () => true, ...options });
  closing.push(() => wrapped.stop());
  return wrapped;
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const callBody = (id: number, name = 'pay'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });
const post = (id: number, extra: RequestInit = {}): RequestInit => ({ method: 'POST', headers, body: callBody(id), ...extra });
const states = (journal: readonly JournalEntry[]): string[] => journal.flatMap((entry) => (entry.kind === 'fault' ? [entry.state] : []));
const outcomes = (journal: readonly JournalEntry[]): string[] => journal.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []));

describe.each(['json', 'events'] as const)('a wrapped fetch, answers as %s', (as) => {
  test('a plan that looks elsewhere gives back the very same Response', async () => {
    const { url } = await serve(mcp(as));
    const given: Response[] = [];
    const wrapped = wrapFetch(async (...args) => (given.push(await fetch(...args)), given.at(-1)!), {
      plan: planOf(errorResponse, { when: { method: ['prompts/get'] } }),
      isAllowed: () => true,
    });
    expect(await wrapped.fetch(url, post(1))).toBe(given[0]);
  });

  test('edits an answer inside its response and leaves the rest alone', async () => {
    const { url } = await serve(mcp(as));
    const fault = onAnswer('data', ({ frame }) => [forward(editFrame(frame, withResult(frameObject(frame)!, { content: [] })))]);
    const response = await wrap(planOf(fault)).fetch(url, post(1));
    const text = await response.text();
    const edited = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
    expect(text).toBe(as === 'json' ? edited : `: hello\n\nid: 7\nevent: message\ndata: ${edited}\n\n`);
    expect(response.headers.get('content-length')).toBeNull();
    expect(response.url).toBe(url);
  });

  test('delays a call without a changed byte', async () => {
    const { url } = await serve(mcp(as));
    const plain = await (await fetch(url, post(1))).text();
    const wrapped = wrap(planOf(latency, { params: { addedMs: 5, jitterMs: 0 } }));
    expect(await (await wrapped.fetch(url, post(1))).text()).toBe(plain);
    expect(outcomes(wrapped.journal)).toEqual(['ok']);
  });

  test('loses an answer: the server did it, the caller waits until its own signal ends', async () => {
    const { url, seen } = await serve(mcp(as));
    const wrapped = wrap(planOf(onAnswer('terminal', ({ frame }) => [hold(frame, 'never')])));
    const giveUp = new AbortController();
    const pending = wrapped.fetch(url, post(1, { signal: giveUp.signal })).then((response) => response.text());
    await expect.poll(() => states(wrapped.journal)).toEqual(['delivered']);
    giveUp.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    expect(seen).toHaveLength(1);
  });

  test('sends a request twice and hands on one answer', async () => {
    const { url, seen } = await serve(mcp(as));
    const fault = small('terminal', (event) => {
      if (event.kind !== 'frame') return [];
      if (event.part === 'request') return [forward(event.frame), forward(event.frame)];
      return event.exchange.answers === 1 ? [forward(event.frame)] : [hold(event.frame, 'never')];
    });
    const text = await (await wrap(planOf(fault)).fetch(url, post(1))).text();
    await expect.poll(() => seen.length).toBe(2);
    expect(text.match(/did pay/g)).toHaveLength(1);
  });

  test('another status takes the place of an answer that was already given', async () => {
    const { url, seen } = await serve(({ body }, response) => {
      if (as === 'json') return mcp('json')({ body, message: undefined as never }, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n`);
    });
    const fault = onAnswer('terminal', () => [answer(undefined, { status: 503, headers: { 'retry-after': '2' }, body: 'no' })]);
    const response = await wrap(planOf(fault)).fetch(url, post(1));
    expect([response.status, response.headers.get('retry-after'), await response.text(), seen.length]).toEqual([503, '2', 'no', 1]);
  });

  test('breaks the connection: fetch fails before the response has begun', async () => {
    const { url } = await serve(mcp(as));
    const wrapped = wrap(planOf(onRequest('terminal', () => [disconnect('reset')])));
    const error = await wrapped.fetch(url, post(1)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNRESET' } });
    expect(outcomes(wrapped.journal)).toEqual(['disconnected']);
  });

  test('heartbeats come as comments of an event stream while the answer does not', async () => {
    const { url } = await serve(mcp(as));
    const fault = small('terminal', (event) => {
      if (event.kind !== 'frame') return [];
      return event.part === 'request' ? [forward(event.frame), emit('heartbeat', { everyMs: 1, count: 3 })] : [hold(event.frame, 'never')];
    });
    const response = await wrap(planOf(fault)).fetch(url, post(1));
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body!.getReader();
    let text = '';
    while (text.split(': keepalive').length <= 3) text += new TextDecoder().decode((await reader.read()).value);
    expect(text).not.toContain('did pay');
    await reader.cancel();
  });

  test('paces an answer in slices that split a character, and nothing is lost', async () => {
    const { url } = await serve(mcp(as));
    const fault = onAnswer('shaping', ({ frame }) => [pace(frame, { sliceBytes: 3, everyMs: 0 })]);
    const response = await wrap(planOf(fault)).fetch(url, post(1));
    expect(await response.text()).toContain('did pay é');
  });

  test('emits what nobody said before the answer', async () => {
    const { url } = await serve(mcp(as));
    const news = frameFromMessage('to-client', { jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    const fault = onRequest('extra', () => [emit(news, { everyMs: 0, count: 2 })]);
    const text = await (await wrap(planOf(fault)).fetch(url, post(1))).text();
    expect(text.indexOf('list_changed')).toBeGreaterThan(-1);
    expect(text.indexOf('list_changed')).toBeLessThan(text.indexOf('did pay'));
  });

  test('a frozen server answers when it moves again', async () => {
    const { url } = await serve(mcp(as));
    let thaw: (() => void) | undefined;
    const clock = { nowMs: () => 0, schedule: (_ms: number, action: () => void) => ((thaw = action), () => {}) };
    const wrapped = wrap(planOf(onRequest('terminal', ({ frame }) => [signalServer('freeze', 50), forward(frame)])), { clock });
    const pending = wrapped.fetch(url, post(1));
    await expect.poll(() => states(wrapped.journal)).toEqual(['delivered']);
    thaw?.();
    expect(await (await pending).text()).toContain('did pay');
  });

  test('stop sends on what is held and makes fetch plain again', async () => {
    const { url, seen } = await serve(mcp(as));
    const wrapped = wrap(planOf(onRequest('terminal', ({ frame }) => [hold(frame, 'never')])));
    const pending = wrapped.fetch(url, post(1));
    await expect.poll(() => states(wrapped.journal)).toEqual(['delivered']);
    expect(seen).toEqual([]);
    wrapped.stop();
    expect(await (await pending).text()).toContain('did pay');
    expect(await (await wrapped.fetch(url, post(2))).text()).toContain('"id":2');
    expect(wrapped.journal.at(-1)).toMatchObject({ kind: 'end', fired: { rule: 1 } });
  });
});

describe('errors as a real fetch has them', () => {
  test('a refused connection, for a while, then the server again', async () => {
    const { url, seen } = await serve(mcp('json'));
    let nowMs = 0;
    const clock = { nowMs: () => nowMs, schedule: () => () => {} };
    const wrapped = wrap(
      planOf(
        small('terminal', (event) => (event.kind === 'connect' ? [disconnect('refuse', 100)] : []), 'connect'),
        { at: { first: 1 } },
      ),
      { clock },
    );
    const real = await fetch('http://127.0.0.1:1/').catch((reason: unknown) => reason);
    for (const atMs of [0, 99]) {
      nowMs = atMs;
      const error = await wrapped.fetch(url, post(1)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: (real as Error).name, message: (real as Error).message, cause: { code: 'ECONNREFUSED' } });
    }
    nowMs = 100;
    expect((await wrapped.fetch(url, post(1))).status).toBe(200);
    expect(seen).toHaveLength(1);
    expect(states(wrapped.journal)).toEqual(['delivered']);
  });

  test('a call that hangs rejects with the reason of its signal, timeouts too', async () => {
    const { url } = await serve(mcp('json'));
    const wrapped = wrap(planOf(onRequest('terminal', ({ frame }) => [hold(frame, 'never')])));
    await expect(wrapped.fetch(url, post(1, { signal: AbortSignal.timeout(5) }))).rejects.toMatchObject({ name: 'TimeoutError' });
    const request = new Request(url, post(2, { signal: AbortSignal.timeout(5) }));
    await expect(wrapped.fetch(request)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('a signal that was aborted before sends nothing', async () => {
    const { url, seen } = await serve(mcp('json'));
    await expect(wrap(planOf(errorResponse)).fetch(url, post(1, { signal: AbortSignal.abort() }))).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(seen).toEqual([]);
  });

  test('a stream that is cut errors after the bytes that came, or ends, as the fault says', async () => {
    const { url } = await serve((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write('data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n');
      response.write('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
    });
    for (const how of ['reset', 'end'] as const) {
      const wrapped = wrap(planOf(onAnswer('terminal', () => [disconnect(how)])));
      const response = await wrapped.fetch(url, post(1));
      const reader = response.body!.getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toContain('notifications/message');
      const next = await reader.read().catch((reason: unknown) => reason);
      expect(next).toMatchObject(how === 'end' ? { done: true } : { message: 'terminated', cause: { code: 'ECONNRESET' } });
    }
  });

  test('a body that the server cuts short fails as it does without us', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"jsonrpc"', () => response.destroy());
    });
    const real = await fetch(url, post(1))
      .then((response) => response.text())
      .catch((reason: unknown) => reason);
    const ours = await wrap(planOf(latency))
      .fetch(url, post(1))
      .then((response) => response.text())
      .catch((reason: unknown) => reason);
    expect(String(ours)).toBe(String(real));
  });
});

describe('the guard', () => {
  test('injects nothing unless CHAOS_ENABLED is true, and says why', () => {
    const problems: string[] = [];
    const wrapped = wrapFetch(fetch, { plan: planOf(errorResponse), onProblem: (error) => problems.push(String(error)) });
    expect(wrapped.fetch).toBe(fetch);
    expect(problems[0]).toContain('CHAOS_ENABLED is not "true"');
    expect(wrapped.journal[0]).toMatchObject({ kind: 'start', guarded: 'CHAOS_ENABLED is not "true"' });
  });
});

describe('untouched traffic', () => {
  const watching = planOf(errorResponse, { probability: 0 });

  test('is byte-identical for any body, any type and any chunking', async () => {
    const script: { type: string; chunks: Uint8Array[] } = { type: '', chunks: [] };
    const { url, seen } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': script.type });
      for (const chunk of script.chunks) response.write(chunk);
      response.end();
    });
    const wrapped = wrap(watching, { observesAll: true });
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 30 }),
      fc.constantFrom('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n', '\r\n', 'é').map((text) => new TextEncoder().encode(text)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('application/json', 'text/event-stream', 'text/html'),
        fc.array(piece, { maxLength: 8 }),
        async (type, chunks) => {
          Object.assign(script, { type, chunks });
          const body = new Uint8Array(await (await wrapped.fetch(url, post(1))).arrayBuffer());
          expect(Buffer.from(body)).toEqual(Buffer.concat(chunks));
        },
      ),
      { numRuns: 60 },
    );
    expect(new Set(seen)).toEqual(new Set([callBody(1)]));
  });

  test('request bodies arrive unchanged whatever they are made of', async () => {
    const { url, seen } = await serve(mcp('json'));
    const wrapped = wrap(watching, { observesAll: true });
    const bytes = new TextEncoder().encode(callBody(1));
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 9));
        controller.enqueue(bytes.subarray(9));
        controller.close();
      },
    });
    const bodies: RequestInit[] = [
      { body: callBody(1) },
      { body: bytes },
      { body: bytes.buffer },
      { body: stream, duplex: 'half' } as RequestInit,
    ];
    for (const extra of bodies) await (await wrapped.fetch(url, post(1, extra))).text();
    await (await wrapped.fetch(new Request(url, post(1)))).text();
    expect(seen).toEqual(Array.from({ length: 5 }, () => callBody(1)));
    expect(outcomes(wrapped.journal)).toEqual(Array.from({ length: 5 }, () => 'ok'));
  });

  test('an answer over the size limit is streamed on, and can still be lost', async () => {
    const big = `{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(5000)}"}}`;
    for (const type of ['application/json', 'text/event-stream']) {
      const body = type === 'application/json' ? big : `data: ${big}\n\n`;
      const { url } = await serve((_request, response) => void response.writeHead(200, { 'content-type': type }).end(body));
      const late = wrap(planOf(latency, { params: { addedMs: 2, jitterMs: 0 } }), { maxFrameBytes: 1000 });
      expect(await (await late.fetch(url, post(1))).text()).toBe(body);
      const lost = wrap(planOf(onAnswer('terminal', ({ frame }) => [hold(frame, 'never')])), { maxFrameBytes: 1000 });
      const giveUp = new AbortController();
      const pending = lost.fetch(url, post(1, { signal: giveUp.signal })).then((response) => response.text());
      const ended = expect(pending).rejects.toMatchObject({ name: 'AbortError' });
      await expect.poll(() => states(lost.journal)).toEqual(['delivered']);
      giveUp.abort();
      await ended;
    }
  });
});
