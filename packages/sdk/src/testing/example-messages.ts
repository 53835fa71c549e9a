/** Messages as real peers write them, in both eras: the raw material of tests. */
import { frameFromMessage, type Frame } from '../core/frame.js';
import type { JsonObject, MessageId } from '../core/message.js';
import type { Era } from '../core/session.js';

const CLIENT = { name: 'test-client', version: '1.0.0' };

/** A request as a client of the era writes it: modern ones carry their version and name every time. */
export function exampleRequest(
  method: string,
  params: JsonObject = {},
  { id = 1, era = 'legacy' }: { id?: MessageId; era?: Era } = {},
): JsonObject {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id, method, params: era === 'modern' ? { ...params, _meta: meta } : params };
}

/** A tool call. */
export function exampleCall(options: { id?: MessageId; era?: Era; tool?: string; args?: JsonObject } = {}): JsonObject {
  return exampleRequest('tools/call', { name: options.tool ?? 'list_orders', arguments: options.args ?? { region: 'eu' } }, options);
}

/** A successful answer with any result, as a server of the era writes it. */
export function exampleAnswer(result: JsonObject, { id = 1, era = 'legacy' }: { id?: MessageId; era?: Era } = {}): JsonObject {
  return { jsonrpc: '2.0', id, result: era === 'modern' ? { resultType: 'complete', ...result } : result };
}

/** Data with lists, nested members, several types, and members that tell how much there is. */
export const EXAMPLE_DATA: JsonObject = {
  orders: [
    { orderId: 'A-1', total: 12.5, isPaid: true, customer: { name: 'Zoë', city: 'Köln' } },
    { orderId: 'A-2', total: 40, isPaid: false, customer: { name: '雪', city: '札幌' } },
    { orderId: 'A-3', total: 7, isPaid: true, customer: null },
    { orderId: 'A-4', total: 99.9, isPaid: true, customer: { name: '🦊', city: 'Oslo' } },
  ],
  total: 4,
  hasMore: false,
};

/** A tool result that says the same as structured content and as JSON text. */
export function exampleResult(data: JsonObject = EXAMPLE_DATA): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
}

/** A list of tools; the modern era also says how long it may be kept. */
export function exampleTools(names: readonly string[] = ['list_orders', 'create_refund'], era: Era = 'legacy'): JsonObject {
  const tools = names.map((name) => ({ name, description: `Does what ${name} says.`, inputSchema: { type: 'object' } }));
  return era === 'modern' ? { tools, ttlMs: 1000, cacheScope: 'private' } : { tools };
}

/** How a client of the era opens a conversation. */
export function exampleGreeting({ id = 1, era = 'legacy' }: { id?: MessageId; era?: Era } = {}): JsonObject {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT };
  return era === 'modern' ? exampleRequest('server/discover', {}, { id, era }) : exampleRequest('initialize', params, { id });
}

/** What a server of the era says to that. */
export function exampleWelcome(era: Era = 'legacy'): JsonObject {
  const capabilities = { tools: { listChanged: true } };
  if (era === 'modern') return { supportedVersions: ['2026-07-28'], capabilities, ttlMs: 1000, cacheScope: 'private' };
  return { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'test-server', version: '1.0.0' } };
}

/** How far a server is with a request. */
export const exampleProgress = (progressToken: MessageId, progress: number): JsonObject => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress, total: 4 },
});

/** A frame from a client, of a message. */
export const toServer = (message: unknown): Frame => frameFromMessage('to-server', message);

/** A frame from a server, of a message. */
export const toClient = (message: unknown): Frame => frameFromMessage('to-client', message);
