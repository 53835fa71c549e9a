/** Interceptors that come, go and are given up at the worst moment, over real sockets. */
import { execFileSync } from 'node:child_process';
import { startPlan, type Run } from '@toolquake/sdk/controller';
import { interceptFetch, interceptGlobalFetch } from '@toolquake/sdk/interceptors';
import { afterEach, describe, expect, test } from 'vitest';
import { closing, post, resultOf, serve, ways } from './ways.js';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
process.on('unhandledRejection', note);
const plainFetch = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled.splice(0)).toEqual([]);
  expect(Object.getOwnPropertyDescriptor(globalThis, 'fetch')).toEqual(plainFetch);
});

const start = (...rules: readonly object[]): Run => {
  const run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });
  closing.push(run.stop);
  return run;
};

/** Waits for an entry of the journal. */
function until(run: Run, isReached: () => boolean): Promise<void> {
  if (isReached()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = run.listen(() => {
      if (!isReached()) return;
      stop();
      resolve();
    });
  });
}

describe.each(Object.entries(ways))('%s', (_name, intercept) => {
  test.each([
    ['latency', 'pre', []],
    ['latency', 'post', [1]],
    ['hang', 'pre', []],
    ['hang', 'post', [1]],
    ['lost-ack', 'post', [1]],
    ['blackhole', 'pre', []],
  ])('an abort during %s (%s) ends the call with its own reason', async (fault, phase, asked) => {
    const server = await serve();
    const run = start();
    const { fetch } = intercept(run);
    run.use({ id: 'it', fault, phase, ...(fault === 'latency' ? { params: { addedMs: 60_000 } } : {}) });
    const giveUp = new AbortController();
    const call = fetch(server.url, post(1, giveUp.signal));
    const ended = expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await until(run, () => run.fired('it') === 1);
    giveUp.abort();
    await ended;
    run.stop();
    expect(server.asked).toEqual(asked);
    expect(run.journal.filter(({ kind }) => kind === 'problem')).toEqual([]);
  });

  test('a call that is aborted before it begins never reaches the rules', async () => {
    const server = await serve();
    const run = start({ id: 'it', fault: 'http-status' });
    await expect(intercept(run).fetch(server.url, post(1, AbortSignal.abort()))).rejects.toMatchObject({ name: 'AbortError' });
    expect([run.fired('it'), server.asked]).toEqual([0, []]);
  });

  test.each(['restore', 'stop', 'kill'] as const)('what waits goes on after %s, and is executed once', async (how) => {
    for (const phase of ['pre', 'post']) {
      const server = await serve();
      const run = start();
      const { fetch, restore } = intercept(run);
      run.use({ id: 'it', fault: 'latency', phase, params: { addedMs: 60_000 } });
      const call = fetch(server.url, post(7));
      await until(run, () => run.fired('it') === 1);
      if (how === 'restore') restore();
      else if (how === 'stop') run.stop();
      else run.kill();
      expect(await (await call).text()).toBe(resultOf(7));
      expect(server.asked).toEqual([7]);
    }
  });

  test('a call that had just begun goes on when it is restored, whatever the rules say', async () => {
    for (const fault of ['hang', 'blackhole', 'latency']) {
      const server = await serve();
      const run = start({ fault, phase: 'pre', ...(fault === 'latency' ? { params: { addedMs: 60_000 } } : {}) });
      const { fetch, restore } = intercept(run);
      // Its body is still to be read.
      const call = fetch(server.url, post(5));
      restore();
      expect(await (await call).text()).toBe(resultOf(5));
    }
  });

  test.each(['restore', 'stop'] as const)('a stream that is being read goes on to its end after %s', async (how) => {
    let goOn: () => void = () => {};
    const server = await serve((response, id) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write(
        'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"first"}}\n\n',
      );
      goOn = () => response.end(`event: message\ndata: ${resultOf(id)}\n\n`);
    });
    for (const rules of [[], [{ fault: 'latency', params: { addedMs: 1 } }], [{ fault: 'pace', params: { sliceBytes: 20, everyMs: 1 } }]]) {
      const run = start(...rules);
      const { fetch, restore } = intercept(run);
      const response = await fetch(server.url, post(3));
      const reader = response.body!.getReader();
      let text = new TextDecoder().decode((await reader.read()).value);
      if (how === 'restore') restore();
      else run.stop();
      goOn();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += new TextDecoder().decode(value);
      }
      expect(text).toContain('"first"');
      expect(text).toContain(resultOf(3));
      run.stop();
    }
  });

  test('a rule that expires during a call is over for the next one, and the call ends as it began', async () => {
    const server = await serve();
    const run = start();
    const { fetch } = intercept(run);
    run.inject({ id: 'short', fault: 'latency', params: { addedMs: 300 } }, 50);
    const slow = fetch(server.url, post(1));
    await until(run, () => run.fired('short') === 1);
    await until(run, () => run.list().length === 0);
    expect((await slow).status).toBe(200);
    expect(await (await fetch(server.url, post(2))).text()).toBe(resultOf(2));
    expect(run.fired('short')).toBe(1);
  });

  test('two of them meet a call one after the other, and leave in any order', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const server = await serve();
      const runs = [
        start({ id: 'a', fault: 'latency', params: { addedMs: 1 } }),
        start({ id: 'b', fault: 'latency', params: { addedMs: 1 } }),
      ];
      const first = interceptGlobalFetch(runs[0]!);
      const second = interceptGlobalFetch(runs[1]!);
      expect(await (await globalThis.fetch(server.url, post(1))).text()).toBe(resultOf(1));
      expect([runs[0]!.fired('a'), runs[1]!.fired('b')]).toEqual([1, 1]);
      for (const index of order) [first, second][index]!();
      expect(Object.getOwnPropertyDescriptor(globalThis, 'fetch')).toEqual(plainFetch);
    }
  });

  test('an answer that comes piece by piece comes whole', async () => {
    const text = resultOf(1);
    const server = await serve((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(text.length) });
      // Each piece is a packet of its own.
      const send = (at: number): void => {
        if (at >= text.length) response.end();
        else response.write(text.slice(at, at + 20), () => setImmediate(send, at + 20));
      };
      send(0);
    });
    for (const rules of [[], [{ fault: 'latency', params: { addedMs: 1 } }]]) {
      const run = start(...rules);
      expect(await (await intercept(run).fetch(server.url, post(1))).text()).toBe(text);
      run.stop();
    }
  });

  test('a server that breaks off in the middle is the same with and without us', async () => {
    const server = await serve((response, id) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write(resultOf(id), () => response.destroy());
    });
    const said = async (fetch: typeof globalThis.fetch): Promise<unknown> => {
      try {
        await (await fetch(server.url, post(1))).text();
        return 'fine';
      } catch (error) {
        const { name, message, cause } = error as Error & { cause?: { code?: string } };
        return [name, message, cause?.code];
      }
    };
    for (const rules of [[], [{ fault: 'latency', params: { addedMs: 1 } }]]) {
      const run = start(...rules);
      const { fetch } = intercept(run);
      expect(await said(fetch)).toEqual(await said(plainFetch!.value as typeof globalThis.fetch));
      run.stop();
    }
  });
});

test('a run that is ending refuses what is asked of it then, from wherever', async () => {
  const run = start();
  const codes: unknown[] = [];
  const attempt = (action: () => unknown): void => {
    try {
      action();
      codes.push('done');
    } catch (error) {
      codes.push((error as { code?: string }).code);
    }
  };
  run.use({ id: 'it', fault: 'latency' });
  run.listen(({ kind }) => {
    if (kind !== 'end') return;
    attempt(() => run.inject({ fault: 'latency' }));
    attempt(() => run.use({ fault: 'latency' }));
    attempt(() => interceptFetch(run));
    attempt(() => run.restore());
    attempt(() => run.clear('it'));
    attempt(() => run.stop());
  });
  run.stop();
  expect(codes).toEqual(['STOPPED', 'STOPPED', 'STOPPED', 'done', 'done', 'done']);
  expect(run.list()).toEqual([]);
});

test('injected twice is refused, cleared twice is told, and neither changes anything', () => {
  const run = start();
  interceptFetch(run, { target: 'bank' });
  const id = run.inject({ id: 'one', fault: 'latency' });
  expect(() => run.inject({ id: 'one', fault: 'hang' })).toThrow('There is a rule "one" already');
  expect(run.list().map(({ rule }) => rule.fault.type)).toEqual(['latency']);
  expect([run.clear(id), run.clear(id)]).toEqual([true, false]);
  run.restore();
  run.restore();
  for (const durationMs of [0, -1, Number.NaN]) expect(() => run.inject({ fault: 'latency' }, durationMs)).toThrow('durationMs');
  const undo = run.use({ id: 'two', fault: 'latency' });
  run.clear('two');
  undo();
  run.restore();
  expect(run.list()).toEqual([]);
});

test.each([
  ['aborted', 'giveUp.abort();'],
  ['restored', 'intercepted.restore();'],
  ['killed', 'run.kill();'],
  ['stopped', 'run.stop();'],
])('a process whose long wait was %s ends by itself', (how, end) => {
  const sdk = (name: string): string => JSON.stringify(new URL(`../../packages/sdk/dist/${name}`, import.meta.url).href);
  const program = `
    const { startPlan } = await import(${sdk('controller/index.js')});
    const { interceptFetch } = await import(${sdk('interceptors/index.js')});
    for (const rule of [
      { fault: 'latency', params: { addedMs: 600000 } },
      { fault: 'latency', phase: 'pre', params: { addedMs: 600000 } },
      { fault: 'connection-drop', params: { afterMs: 600000 } },
      // What a server does whether anybody listens or not is over in its own time.
      ...(${JSON.stringify(how)} === 'aborted' ? [] : [{ fault: 'freeze', params: { forMs: 600000 } }, { fault: 'heartbeat-only' }]),
      { fault: 'pace', params: { sliceBytes: 1, everyMs: 600000 } },
    ]) {
      const run = startPlan({ rules: [{ id: 'it', ...rule }] }, { isAllowed: () => true });
      const intercepted = interceptFetch(run, { fetch: async () => Response.json({ jsonrpc: '2.0', id: 1, result: { content: [] } }) });
      const giveUp = new AbortController();
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'pay', arguments: {} } });
      const init = { method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream' }, body, signal: giveUp.signal };
      const call = intercepted.fetch('http://localhost/', init).then((response) => response.text()).catch(() => {});
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (run.fired('it') !== 1) throw new Error(JSON.stringify([rule, run.journal]));
      ${end}
    }
    console.log('done');`;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', program], { timeout: 60_000 }).toString().trim()).toBe('done');
});
