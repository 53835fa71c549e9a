import { expect, test, vi } from 'vitest';
import { freshController, logged } from './fixtures/fresh-controller.js';
import { createPlainFetch } from './fixtures/plain-fetch.js';
import { ChaosController, createChaosAwareFetch, type FaultConfig } from './index.js';

freshController();

const URL_TEXT = 'http://localhost/';
const inject = (config: FaultConfig): string => ChaosController.getInstance().inject('api', config);
const failure = (promise: Promise<unknown>): Promise<Error & { cause?: unknown }> =>
  promise.then(
    () => expect.unreachable(),
    (error: Error) => error,
  );

test('without a controller nothing is looked at, and the guard is not asked: production is served', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const plain = vi.fn(createPlainFetch());
  const init = {};
  await createChaosAwareFetch('api', plain)(URL_TEXT, init);
  expect(plain.mock.calls[0]?.[1]).toBe(init);
});

test('the answers and errors of every fault', async () => {
  const plain = vi.fn(createPlainFetch({ city: 'NYC', degrees: 21 }));
  const fetch = createChaosAwareFetch('api', plain);
  const meet = async (config: FaultConfig): Promise<Response> => {
    const id = inject(config);
    return fetch(URL_TEXT).finally(() => ChaosController.getInstance().clear(id));
  };
  const seen = async ({ status, headers, ...response }: Response, text = ''): Promise<unknown> => [
    status,
    headers.get('content-type'),
    headers.get('retry-after'),
    text || response,
  ];
  const read = async (response: Response): Promise<unknown> => seen(response, await response.text());
  const JSON_TYPE = 'application/json';
  expect(await read(await meet({ type: 'error', statusCode: 500 }))).toEqual([500, JSON_TYPE, null, '{"error":"Chaos injected error"}']);
  expect(await read(await meet({ type: 'error', statusCode: 503, message: 'gone' }))).toEqual([503, JSON_TYPE, null, '{"error":"gone"}']);
  expect(await read(await meet({ type: 'rate-limit', retryAfterSeconds: 7 }))).toEqual([
    429,
    JSON_TYPE,
    '7',
    '{"error":"Too Many Requests"}',
  ]);
  const malformed = await read(await meet({ type: 'malformed', corruptResponse: true }));
  expect(malformed).toEqual([200, JSON_TYPE, null, '<<<CORRUPTED_RESPONSE>>>{{{{not json']);
  expect(plain).not.toHaveBeenCalled();
  const refused = await failure(meet({ type: 'connection-refused' }));
  expect(refused).toMatchObject({ name: 'TypeError', message: 'fetch failed (chaos: connection refused)' });
  expect(refused.cause).toMatchObject({ code: 'ECONNREFUSED' });
  const late = await failure(meet({ type: 'timeout', hangMs: 1 }));
  expect(late).toMatchObject({ name: 'AbortError', message: 'The operation was aborted' });
  expect(await (await meet({ type: 'schema-mismatch', missingFields: ['degrees'] })).json()).toEqual({ city: 'NYC' });
});

test('corruptResponse: false leaves the answer alone, and is not counted', async () => {
  inject({ type: 'malformed', corruptResponse: false });
  expect((await createChaosAwareFetch('api', createPlainFetch('fine'))(URL_TEXT)).status).toBe(200);
  expect(ChaosController.getInstance().getActiveFaults()[0]?.requestCount).toBe(0);
});

test.each<FaultConfig>([
  { type: 'latency', delayMs: 3_600_000 },
  { type: 'timeout', hangMs: 3_600_000 },
])('a caller that gives up does so at once: $type', async (config) => {
  inject(config);
  const plain = vi.fn(createPlainFetch());
  const gaveUp = new AbortController();
  const reason = new Error('too slow');
  const byInit = createChaosAwareFetch('api', plain)(URL_TEXT, { signal: gaveUp.signal });
  const byRequest = createChaosAwareFetch('api', plain)(new Request(URL_TEXT, { signal: gaveUp.signal }));
  gaveUp.abort(reason);
  expect(await failure(byInit)).toBe(reason);
  expect(await failure(byRequest)).toBe(reason);
  expect(await failure(createChaosAwareFetch('api', plain)(URL_TEXT, { signal: gaveUp.signal }))).toBe(reason);
  expect(plain).not.toHaveBeenCalled();
});

test('a fault that expires, is cleared, or is reset during a call: the call under way keeps it, a reset ends its wait', async () => {
  vi.useFakeTimers();
  const controller = ChaosController.getInstance();
  const fetch = createChaosAwareFetch('api', createPlainFetch());
  const id = controller.inject('api', { type: 'timeout', hangMs: 1000 }, 10);
  const expired = failure(fetch(URL_TEXT));
  await vi.advanceTimersByTimeAsync(11);
  expect(controller.clear(id)).toBe(false);
  await vi.advanceTimersByTimeAsync(989);
  expect((await expired).name).toBe('AbortError');
  controller.inject('api', { type: 'latency', delayMs: 3_600_000 });
  const held = fetch(URL_TEXT);
  await vi.advanceTimersByTimeAsync(1);
  ChaosController.reset();
  expect((await held).status).toBe(200);
  expect(vi.getTimerCount()).toBe(0);
});

test('a drop breaks a call that takes longer, and keeps no timer of one that failed sooner', async () => {
  inject({ type: 'connection-drop', afterMs: 5 });
  const hangs: typeof globalThis.fetch = (_input, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)));
  expect((await failure(createChaosAwareFetch('api', hangs)(URL_TEXT))).name).toBe('AbortError');
  vi.useFakeTimers();
  const fails = createChaosAwareFetch('api', () => Promise.reject(new TypeError('fetch failed')));
  expect((await failure(fails(URL_TEXT))).message).toBe('fetch failed');
  expect(vi.getTimerCount()).toBe(0);
});

const CALL = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"weather"}}',
};
const RESULT = {
  content: [{ type: 'text', text: '{"city":"NYC","now":{"degrees":21}}' }],
  structuredContent: { city: 'NYC', now: { degrees: 21 } },
};
const THINNED = { content: [{ type: 'text', text: '{"city":"NYC","now":{}}' }], structuredContent: { city: 'NYC', now: {} } };

test('members are taken out inside the results of MCP tools, also in event streams', async () => {
  inject({ type: 'schema-mismatch', missingFields: ['degrees'] });
  const answer = { jsonrpc: '2.0', id: 1, result: RESULT };
  const whole = await createChaosAwareFetch('api', createPlainFetch(answer))(URL_TEXT, CALL);
  expect(await whole.json()).toEqual({ ...answer, result: THINNED });
  const headers = { 'content-type': 'text/event-stream' };
  const stream = createChaosAwareFetch('api', async () => new Response(`data: ${JSON.stringify(answer)}\n\n`, { headers }));
  const text = await (await stream(URL_TEXT, CALL)).text();
  expect(JSON.parse(text.replace(/^data: /, ''))).toEqual({ ...answer, result: THINNED });
});

test('what is no JSON object goes on as it is, and the log names the address alone', async () => {
  inject({ type: 'schema-mismatch', missingFields: ['a'] });
  const request = new Request(URL_TEXT, { headers: { authorization: 'Bearer s3cret' } });
  const fetch = createChaosAwareFetch('api', async () => new Response('<html>', { status: 500 }));
  expect(await (await fetch(request)).text()).toBe('<html>');
  expect(logged).toContainEqual(['warn', 'chaos-http', { target: URL_TEXT }, expect.stringContaining('not valid JSON')]);
  expect(JSON.stringify(logged)).not.toContain('s3cret');
  const list = await createChaosAwareFetch('api', createPlainFetch([{ a: 1 }]))(URL_TEXT);
  expect(await list.json()).toEqual([{ a: 1 }]);
});
