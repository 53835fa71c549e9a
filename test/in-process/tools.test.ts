/** Tools of real servers, of both SDK generations, with faults inside the server. */
import { Client as ClientOfToday, InMemoryTransport as PairOfToday } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as FirstPair } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerOfToday } from '@modelcontextprotocol/server';
import { planFromEnvironment, startPlan, type Run } from '@toolquake/sdk/controller';
import { interceptServer } from '@toolquake/sdk/interceptors';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const info = { name: 'tester', version: '1.0.0' };
const text = (said: string): { content: { type: 'text'; text: string }[] } => ({ content: [{ type: 'text', text: said }] });

type Caller = (name: string, given?: Record<string, unknown>) => Promise<unknown>;
/** A server with tools `echo` (with arguments) and `greet` (without), and a client of it. */
const worlds: Record<string, (run: Run) => Promise<Caller>> = {
  'sdk 1': async (run) => {
    const server = new FirstServer({ name: 'one', version: '1.0.0' });
    interceptServer(run, server, { target: 'one' });
    server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text: said }) => text(said));
    server.registerTool('greet', {}, () => text('hello'));
    const [mine, theirs] = FirstPair.createLinkedPair();
    await server.connect(theirs);
    const client = new FirstClient(info);
    await client.connect(mine);
    closing.push(() => client.close());
    return (name, given = {}) => client.callTool({ name, arguments: given });
  },
  'sdk 2': async (run) => {
    const server = new ServerOfToday({ name: 'two', version: '1.0.0' });
    interceptServer(run, server, { target: 'two' });
    server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text: said }) => text(said));
    server.registerTool('greet', {}, () => text('hello'));
    const [mine, theirs] = PairOfToday.createLinkedPair();
    await server.connect(theirs);
    const client = new ClientOfToday(info);
    await client.connect(mine);
    closing.push(() => client.close());
    return (name, given = {}) => client.callTool({ name, arguments: given });
  },
};

describe.each(Object.entries(worlds))('tools of %s', (_name, open) => {
  function start(plan: Parameters<typeof startPlan>[0]): Run {
    const run = startPlan(plan, { isAllowed: () => true, observesAll: true });
    closing.push(() => run.stop());
    return run;
  }

  test('work as without us, and fail for one test', async () => {
    const run = start({ rules: [] });
    const call = await open(run);
    expect(await call('echo', { text: 'é' })).toMatchObject(text('é'));
    expect(await call('greet')).toMatchObject(text('hello'));
    run.use({ id: 'full', fault: 'error-response', params: { message: 'disk full' }, when: { tool: 'echo', args: { text: 'é' } } });
    // What an SDK makes of a handler that throws.
    expect(await call('echo', { text: 'é' })).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('disk full') }] });
    expect(await call('greet')).toMatchObject(text('hello'));
    run.restore();
    expect(await call('echo', { text: 'é' })).toMatchObject(text('é'));
    expect(run.fired('full')).toBe(1);
  });

  test('answer late and fail by the environment, and nothing that an agent sees says so', async () => {
    const run = start(planFromEnvironment({ CHAOS_DELAY_MS: '5', CHAOS_ERROR_RATE: '1' }));
    const call = await open(run);
    const answer = await call('greet');
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer)).not.toMatch(/chaos|inject|fault/i);
    expect([run.fired('delay'), run.fired('errors')]).toEqual([1, 1]);
  });

  test('a value of a result is changed, and the server keeps its contract', async () => {
    const run = start({ rules: [{ id: 'none', fault: 'empty-result' }] });
    const call = await open(run);
    expect(await call('echo', { text: 'é' })).toMatchObject({ content: [] });
    expect(run.fired('none')).toBe(1);
  });
});
