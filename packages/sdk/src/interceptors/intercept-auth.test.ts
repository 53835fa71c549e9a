import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Run } from '../controller/run.js';
import { startPlan } from '../controller/start-plan.js';
import { handClock } from '../core/fixtures/hand-clock.js';
import * as faults from '../faults/index.js';
import { bearerChallenge } from '../core/header-value.js';
import { completeChallenge, readChallenge } from './auth-challenge.js';
import { whyNotAtGate } from './auth-ends.js';
import { interceptAuth } from './intercept-auth.js';

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const start = (...rules: readonly object[]): Run => startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });
const post = (message: unknown, more: RequestInit & { readonly token?: string } = {}): Request =>
  new Request('http://service.example/mcp', {
    method: 'POST',
    body: JSON.stringify(message),
    ...more,
    headers: {
      'content-type': 'application/json',
      ...(more.token === undefined ? {} : { authorization: `Bearer ${more.token}` }),
      ...(more.headers as Record<string, string> | undefined),
    },
  });
const call = (tool: string, id: number | string = 1): object => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool } });
const echo = async (request: Request): Promise<Response> => new Response(`handler got ${await request.text()}`);

describe('a gate before a web handler', () => {
  test('hands on the very request, unread, and the very response, where no rule looks', async () => {
    for (const run of [start(), start({ fault: 'unauthorized', when: { tool: 'other' } })]) {
      const request = post(call('pay'));
      const response = new Response('fine');
      let given: Request | undefined;
      const answer = await interceptAuth(run).handle(request, async (one) => {
        given = one;
        expect(await one.json()).toEqual(call('pay'));
        return response;
      });
      expect(given).toBe(request);
      expect(answer).toBe(response);
    }
  });

  test('answers 401 with the challenge that the resource would send', async () => {
    const run = start({ id: 'out', fault: 'unauthorized' });
    const gate = interceptAuth(run, { target: 'bank', resourceMetadata: METADATA, scope: 'tools:read' });
    const response = await gate.handle(post(call('pay'), { token: 'old' }), echo);
    expect(response.status).toBe(401);
    expect(readChallenge(response.headers.get('www-authenticate')!)).toEqual({
      error: 'invalid_token',
      error_description: 'The access token is missing or not valid',
      scope: 'tools:read',
      resource_metadata: METADATA,
    });
    // Who brought no token is not told that it is a bad one.
    const blind = await gate.handle(post(call('pay')), echo);
    expect(blind.headers.get('www-authenticate')).toBe(`Bearer scope="tools:read", resource_metadata="${METADATA}"`);
    expect(run.fired('out')).toBe(2);
  });

  test('answers 403 with the scope that is missing, and leaves broken challenges broken', async () => {
    const scoped = interceptAuth(start({ fault: 'insufficient-scope', params: { scope: 'pay:write' } }), {
      resourceMetadata: METADATA,
      scope: 'x',
    });
    const response = await scoped.handle(post(call('pay'), { token: 't' }), echo);
    expect([response.status, readChallenge(response.headers.get('www-authenticate')!)]).toEqual([
      403,
      expect.objectContaining({ error: 'insufficient_scope', scope: 'pay:write', resource_metadata: METADATA }),
    ]);
    for (const challenge of ['missing', 'malformed']) {
      const gate = interceptAuth(start({ fault: 'unauthorized', params: { challenge } }), { resourceMetadata: METADATA });
      const header = (await gate.handle(post(call('pay')), echo)).headers.get('www-authenticate');
      expect(header?.includes(METADATA) ?? false).toBe(false);
      expect(header === null).toBe(challenge === 'missing');
    }
  });

  test('keeps a session out of every door once its token has expired: messages, the stream, the farewell', async () => {
    const run = start({ fault: 'token-expire', when: { tool: 'pay' }, at: { first: 1 } });
    const { handle } = interceptAuth(run);
    const headers = { 'mcp-session-id': 's1' };
    const at = (method: string, session: string): Request =>
      new Request('http://service.example/mcp', { method, headers: { accept: 'text/event-stream', 'mcp-session-id': session } });
    const statuses = [];
    for (const request of [
      at('GET', 's1'),
      post(call('pay'), { headers }),
      post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }, { headers }),
      post({ jsonrpc: '2.0', id: 7, result: {} }, { headers }),
      at('GET', 's1'),
      at('DELETE', 's1'),
    ])
      statuses.push((await handle(request, () => new Response())).status);
    expect(statuses).toEqual([200, 401, 401, 401, 401, 401]);
  });

  test('sees a plain request as a call of its route', async () => {
    const run = start(
      { id: 'limit', fault: 'rate-limit', when: { tool: 'GET /weather' }, params: { retryAfterSeconds: 7 } },
      { id: 'lie', fault: 'auth-as-data', when: { tool: 'POST /orders', args: { dry: 'yes' } } },
      { id: 'gone', fault: 'error-response', when: { tool: 'DELETE /*' } },
    );
    const { handle } = interceptAuth(run);
    const ask = async (method: string, path: string): Promise<unknown> => {
      const response = await handle(new Request(`http://service.example${path}`, { method }), () => new Response('fine'));
      return [response.status, response.headers.get('retry-after'), await response.text()];
    };
    expect(await ask('GET', '/weather?city=Bonn')).toEqual([429, '7', '{"error":"Rate limit exceeded. Retry after 7 seconds."}']);
    expect(await ask('POST', '/orders?dry=yes')).toEqual([200, null, '{"message":"Your session has expired. Please sign in again."}']);
    expect(await ask('POST', '/orders')).toEqual([200, null, 'fine']);
    expect(await ask('DELETE', '/orders/5')).toMatchObject([500, null, expect.stringContaining('"error"')]);
    expect(await ask('GET', '/other')).toEqual([200, null, 'fine']);
  });

  test('leaves metadata and preflights open, which clients need before they have a token', async () => {
    const { handle } = interceptAuth(start({ fault: 'unauthorized', when: { method: '*' } }));
    const ask = async (method: string, path: string): Promise<number> =>
      (await handle(new Request(`http://service.example${path}`, { method }), () => new Response())).status;
    expect(await ask('GET', '/.well-known/oauth-protected-resource/mcp')).toBe(200);
    expect(await ask('OPTIONS', '/mcp')).toBe(200);
    expect(await ask('GET', '/mcp')).toBe(401);
  });

  test('holds a request back as long as it was told, whichever way its rule looks', async () => {
    for (const phase of ['pre', 'post']) {
      const clock = handClock();
      const rule = { fault: 'latency', phase, params: { addedMs: 500 } };
      const run = startPlan({ rules: [rule] }, { isAllowed: () => true, clock });
      let isThrough = false;
      const response = interceptAuth(run).handle(new Request('http://service.example/x'), () => ((isThrough = true), new Response('late')));
      await turn();
      clock.advance(499);
      await turn();
      expect(isThrough).toBe(false);
      clock.advance(1);
      expect(await (await response).text()).toBe('late');
    }
  });

  test('lets go of what hangs when the caller gives up, when the rule is cleared and when the run stops', async () => {
    const held = (run: Run, signal?: AbortSignal): Promise<Response> =>
      interceptAuth(run).handle(new Request('http://service.example/x', signal === undefined ? {} : { signal }), () => new Response('on'));
    const giveUp = new AbortController();
    const first = start({ id: 'hang', fault: 'hang' });
    const abandoned = held(first, giveUp.signal);
    await turn();
    expect(first.fired('hang')).toBe(1);
    giveUp.abort();
    expect((await abandoned).status).toBe(503);
    const second = start({ id: 'hang', fault: 'hang' });
    const stopped = held(second);
    await turn();
    second.stop();
    expect(await (await stopped).text()).toBe('on');
    expect(await (await held(start({ fault: 'hang', when: { tool: 'GET /y' } }))).text()).toBe('on');
  });

  test('judges a body that is too large by its first bytes, and hands on all of it', async () => {
    const run = start({ id: 'out', fault: 'unauthorized', when: { tool: 'pay' } });
    const { handle } = interceptAuth(run, { maxFrameBytes: 200 });
    const large = (tool: string): object => ({ ...call(tool), params: { name: tool, arguments: { text: 'x'.repeat(100_000) } } });
    expect((await handle(post(large('pay')), echo)).status).toBe(401);
    expect(await (await handle(post(large('other')), echo)).text()).toBe(`handler got ${JSON.stringify(large('other'))}`);
  });

  test('stands behind another gate, each with a target of its own', async () => {
    const run = start(
      { id: 'token', fault: 'unauthorized', when: { target: 'oauth-token', tool: 'a' } },
      { id: 'key', fault: 'insufficient-scope', when: { target: 'api-key', tool: 'b' } },
    );
    const [outer, inner] = [interceptAuth(run, { target: 'oauth-token' }), interceptAuth(run, { target: 'api-key' })];
    const ask = async (tool: string): Promise<number> =>
      (await outer.handle(post(call(tool)), (request) => inner.handle(request, echo))).status;
    expect([await ask('a'), await ask('b'), await ask('c')]).toEqual([401, 403, 200]);
    expect([run.fired('token'), run.fired('key')]).toEqual([1, 1]);
  });

  test('names the session by its client, whichever order the ids come in', async () => {
    const run = start({ id: 'out', fault: 'unauthorized' });
    const { handle } = interceptAuth(run, { target: 'bank' });
    const hello = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { clientInfo: { name: 'agent' } } };
    await handle(post(hello), () => new Response());
    await handle(post(call('pay'), { headers: { 'mcp-session-id': 'random' } }), echo);
    const modern = { ...call('pay'), params: { name: 'pay', _meta: MODERN } };
    await handle(post(modern), echo);
    expect(run.journal.filter(({ kind }) => kind === 'fault')).toMatchObject([{ session: 'agent@bank#1' }, { session: 'new@bank#1' }]);
  });

  test('says nothing of what it is', async () => {
    const types = ['unauthorized', 'insufficient-scope', 'token-expire', 'auth-as-data', 'http-status', 'rate-limit', 'tool-error'];
    for (const fault of [...types, 'error-response', 'session-lost']) {
      for (const request of [post(call('pay')), new Request('http://service.example/pay')]) {
        const response = await interceptAuth(start({ fault })).handle(request, () => new Response('handler'));
        const said = `${[...response.headers].join()} ${await response.text()}`;
        expect(said).not.toMatch(/chaos|inject|toolquake|fault|handler/i);
      }
    }
  });

  test('goes on with the request when we are wrong ourselves', async () => {
    const problems: unknown[] = [];
    const run = startPlan({ rules: [{ fault: 'unauthorized' }] }, { isAllowed: () => true, onProblem: (error) => problems.push(error) });
    const broken = Object.assign(post(call('pay')), {
      clone: () => {
        throw new Error('no clone');
      },
    });
    expect(await (await interceptAuth(run).handle(broken, echo)).text()).toContain('handler got');
    expect(problems).toHaveLength(1);
  });
});

describe('what a gate cannot do', () => {
  test.each([
    [{ fault: 'connection-drop' }, /given has none/],
    [{ fault: 'schema-drift' }, /never sees what became of it/],
    [{ fault: 'hang', phase: 'post' }, /write phase: pre/],
    [{ fault: 'connection-refused' }, /before anything comes to the gate/],
  ])('is refused when it is used: %j', (rule, why) => {
    const run = start();
    interceptAuth(run, { target: 'bank' });
    expect(() => run.use(rule)).toThrow(why);
    try {
      run.inject(rule);
    } catch (error) {
      expect(error).toMatchObject({ code: 'WRONG_CARRIER', advice: expect.stringMatching(/What can: .*unauthorized/) as unknown });
    }
    expect(run.plan.rules).toEqual([]);
  });

  test('is all that is left over: every fault it takes is delivered, by each gate', async () => {
    for (const fault of Object.values(faults)) {
      if (whyNotAtGate(fault, fault.phases[0], false) !== undefined) continue;
      const run = start();
      const { handle } = interceptAuth(run);
      const method = fault.methods.find((one) => one !== '*') ?? 'tools/call';
      run.use({ id: 'it', fault: fault.type });
      const message = { jsonrpc: '2.0', id: 1, method, params: { name: 'pay', protocolVersion: '2025-11-25', clientInfo: { name: 'a' } } };
      const responses = [];
      // A quota takes some calls to use up.
      for (let calls = 0; calls < 200 && run.fired('it') === 0; calls++) {
        responses.push(handle(post(message), () => new Response('on')));
        await turn();
        await turn();
      }
      expect([fault.type, run.fired('it')]).toEqual([fault.type, 1]);
      run.stop();
      await Promise.all(responses);
    }
  });
});

describe('a challenge', () => {
  const word = fc.stringMatching(/^[ -~]{0,20}$/);

  test('is read back as it was written', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.stringMatching(/^[a-z_]{1,8}$/),
          word.filter((text) => text !== ''),
        ),
        (params) => {
          expect(readChallenge(bearerChallenge(params))).toEqual({ ...params });
        },
      ),
    );
  });

  test('is left alone in whatever cannot be read', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const answer = { status: 401, headers: { 'www-authenticate': header }, body: '' };
        if (readChallenge(header) === undefined)
          expect(completeChallenge(answer, { resourceMetadata: METADATA, scope: '' }, true)).toBe(answer);
      }),
    );
    expect(readChallenge(`Bearer a="${'\\'.repeat(50_000)}`)).toBeUndefined();
  });
});

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'new' },
};

/** All that is ready to happen happens. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
