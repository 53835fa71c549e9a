/** The kill switch, and the end of a rule, end at once what was to last: a stopped server, a port that refuses, an end that is not heard. */
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { call, messagesOf, post, textOf } from '../http/harness.js';
import { proxyCommand, serverCommand, start } from '../stdio/harness.js';
import { adminAt, httpProxy, TOKEN } from './harness.js';

const FOR_EVER_MS = 600_000;

async function stdioProxy() {
  const proxy = start(proxyCommand(serverCommand('bank'), '--admin-port', '0'), { TOOLQUAKE_ADMIN_TOKEN: TOKEN });
  let url = '';
  await proxy.stderr.line((_, text) => (url = /http:\S+/.exec(text)?.[0] ?? '') !== '');
  return { ...proxy, admin: adminAt(url) };
}

const ENDS = ['/chaos/kill', '/chaos/clear-all'];

describe.each(ENDS)('%s over stdio', (end) => {
  test('a frozen server goes on', async () => {
    const { client, admin, exited } = await stdioProxy();
    await admin('POST', '/chaos/inject', { fault: 'freeze', params: { forMs: FOR_EVER_MS }, id: 'cold' });
    client.call(1, 'refund');
    while (!(await hasFired(admin)));
    await admin('POST', end);
    expect(await client.text(1)).toBe('refund 1');
    client.call(2, 'refund');
    expect(await client.text(2)).toBe('refund 2');
    client.end();
    expect(await exited).toMatchObject({ code: 0 });
  });

  test('a server that did not hear of its end hears of it', async () => {
    const { client, admin, exited } = await stdioProxy();
    await admin('POST', '/chaos/inject', { fault: 'ignore-eof', params: { forMs: FOR_EVER_MS } });
    client.call(1, 'refund');
    await client.text(1);
    client.end();
    await admin('POST', end);
    expect(await exited).toMatchObject({ code: 0 });
  });
});

const hasFired = async (admin: ReturnType<typeof adminAt>): Promise<boolean> => {
  const { body } = await admin('GET', '/chaos/status');
  return (body['faults'] as { requestCount: number }[]).some(({ requestCount }) => requestCount > 0);
};

describe.each(ENDS)('%s over HTTP', (end) => {
  test('a frozen front door answers what came meanwhile', async () => {
    const { admin, url, say } = await httpProxy();
    await admin('POST', '/chaos/inject', { fault: 'freeze', params: { forMs: FOR_EVER_MS } });
    const frozen = post(url, call(1, 'refund'));
    while (!(await hasFired(admin)));
    await admin('POST', end);
    expect(textOf(messagesOf((await frozen).body)[0])).toBe('refund 1');
    expect(await say()).toBe('hi');
  });

  test('a port that refuses listens again', async () => {
    const { admin, url, say } = await httpProxy();
    await admin('POST', '/chaos/inject', { fault: 'connection-refused', params: { forMs: FOR_EVER_MS } });
    const { port } = new URL(url);
    const turnedAway = connect(Number(port), '127.0.0.1').on('error', () => {});
    await new Promise((resolve) => turnedAway.resume().once('close', resolve));
    while (!(await hasFired(admin)));
    await expect(post(url, call(1, 'refund'))).rejects.toThrow('ECONNREFUSED');
    await admin('POST', end);
    // Listening begins in the turn after the answer: until then the system still refuses.
    for (;;) {
      const said = await say().catch(() => undefined);
      if (said === 'hi') break;
    }
  });

  test('a server that crashed is up again', async () => {
    const { admin, url, say } = await httpProxy();
    await admin('POST', '/chaos/inject', { fault: 'crash', params: { downMs: FOR_EVER_MS } });
    await expect(post(url, call(1, 'refund'))).rejects.toThrow();
    await expect(post(url, call(2, 'refund'))).rejects.toThrow();
    await admin('POST', end);
    await expect.poll(() => say().catch(() => undefined)).toBe('hi');
  });
});

test('what one rule keeps down lasts when another one ends, and not when its own time is over', async () => {
  const { admin, url, say } = await httpProxy();
  await admin('POST', '/chaos/inject', { fault: 'crash', id: 'down', params: { downMs: FOR_EVER_MS }, durationMs: 3000 });
  await admin('POST', '/chaos/inject', { fault: 'latency', id: 'slow', params: { addedMs: 1 } });
  await expect(post(url, call(1, 'refund'))).rejects.toThrow();
  await admin('POST', '/chaos/clear', { faultId: 'slow' });
  await expect(post(url, call(2, 'refund'))).rejects.toThrow();
  await expect.poll(() => say().catch(() => undefined), { timeout: 10_000 }).toBe('hi');
});
