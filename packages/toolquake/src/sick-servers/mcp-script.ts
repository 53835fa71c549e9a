/** A small MCP server over HTTP whose every answer can be another one: what sick servers are made of. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as TcpServer } from 'node:net';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { isObject, paramsOf, type JsonObject } from '@toolquake/sdk/core';

/** A request, and the ways to answer it. */
export type Turn = {
  readonly message: JsonObject;
  readonly method: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly params: JsonObject;
  result(result: JsonObject): void;
  error(code: number, message: string, status?: number, data?: unknown): void;
  raw(status: number, type: string | undefined, body: string, headers?: Readonly<Record<string, string>>): void;
};

/** Answers a turn, or returns false to have it answered as a healthy server would. */
export type Script = (turn: Turn) => boolean;

/** What runs until it is stopped. */
export type Running = { readonly url: string; readonly stop: () => Promise<void> };

const SCHEMA = { type: 'object', properties: { text: { type: 'string' } } };
/** The tools of a healthy server. */
export const TOOLS: readonly JsonObject[] = [
  { name: 'echo', description: 'Repeats a text.', inputSchema: SCHEMA, annotations: { readOnlyHint: true } },
];
const FRESH = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' };
const INFO = { name: 'sick-server', version: '1.0.0' };

/** The result of a healthy server; undefined for a method that it does not know. */
export function healthyResult(method: string, params: JsonObject): JsonObject | undefined {
  switch (method) {
    case 'server/discover':
      return {
        ...FRESH,
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        _meta: { 'io.modelcontextprotocol/serverInfo': INFO },
      };
    case 'initialize':
      return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: INFO };
    case 'tools/list':
      return { ...FRESH, tools: TOOLS };
    case 'tools/call': {
      const { text } = paramsOf({ params: params['arguments'] });
      return { resultType: 'complete', content: [{ type: 'text', text: typeof text === 'string' ? text : 'hello' }] };
    }
    default:
      return undefined;
  }
}

/** A server of the older era: it refuses what it does not know, and hands out a session. */
export const legacyScript =
  (inner: Script = () => false): Script =>
  (turn) => {
    if (inner(turn)) return true;
    if (turn.method === 'server/discover') {
      turn.error(-32000, 'Bad Request: Server not initialized', 400);
      return true;
    }
    if (turn.method !== 'initialize') return false;
    turn.response.setHeader('mcp-session-id', 'session-1');
    return false;
  };

/** Listens on a free loopback port. With `secure` it speaks TLS. */
export async function startScript(script: Script, secure?: ServerOptions): Promise<Running> {
  const listener = (request: IncomingMessage, response: ServerResponse): void => void serve(script, request, response);
  const server = secure === undefined ? createServer(listener) : createSecureServer(secure, listener);
  const running = await listening(server, secure === undefined ? 'http' : 'https');
  return {
    ...running,
    async stop() {
      server.closeAllConnections();
      await running.stop();
    },
  };
}

/** Any server on a free loopback port. */
export async function listening(server: TcpServer, scheme: 'http' | 'https'): Promise<Running> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { url: `${scheme}://127.0.0.1:${port}/mcp`, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Clients of a sick server are ours; still nobody may fill its memory. */
const MAX_BODY_BYTES = 1024 * 1024;

async function serve(script: Script, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.on('error', () => {});
  response.on('error', () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return void response.destroy();
    chunks.push(chunk);
  }
  const raw: Turn['raw'] = (status, type, body, headers = {}) => {
    response.writeHead(status, { ...(type === undefined ? {} : { 'content-type': type }), ...headers });
    response.end(body);
  };
  const message = parsed(Buffer.concat(chunks).toString('utf8'));
  const method = typeof message['method'] === 'string' ? message['method'] : '';
  const id = message['id'] ?? null;
  const json = (status: number, body: JsonObject): void => raw(status, 'application/json', JSON.stringify(body));
  const turn: Turn = {
    message,
    method,
    request,
    response,
    params: paramsOf(message),
    result: (result) => json(200, { jsonrpc: '2.0', id, result }),
    error: (code, text, status = 200, data) =>
      json(status, { jsonrpc: '2.0', id, error: { code, message: text, ...(data === undefined ? {} : { data }) } }),
    raw,
  };
  if (script(turn)) return;
  if (request.method !== 'POST') return raw(405, undefined, '');
  if (!('id' in message)) return raw(202, undefined, '');
  const result = healthyResult(method, turn.params);
  if (result === undefined) turn.error(-32601, 'Method not found', 404);
  else turn.result(result);
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
