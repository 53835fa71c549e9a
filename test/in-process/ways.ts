/** A server over a real socket, and the ways in which its client can be intercepted. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Run } from '@toolquake/sdk/controller';
import { interceptDispatcher, interceptFetch, interceptGlobalFetch } from '@toolquake/sdk/interceptors';
import { Agent, fetch as undiciFetch } from 'undici';
import { expect } from 'vitest';

/** What is still open; to be closed after each test, the last first. */
export const closing: (() => unknown)[] = [];

/** A server that notes the ids it was asked for, and answers as it is told. */
export async function serve(
  respond: (response: ServerResponse, id: number, request: IncomingMessage) => void = answerWhole,
): Promise<{ url: string; asked: number[] }> {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const { id } = (text === '' ? { id: 0 } : JSON.parse(text)) as { id: number };
      asked.push(id);
      respond(response, id, request);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

export const resultOf = (id: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'fine' }] } });
function answerWhole(response: ServerResponse, id: number): void {
  response.setHeader('content-type', 'application/json').end(resultOf(id));
}

export const post = (id = 1, signal?: AbortSignal): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'pay', arguments: {} } }),
  ...(signal === undefined ? {} : { signal }),
});

/** Each is a fetch under a run, its undo, and what was patched. */
type Way = (run: Run) => { fetch: typeof globalThis.fetch; restore: () => void };
export const ways: Record<string, Way> = {
  'one fetch': (run) => interceptFetch(run, { fetch: globalThis.fetch }) as ReturnType<Way>,
  'the global fetch': (run) => {
    const restore = interceptGlobalFetch(run);
    return { fetch: (input, init) => globalThis.fetch(input, init), restore };
  },
  'an undici dispatcher': (run) => {
    const dispatcher = new Agent();
    closing.push(() => dispatcher.destroy());
    const restore = interceptDispatcher(run, dispatcher);
    const fetch = (input: unknown, init: object = {}): unknown => undiciFetch(input as string, { ...init, dispatcher } as never);
    return {
      fetch: fetch as typeof globalThis.fetch,
      restore() {
        restore();
        expect(Object.hasOwn(dispatcher, 'dispatch')).toBe(false);
      },
    };
  },
};
