import { expect, test } from 'vitest';
import { defineFault, requirePlan, createCatalogue, signalServer, type Effect, type FaultRole, type Plan } from '../core/index.js';
import { errorResponse } from '../faults/error-response.js';
import { createManualClock } from '../testing/manual-clock.js';
import { wrapFetch } from './fetch.js';

const headers = { 'content-type': 'application/json', accept: 'application/json' };
const post = (id: number, extra: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...headers, ...extra },
  body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'pay', arguments: {} } }),
});
const URL_OF_SERVER = 'http://localhost/mcp';

/** A server in memory; `seen` holds the ids of the requests that reached it. */
function server(): { fetch: (input: unknown, init?: RequestInit) => Promise<Response>; seen: number[] } {
  const seen: number[] = [];
  const answer = async (_input: unknown, init?: RequestInit): Promise<Response> => {
    const { id } = (await new Response(init?.body).json()) as { id: number };
    seen.push(id);
    return Response.json({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } });
  };
  return { fetch: answer, seen };
}

function planWith(role: FaultRole, decide: () => readonly Effect[]): Plan {
  const fault = defineFault({
    type: 'small',
    summary: 'For a test.',
    carriers: ['mcp'],
    role,
    params: {},
    decide: (event) => (event.kind === 'frame' && event.part === 'request' ? decide() : []),
  });
  return requirePlan({ rules: [{ fault: 'small' }] }, createCatalogue([fault]));
}

test('a second freeze makes the first one longer, and never shorter', async () => {
  const { fetch, seen } = server();
  const clock = createManualClock();
  const lengthsMs = [100, 500, 10];
  const plan = planWith('extra', () => [signalServer('freeze', lengthsMs.shift()!)]);
  const wrapped = wrapFetch(fetch, { plan, clock, isAllowed: () => true });
  const pending = [1, 2, 3].map((id) => wrapped.fetch(URL_OF_SERVER, post(id)));
  await expect.poll(() => wrapped.journal.filter(({ kind }) => kind === 'fault')).toHaveLength(3);
  for (const byMs of [10, 90, 399]) {
    clock.advance(byMs);
    // A request past the wrapper, there and back: whoever was let through would have arrived by then.
    await (await fetch(URL_OF_SERVER, post(9))).text();
  }
  expect(seen).toEqual([9, 9, 9]);
  clock.advance(1);
  for (const one of pending) expect(await (await one).text()).toContain('done');
  wrapped.stop();
});

test('an episode goes by the task that the header of each request names', async () => {
  const plan = requirePlan(
    {
      rules: [{ fault: 'error-response', shape: { episode: { rate: 0.5, meanLength: 1, scope: 'session' } } }],
      task: { by: 'header', header: 'X-Task' },
    },
    createCatalogue([errorResponse]),
    { transport: 'fetch' },
  );
  const wrapped = wrapFetch(server().fetch, { plan, label: 'agent', isAllowed: () => true });
  const failed: boolean[][] = [];
  for (let task = 0; task < 6; task++) {
    const ofTask: boolean[] = [];
    for (let call = 0; call < 3; call++) {
      const response = await wrapped.fetch(URL_OF_SERVER, post(task * 3 + call, { 'x-task': `task-${task}` }));
      ofTask.push((await response.text()).includes('"error"'));
    }
    failed.push(ofTask);
  }
  // Whole tasks are bad, and with a mean length of 1 at this rate bad and good ones take turns.
  for (const ofTask of failed) expect(new Set(ofTask).size).toBe(1);
  expect(new Set(failed.flat()).size).toBe(2);
});

test('a mistake of our own is journalled without what was said on the wire', async () => {
  const heard: unknown[] = [];
  const plan = planWith('terminal', () => JSON.parse('{"token": secret-123}') as readonly Effect[]);
  const wrapped = wrapFetch(server().fetch, { plan, isAllowed: () => true, onProblem: (error) => heard.push(error) });
  expect(await (await wrapped.fetch(URL_OF_SERVER, post(1))).text()).toContain('done');
  expect(wrapped.journal).toContainEqual(expect.objectContaining({ kind: 'problem', message: 'SyntaxError' }));
  expect(JSON.stringify(wrapped.journal)).not.toContain('secret');
  expect(heard).toHaveLength(1);
});
