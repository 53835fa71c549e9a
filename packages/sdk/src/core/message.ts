/** JSON-RPC as MCP uses it: the shapes, and the few edits that faults make to them. Pure. */

/** A JSON-RPC id. 0 and strings are common; `null` occurs in HTTP-level errors. */
export type MessageId = string | number | null;

/** A parsed JSON object whose fields nobody has checked yet. */
export type JsonObject = { [key: string]: unknown };

/** What a message is. `other` covers batches, bare values and bytes that are not JSON. */
export type MessageKind = 'request' | 'notification' | 'response' | 'other';

/** Which way a frame travels. */
export type Direction = 'to-server' | 'to-client';

/** The other way. */
export function opposite(direction: Direction): Direction {
  return direction === 'to-server' ? 'to-client' : 'to-server';
}

/** The method of frames that stand for a command to a database. What is called is its tool: `GET`, `SELECT`. */
export const COMMAND_METHOD = 'command';

/** Do requests of this method call something by its name? */
export function callsByName(method: string): boolean {
  return method === 'tools/call' || method === COMMAND_METHOD;
}

/** True for a plain JSON object (not an array, not null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Classifies a parsed message by its members, as both SDK generations do. */
export function kindOfMessage(message: unknown): MessageKind {
  if (!isObject(message)) return 'other';
  if (typeof message['method'] === 'string') return 'id' in message ? 'request' : 'notification';
  if ('id' in message && ('result' in message || 'error' in message)) return 'response';
  return 'other';
}

/** A JSON-RPC error response. Codes from -32020 to -32099 belong to the specification: never invent one there. */
export function rpcError(id: MessageId, code: number, message: string, data?: unknown): JsonObject {
  return { jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } };
}

/** A tool result that reports a failure of the tool itself (`isError`). */
export function toolErrorResult(id: MessageId, text: string, isModern: boolean): JsonObject {
  return { jsonrpc: '2.0', id, result: { ...wordsResult(text, isModern), isError: true } };
}

/** A complete result that says so many words; modern results say that they are complete. */
export function wordsResult(text: string, isModern: boolean): JsonObject {
  return { ...(isModern ? { resultType: 'complete' } : {}), content: [{ type: 'text', text }] };
}

/** The same in words and as structured content. */
export function dataResult(data: JsonObject, isModern: boolean): JsonObject {
  return { ...wordsResult(JSON.stringify(data), isModern), structuredContent: data };
}

/** The parameters of a message; none where it has none, or where they are no object. */
export function paramsOf(message: JsonObject | undefined): JsonObject {
  const params = message?.['params'];
  return isObject(params) ? params : {};
}

/** The same message with another `result`; every other member and the key order stay. */
export function withResult(message: JsonObject, result: unknown): JsonObject {
  return { ...message, result };
}

/** The same message with another `id`; every other member and the key order stay. */
export function withId(message: JsonObject, id: MessageId): JsonObject {
  return { ...message, id };
}

/** The same object without some of its members; the order of the others stays. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** The `result` of a successful response, when it is an object. */
export function resultOf(message: unknown): JsonObject | undefined {
  if (!isObject(message)) return undefined;
  const result = message['result'];
  return isObject(result) ? result : undefined;
}

/** The tool (or prompt) that a request names, when it names one. */
export function toolOf(message: unknown): string | undefined {
  if (!isObject(message) || !isObject(message['params'])) return undefined;
  const name = message['params']['name'];
  return typeof name === 'string' ? name : undefined;
}
