/** The demo server does what its variant says: only then does an experiment that finds it prove anything. */
import { afterAll, beforeAll, describe, expect, test, vi, type TestContext } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Postgres } from '../postgres/start-postgres.js';
import { prepareDemo, startDemo, startDemoPostgres, type DemoServer } from './demo.js';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startDemoPostgres();
});
afterAll(() => postgres.stop());

/** A server of this variant until the end of the test, and its client. */
async function demo(
  variant: string,
  { onTestFinished }: TestContext,
): Promise<{ server: DemoServer; call: (tool: string, args?: object, patienceMs?: number) => Promise<string> }> {
  const server = await startDemo(await prepareDemo(postgres, { DEMO_VARIANT: variant }));
  onTestFinished(() => server.stop());
  const call = async (tool: string, args: object = {}, patienceMs = 20_000): Promise<string> => {
    const client = new Client({ name: 'test', version: '1' });
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
      const { isError, content } = await client.callTool({ name: tool, arguments: { ...args } }, { timeout: patienceMs });
      return `${isError === true ? 'error: ' : ''}${content.map((block) => (block.type === 'text' ? block.text : '')).join('')}`;
    } catch (error) {
      return `thrown: ${(error as Error).message}`;
    } finally {
      await client.close();
    }
  };
  return { server, call };
}

const health = async ({ healthUrl }: DemoServer): Promise<string> => {
  const answer = await fetch(healthUrl).catch(() => undefined);
  return answer === undefined ? 'nobody' : `${answer.status} ${await answer.text()}`;
};
const search = { query: 'chaos test 7' };
const FOUND = /"title":"chaos test 7"/;
const SICK = '503 {"status":"unavailable","reason":"database_unreachable"}';

describe.concurrent('while its database is gone, and after', () => {
  test('good: says so, in calls and health, and comes back by itself', async (context) => {
    const { server, call } = await demo('good', context);
    expect(await call('search_documents', search)).toMatch(FOUND);
    for (const _ of [1, 2]) expect(JSON.parse(await call('create_order', { key: 'k1', item: 'hat' }))).toMatchObject({ key: 'k1' });
    expect(await call('count_orders')).toBe('{"count":1}');
    await server.relay.cut();
    expect(await call('search_documents', search)).toMatch(/^error: The database cannot be reached \(/);
    expect(await health(server)).toBe(SICK);
    await server.relay.mend();
    expect(await call('search_documents', search)).toMatch(FOUND);
    expect(await health(server)).toMatch(/^200/);
  });

  test('hang: waits, and serves those who waited', async (context) => {
    const { server, call } = await demo('hang', context);
    await server.relay.cut();
    expect(await call('search_documents', search, 1500)).toMatch(/^thrown: .*timed out/i);
    expect(await health(server)).toBe(SICK);
    await server.relay.mend();
    expect(await call('search_documents', search)).toMatch(FOUND);
  });

  test('silent-empty: finds nothing, and calls that an answer', async (context) => {
    const { server, call } = await demo('silent-empty', context);
    await server.relay.cut();
    expect(await call('search_documents', search)).toBe('{"documents":[]}');
    expect(await health(server)).toBe(SICK);
  });

  test('health-lies: fails every call in good health', async (context) => {
    const { server, call } = await demo('health-lies', context);
    await server.relay.cut();
    expect(await call('search_documents', search)).toMatch(/^error: /);
    expect(await health(server)).toMatch(/^200/);
  });

  test('manual-restart: stays broken when the database is back', async (context) => {
    const { server, call } = await demo('manual-restart', context);
    await server.relay.cut();
    expect(await call('search_documents', search)).toMatch(/^error: /);
    await server.relay.mend();
    expect(await call('search_documents', search)).toMatch(/^error: /);
    expect(await health(server)).toBe(SICK);
    await server.kill();
    await server.start();
    expect(await call('search_documents', search)).toMatch(FOUND);
  });

  test('crash-loop: is gone with its database', async (context) => {
    const { server } = await demo('crash-loop', context);
    await server.relay.cut();
    await vi.waitFor(async () => expect(await health(server)).toBe('nobody'), { timeout: 20_000 });
  });
});
