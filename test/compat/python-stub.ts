/**
 * A stub of a Python service with mcp-chaos-monkey, as its documents have it: snake_case around the config, the config in
 * either casing, 400 with an error for what is wrong, and nothing told about an id that it does not know.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

const TYPES: Readonly<Record<string, readonly string[]>> = {
  latency: ['delay_ms'],
  error: ['status_code'],
  timeout: ['hang_ms'],
  malformed: [],
  'connection-refused': [],
  'connection-drop': [],
  'rate-limit': ['retry_after_seconds'],
  'schema-mismatch': [],
};

const snakeCase = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Fault = { id: string; target: string; type: string; request_count: number };

/** Starts it, and tells what is active in it. */
export async function startPythonStub(
  token: string,
): Promise<{ url: string; faults: Map<string, Fault & { config: object; duration_ms: unknown }> }> {
  const faults = new Map<string, Fault & { config: object; duration_ms: unknown }>();
  const answer = (route: string, body: Record<string, unknown>): [number, object] => {
    switch (route) {
      case 'GET /chaos/status':
        return [200, { faults: [...faults.values()].map(({ id, target, type, request_count }) => ({ id, target, type, request_count })) }];
      case 'POST /chaos/inject': {
        const { target, config, duration_ms } = body as { target?: unknown; config?: Record<string, unknown>; duration_ms?: unknown };
        if (typeof target !== 'string' || target === '') return [400, { error: 'Missing required field: target (non-empty string)' }];
        const needed = TYPES[String(config?.['type'])];
        if (config === undefined || needed === undefined) return [400, { error: 'Missing or invalid field: config.type' }];
        const known = Object.fromEntries(Object.entries(config).map(([key, value]) => [snakeCase(key), value]));
        const missing = needed.find((key) => !(key in known));
        if (missing !== undefined) return [400, { error: `${missing} must be a number` }];
        const id = `${target}-1700000000000-${String(faults.size).padStart(6, 'a')}`;
        faults.set(id, { id, target, type: String(config['type']), request_count: 3, config: known, duration_ms });
        return [200, { fault_id: id }];
      }
      case 'POST /chaos/clear': {
        const { fault_id: id } = body;
        if (typeof id !== 'string') return [400, { error: 'Missing required field: fault_id' }];
        faults.delete(id);
        return [200, { cleared: id }];
      }
      case 'POST /chaos/clear-all':
        faults.clear();
        return [200, { cleared: 'all' }];
      default:
        return [404, {}];
    }
  };
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const isAllowed = request.headers.authorization === `Bearer ${token}`;
    const [status, body] = isAllowed
      ? answer(`${request.method} ${request.url}`, text === '' ? {} : (JSON.parse(text) as Record<string, unknown>))
      : [403, { error: 'Invalid or missing CHAOS_ADMIN_TOKEN' }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, faults };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}
