import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { relayAdmin } from './relay-admin.js';

const signal = new AbortController().signal;
const world = { env: { TOKEN: 'secret' }, signal };
const data = (port: number): { admin: string; tokenVariable: string; ids: string[] } => ({
  admin: `http://127.0.0.1:${port}`,
  tokenVariable: 'TOKEN',
  ids: ['TQ-5f1c09aa-03be-new', 'TQ-5f1c09aa-03be-open'],
});

async function startProxy(answer: (path: string, body: string) => object): Promise<number> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      response.setHeader('connection', 'close');
      response.end(JSON.stringify(request.headers.authorization === 'Bearer secret' ? answer(request.url ?? '', body) : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('clears its own rules and no others, and reads that they are gone', async () => {
  const rules = new Set(['TQ-5f1c09aa-03be-new', 'TQ-5f1c09aa-03be-open', 'somebody-elses']);
  const port = await startProxy((path, body) => {
    if (path === '/chaos/status') return { faults: [...rules].map((id) => ({ id })) };
    return { found: rules.delete((JSON.parse(body) as { faultId: string }).faultId) };
  });
  expect(await relayAdmin.verify(data(port), world)).toMatchObject({ is: 'not-undone' });
  await relayAdmin.undo(data(port), world);
  expect(await relayAdmin.verify(data(port), world)).toMatchObject({ is: 'undone' });
  expect([...rules]).toEqual(['somebody-elses']);
  await relayAdmin.undo(data(port), world);
});

test('counts the rules of a proxy that does not run any more as gone', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await relayAdmin.undo(data(port), world);
  expect(await relayAdmin.verify(data(port), world)).toMatchObject({ is: 'gone' });
});

test('says that its token is missing, and never what it is', async () => {
  await expect(relayAdmin.undo(data(1), { env: {}, signal })).rejects.toThrow('TOKEN is not set');
});
