import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { Run } from '../controller/run.js';
import { startPlan } from '../controller/start-plan.js';
import type { FetchFunction } from './fetch-request.js';
import { interceptFetch, interceptGlobalFetch } from './intercept-fetch.js';
import { patchProperty } from '../core/patch-property.js';

const plainDescriptor = Object.getOwnPropertyDescriptor(globalThis, 'fetch')!;
const plainFetch = globalThis.fetch;
const runs: Run[] = [];
afterEach(() => {
  for (const run of runs.splice(0)) run.stop();
  expect(globalThis.fetch).toBe(plainFetch);
  expect(Object.getOwnPropertyDescriptor(globalThis, 'fetch')).toEqual(plainDescriptor);
});

function start(rules: readonly object[] = [], isAllowed = true): Run {
  const run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => isAllowed });
  runs.push(run);
  return run;
}

const URL_OF_SERVER = 'http://127.0.0.1:9/mcp';
const post = (id = 1, method = 'tools/call', extra: RequestInit = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { name: 'pay', arguments: {} } }),
  ...extra,
});

/** A server in memory, and the responses that it gave. */
function server(): { fetch: FetchFunction; given: Response[] } {
  const given: Response[] = [];
  return {
    given,
    fetch: async () => {
      given.push(Response.json({ jsonrpc: '2.0', id: 1, result: { content: [] } }));
      return given.at(-1)!;
    },
  };
}

describe('an intercepted fetch', () => {
  test('hands on the very Response that no rule looks at, also after a rule came and went', async () => {
    const { fetch, given } = server();
    const run = start();
    const intercepted = interceptFetch(run, { fetch, target: 'bank' });
    expect(await intercepted.fetch(URL_OF_SERVER, post())).toBe(given[0]);
    const undo = run.use({ id: 'no', fault: 'http-status', params: { status: 503 } });
    expect((await intercepted.fetch(URL_OF_SERVER, post())).status).toBe(503);
    undo();
    expect(await intercepted.fetch(URL_OF_SERVER, post())).toBe(given[1]);
    expect(run.fired('no')).toBe(1);
  });

  test('knows the era and the name of a client that came before the rule', async () => {
    const { fetch } = server();
    const run = start();
    const intercepted = interceptFetch(run, { fetch, target: 'bank' });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { clientInfo: { name: 'agent' } } });
    await intercepted.fetch(URL_OF_SERVER, post(0, 'initialize', { body }));
    run.use({ id: 'old', fault: 'error-response', when: { era: 'legacy', session: 'agent@bank#1', target: 'bank' } });
    expect(await (await intercepted.fetch(URL_OF_SERVER, post())).text()).toContain('error');
  });

  test('several fetches of one run each meet the rules of their own target', async () => {
    const run = start([{ id: 'down', fault: 'http-status', when: { target: 'weather' } }]);
    const [weather, bank] = ['weather', 'bank'].map((target) => interceptFetch(run, { fetch: server().fetch, target }).fetch);
    expect((await weather!(URL_OF_SERVER, post())).status).toBe(503);
    expect((await bank!(URL_OF_SERVER, post())).status).toBe(200);
  });

  test('under a guard it calls the plain fetch with the very arguments', async () => {
    const seen: unknown[][] = [];
    const run = start([{ fault: 'http-status' }], false);
    const { fetch, given } = server();
    const { fetch: guarded } = interceptFetch(run, { fetch: (...args) => (seen.push(args), fetch(...args)) });
    const init = post();
    expect(await guarded(URL_OF_SERVER, init)).toBe(given[0]);
    expect(seen[0]).toEqual([URL_OF_SERVER, init]);
    expect(seen[0]![1]).toBe(init);
  });

  test('a hang ends with the signal of its caller, and with the run', async () => {
    const { fetch } = server();
    const run = start([{ fault: 'hang' }]);
    const { fetch: hanging } = interceptFetch(run, { fetch });
    const giveUp = new AbortController();
    const first = hanging(URL_OF_SERVER, post(1, 'tools/call', { signal: giveUp.signal }));
    const second = hanging(URL_OF_SERVER, post(2));
    const asserted = expect(first).rejects.toThrow('enough');
    await expect.poll(() => run.fired('hang-1')).toBe(2);
    giveUp.abort(new Error('enough'));
    await asserted;
    run.stop();
    expect((await second).status).toBe(200);
  });
});

describe('the global fetch', () => {
  test('is patched for everybody and put back', async () => {
    const run = start([{ fault: 'connection-refused' }]);
    const restore = interceptGlobalFetch(run);
    await expect(globalThis.fetch(URL_OF_SERVER)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
    restore();
    restore();
    expect(globalThis.fetch).toBe(plainFetch);
  });

  test('a patch of somebody else over ours stays, and ours lets everything through', async () => {
    const run = start([{ fault: 'http-status' }]);
    const restore = interceptGlobalFetch(run);
    const ours = globalThis.fetch;
    const theirs: typeof fetch = (...args) => ours(...args);
    globalThis.fetch = theirs;
    restore();
    expect(globalThis.fetch).toBe(theirs);
    Object.defineProperty(globalThis, 'fetch', plainDescriptor);
  });
});

test('patches that leave in any order leave exactly what was there', () => {
  const first = (): number => 0;
  const order = fc.integer({ min: 1, max: 6 }).chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count }));
  fc.assert(
    fc.property(order, fc.boolean(), (leaving, isInherited) => {
      const plain: { call: () => number } = { call: first };
      const owner = isInherited ? (Object.create(plain) as typeof plain) : plain;
      const before = Object.getOwnPropertyDescriptor(owner, 'call');
      const patches = leaving.map((_, index) => {
        const below = owner.call;
        let isLive = true;
        const undo = patchProperty(owner, 'call', () => below() + (isLive ? 2 ** index : 0));
        return () => {
          isLive = false;
          undo();
        };
      });
      let expected = 2 ** leaving.length - 1;
      expect(owner.call()).toBe(expected);
      for (const index of leaving) {
        patches[index]!();
        expected -= 2 ** index;
        expect(owner.call()).toBe(expected);
      }
      expect(Object.getOwnPropertyDescriptor(owner, 'call')).toEqual(before);
    }),
  );
});
