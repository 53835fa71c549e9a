/** Fault configs by the routes inside a service: each target, and each casing. */
import { expect, test } from 'vitest';
import { interceptFetch } from '../interceptors/intercept-fetch.js';
import { mountWebAdmin } from './mount-admin.js';
import { startPlan } from './start-plan.js';

const POST = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{}}}',
};

/** Two targets of one run, and its routes. */
function service() {
  const run = startPlan({ rules: [] }, { isAllowed: () => true });
  const plain = async (): Promise<Response> => Response.json({ jsonrpc: '2.0', id: 1, result: {} });
  const { fetch: bank } = interceptFetch(run, { fetch: plain, target: 'bank' });
  const { fetch: shop } = interceptFetch(run, { fetch: plain, target: 'shop' });
  const admin = mountWebAdmin(run, { token: 't' });
  const ask = async (route: string, body: unknown = {}) => {
    const [method = '', path = ''] = route.split(' ');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { authorization: 'Bearer t', host: 'localhost' };
    const request = new Request(`http://localhost${path}`, { method, headers, ...(method === 'GET' ? {} : { body: text }) });
    const answer = await admin(request, { remoteAddress: '127.0.0.1' });
    return { status: answer?.status, body: (await answer?.json()) as Record<string, unknown> };
  };
  const statuses = async (): Promise<number[]> => [
    (await bank('http://localhost/', POST)).status,
    (await shop('http://localhost/', POST)).status,
  ];
  return { run, ask, statuses };
}

test('a fault acts on the target that the caller names, and answers in the casing of the caller', async () => {
  const { ask, statuses } = service();
  const camel = await ask('POST /chaos/inject', { target: 'bank', config: { type: 'error', statusCode: 500 }, durationMs: 60_000 });
  expect(await statuses()).toEqual([500, 200]);
  const snake = await ask('POST /chaos/inject', { target: 'shop', config: { type: 'error', status_code: 502 }, duration_ms: 60_000 });
  expect(await statuses()).toEqual([500, 502]);
  expect([Object.keys(camel.body), Object.keys(snake.body)]).toEqual([['faultId'], ['fault_id']]);
  expect((await ask('GET /chaos/status')).body['faults']).toMatchObject([
    { target: 'bank', requestCount: 2, request_count: 2 },
    { target: 'shop', requestCount: 1, request_count: 1 },
  ]);
  expect((await ask('POST /chaos/clear', { fault_id: snake.body['fault_id'] })).body).toMatchObject({ found: true });
  expect((await ask('POST /chaos/clear', { faultId: snake.body['fault_id'] })).body).toMatchObject({ found: false });
  await ask('POST /chaos/clear-all');
  expect(await statuses()).toEqual([200, 200]);
});

test.each<[unknown, RegExp]>([
  [{ target: 'bonk', config: { type: 'error', statusCode: 500 } }, /attached are bank, shop. Did you mean "bank"/],
  [{ target: 'bank', config: { type: 'latency', delay_ms: -1 } }, /config\.delay_ms must be a number from 0/],
  [{ target: 'bank', config: { type: 'latency' } }, /needs "delayMs"/],
  [{ target: 'bank', fault: 'latency', when: { target: 'shop' } }, /The rule is for the target "shop", and the request for "bank"/],
  [{ target: 5, fault: 'latency' }, /target must be text/],
  ['{', /Invalid JSON body/],
])('%j is 400 by the name of what is wrong', async (body, error) => {
  const { ask, run } = service();
  expect(await ask('POST /chaos/inject', body)).toEqual({ status: 400, body: { error: expect.stringMatching(error) as unknown } });
  expect(run.list()).toEqual([]);
});

test('a plan can be replaced, what is no JSON is refused, and a run that has ended says so', async () => {
  const { ask, statuses, run } = service();
  expect((await ask('POST /chaos/plan', 'rules: []')).body['error']).toMatch(/Invalid JSON/);
  await ask('POST /chaos/plan', { rules: [{ fault: 'http-status', params: { status: 504 } }] });
  expect(await statuses()).toEqual([504, 504]);
  run.stop();
  const late = await ask('POST /chaos/inject', { target: 'bank', config: { type: 'malformed' } });
  expect(late).toMatchObject({ status: 400, body: { error: expect.stringContaining('The run has ended') as unknown } });
});
