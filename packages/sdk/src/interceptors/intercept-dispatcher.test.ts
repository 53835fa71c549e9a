import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { Agent, errors, fetch as undiciFetch, getGlobalDispatcher, request, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import type { Run } from '../controller/run.js';
import { startPlan } from '../controller/start-plan.js';
import { interceptDispatcher } from './intercept-dispatcher.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const ANSWER = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'paid: 5 €' }] } });

/** A real server: MCP as JSON or events, and a page that is neither. `seen` has the bodies. */
async function serve(as: 'json' | 'events'): Promise<{ url: string; seen: string[]; server: Server }> {
  const seen: string[] = [];
  const answer = (response: ServerResponse): void => {
    if (as === 'json') response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`id: 7\nevent: message\ndata: ${ANSWER}\n\n`);
  };
  const server = createServer((message, response) => {
    const parts: Buffer[] = [];
    message.on('data', (part: Buffer) => parts.push(part));
    message.on('end', () => {
      seen.push(Buffer.concat(parts).toString());
      if (message.url === '/page') response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-Case': 'Kept' }).end('page');
      else answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

function start(rules: readonly object[] = []): { run: Run; agent: Agent; undo: () => void } {
  const run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });
  const agent = new Agent();
  const undo = interceptDispatcher(run, agent, { target: 'bank' });
  closing.push(
    () => agent.destroy(),
    () => run.stop(),
  );
  return { run, agent, undo };
}

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pay', arguments: {} } });
const post = (body: unknown = BODY): { method: 'POST'; headers: Record<string, string>; body: string } => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: body as string,
});

/** How a client of undici may ask. Node's own fetch is another copy of undici, reached through the global dispatcher. */
const ASKING = {
  'undici fetch': async (url: string, agent: Agent, signal?: AbortSignal) => {
    const response = await undiciFetch(url, { ...post(), dispatcher: agent, ...(signal === undefined ? {} : { signal }) });
    return { status: response.status, headers: Object.fromEntries(response.headers), text: () => response.text() };
  },
  'built-in fetch': async (url: string, agent: Agent, signal?: AbortSignal) => {
    const before = getGlobalDispatcher();
    setGlobalDispatcher(agent);
    try {
      const response = await fetch(url, { ...post(), ...(signal === undefined ? {} : { signal }) });
      return { status: response.status, headers: Object.fromEntries(response.headers), text: () => response.text() };
    } finally {
      setGlobalDispatcher(before);
    }
  },
  'undici request': async (url: string, agent: Agent, signal?: AbortSignal) => {
    const { statusCode, headers, body } = await request(url, { ...post(), dispatcher: agent, ...(signal === undefined ? {} : { signal }) });
    return { status: statusCode, headers: headers as Record<string, string>, text: () => body.text() };
  },
} as const;
const isFetch = (name: string): boolean => name.endsWith('fetch');

describe.each(Object.entries(ASKING))('%s', (name, ask) => {
  test.each(['json', 'events'] as const)('what no rule looks at comes back as it is, as %s', async (as) => {
    const { url, seen } = await serve(as);
    const { agent } = start([{ fault: 'error-response', when: { target: 'elsewhere' } }]);
    const plain = await ask(url, new Agent());
    const through = await ask(url, agent);
    expect(await through.text()).toBe(await plain.text());
    expect(through.headers['content-type']).toBe(plain.headers['content-type']);
    expect(seen).toEqual([BODY, BODY]);
  });

  test.each(['json', 'events'] as const)('a message is edited inside its body, as %s', async (as) => {
    const { url } = await serve(as);
    const { agent, run } = start([{ id: 'none', fault: 'empty-result' }]);
    const text = await (await ask(url, agent)).text();
    expect(text).toContain(as === 'json' ? '"content":[]' : 'id: 7\nevent: message\ndata: {');
    expect(text).not.toContain('paid');
    expect(run.fired('none')).toBe(1);
  });

  test('a refused connection is the error of a real one', async () => {
    const { url, server } = await serve('json');
    const { agent, undo } = start([{ fault: 'connection-refused' }]);
    const seen = await ask(url, agent).catch((error: unknown) => error as Error);
    undo();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const real = await ask(url, agent).catch((error: unknown) => error as Error);
    const look = (error: unknown): unknown => {
      const { message, code, syscall, address, port } = (isFetch(name) ? (error as Error).cause : error) as Record<string, unknown>;
      return { what: (error as Error).message, message, code, syscall, address, port };
    };
    expect(look(seen)).toEqual(look(real));
    expect(look(seen)).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('an answer that is cut breaks in the middle of its body, after what came before', async () => {
    const { url } = await serve('json');
    const { agent } = start([{ fault: 'truncate', params: { keepRatio: 0.5, how: 'end' } }]);
    const response = await ask(url, agent);
    const error = await response.text().then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    const cause = isFetch(name) ? (error?.cause as Error) : error;
    expect(error?.message).toBe(isFetch(name) ? 'terminated' : 'other side closed');
    expect(cause).toMatchObject({ name: 'SocketError', code: 'UND_ERR_SOCKET' });
    expect(cause).toBeInstanceOf(errors.SocketError);
    expect(cause).toBeInstanceOf(errors.UndiciError);
  });

  test('a rate limit says when to come back', async () => {
    const { url, seen } = await serve('json');
    const { agent } = start([{ fault: 'rate-limit', params: { retryAfterSeconds: 7 } }]);
    const response = await ask(url, agent);
    expect([response.status, response.headers['retry-after'], seen.length]).toEqual([429, '7', 0]);
    await response.text();
  });

  test('a hang ends when its caller gives up, or when the run stops', async () => {
    const { url } = await serve('json');
    const { agent, run } = start([{ id: 'hang', fault: 'hang' }]);
    const giveUp = new AbortController();
    const first = ask(url, agent, giveUp.signal);
    const asserted = expect(first).rejects.toMatchObject({ name: 'AbortError' });
    await expect.poll(() => run.fired('hang')).toBe(1);
    giveUp.abort();
    await asserted;
    const second = ask(url, agent);
    await expect.poll(() => run.fired('hang')).toBe(2);
    run.stop();
    expect(await (await second).text()).toBe(ANSWER);
  });
});

describe('a dispatcher', () => {
  test('passes what is no MCP message with its own handler, and is put back exactly', async () => {
    const { url, seen } = await serve('json');
    const { agent, undo } = start([{ fault: 'error-response' }]);
    const page = await request(`${url}/page`, { dispatcher: agent });
    expect(page.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(await page.body.text()).toBe('page');
    const body = Readable.from(['{"prompt":', '"hello €"}']);
    const other = await request(url, { ...post(), body, dispatcher: agent });
    expect(await other.body.text()).toBe(ANSWER);
    expect(seen).toEqual(['', '{"prompt":"hello €"}']);
    expect(Object.hasOwn(agent, 'dispatch')).toBe(true);
    undo();
    expect(Object.hasOwn(agent, 'dispatch')).toBe(false);
    expect(agent.dispatch).toBe(Agent.prototype.dispatch);
  });

  test('under a guard it hands on the very request and handler', () => {
    const run = startPlan({ rules: [{ fault: 'error-response' }] }, { isAllowed: () => false });
    const seen: unknown[] = [];
    const dispatcher = { dispatch: (...args: unknown[]) => (seen.push(...args), true) };
    interceptDispatcher(run, dispatcher);
    const [options, handler] = [{ path: '/', method: 'POST' }, {}];
    expect((dispatcher.dispatch as (...args: unknown[]) => boolean)(options, handler)).toBe(true);
    expect(seen[0]).toBe(options);
    expect(seen[1]).toBe(handler);
    run.stop();
  });
});
