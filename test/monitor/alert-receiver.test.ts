import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openAlertReceiver } from '../../packages/toolquake/src/operations/alert-receiver.js';

type Heard = { state: string; reason: string; atMs: number; sentAtMs: number | undefined };

async function receiving(options: { token?: string; port?: number } = {}): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const { url, close } = await openAlertReceiver({
    port: 0,
    ...options,
    nowMs: () => 5000,
    wallClockMs: () => Date.parse('2026-11-19T00:00:05Z'),
    onAlert: (alert) => heard.push(alert),
  });
  onTestFinished(close);
  return { url, heard };
}

const post = async (url: string, body: string): Promise<string> => {
  const answer = await fetch(url, { method: 'POST', body });
  return `${answer.status} ${await answer.text()}`;
};

test('an alert is dated on the clock of the run, and heard once however often it is sent', async () => {
  const { url, heard } = await receiving();
  const body = JSON.stringify({ version: 1, id: 'run/down/1', state: 'firing', reason: 'timeout', sentAt: '2026-11-19T00:00:03Z' });
  expect(await post(url, body)).toBe('200 ok');
  expect(await post(url, body)).toBe('200 ok');
  expect(heard).toMatchObject([{ state: 'firing', reason: 'timeout', atMs: 5000, sentAtMs: 3000 }]);
  expect(await post(url, JSON.stringify({ status: 'resolved', alerts: [{ status: 'resolved', labels: { alertname: 'McpDown' } }] }))).toBe(
    '200 ok',
  );
  expect(heard[1]).toMatchObject({ state: 'resolved', reason: 'McpDown', sentAtMs: undefined });
});

test('who does not know the secret is told nothing, and nothing is heard', async () => {
  const { url, heard } = await receiving({ token: 'a/b ü' });
  expect(url).toContain('/alerts/a%2Fb%20%C3%BC');
  const { origin } = new URL(url);
  for (const path of ['/', '/alerts', '/alerts/', '/alerts/a', '/alerts/a/b'])
    expect(await post(`${origin}${path}`, '{"state":"firing"}')).toBe('404 There is nothing here.');
  expect((await fetch(url)).status).toBe(405);
  expect(heard).toEqual([]);
});

test('hostile bodies are refused, and the next alert is heard', async () => {
  const { url, heard } = await receiving();
  const bodies: [string, RegExp][] = [
    ['', /^422/],
    ['{', /^422/],
    ['[]', /^422/],
    [`{"state":${'['.repeat(50_000)}`, /^422/],
    [JSON.stringify({ state: 'firing', alerts: 'x' }), /^200/],
    [JSON.stringify({ alerts: Array.from({ length: 101 }, () => ({ status: 'firing' })) }), /^422/],
    [JSON.stringify({ state: 'firing', reason: 'x'.repeat(400_000) }), /^413/],
  ];
  for (const [body, expected] of bodies) expect(await post(url, body)).toMatch(expected);
  const { port, pathname } = new URL(url);
  // Half a request, and then nothing more: it holds nobody up.
  const slow = connect(Number(port), '127.0.0.1', () => slow.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{`));
  onTestFinished(() => void slow.destroy());
  expect(await post(url, '{"status":"DOWN","failure_reason":"connection_refused"}')).toBe('200 ok');
  expect(heard.map(({ reason }) => reason)).toEqual(['external', 'connection_refused']);
});

test('a port that is taken is said so', async () => {
  const { url } = await receiving();
  const port = Number(new URL(url).port);
  await expect(openAlertReceiver({ port, nowMs: () => 0, onAlert: () => {} })).rejects.toMatchObject({ code: 'PORT_TAKEN' });
});
