/** What one request to a server came to, in the words that OpenTelemetry has for it. Reads messages, and trusts none. Pure. */
import { isObject, type JsonObject } from '../core/message.js';

/** One finished request. */
export type Operation = {
  readonly method: string;
  readonly tool: string | undefined;
  /** The code of a protocol error, `tool_error` for a result with `isError`, or how it ended without an answer. */
  readonly errorType: string | undefined;
  readonly network: Network | undefined;
  /** The protocol revision that was spoken. */
  readonly version: string | undefined;
  readonly seconds: number;
};

/** `network.transport`: `pipe` is stdio. */
export type Network = 'pipe' | 'tcp';

/** A request that came in. */
export type IncomingRequest = {
  readonly key: string;
  readonly method: string;
  readonly tool: string | undefined;
  readonly version: string | undefined;
};

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** A revision is a date; what is none is no label. */
const REVISION = /^\d{4}-\d{2}-\d{2}$/;

/** The request that a message is; undefined for every other message. */
export function incomingRequest(message: unknown): IncomingRequest | undefined {
  if (!isObject(message)) return undefined;
  const { id, method, params } = message;
  const key = keyOf(id);
  if (key === undefined || typeof method !== 'string') return undefined;
  const given: JsonObject = isObject(params) ? params : {};
  const { name, _meta: meta } = given;
  return {
    key,
    method,
    tool: method === 'tools/call' ? (typeof name === 'string' ? name : '') : undefined,
    version: isObject(meta) ? revision(meta[VERSION_KEY]) : undefined,
  };
}

/** The key of the request that a message cancels; undefined for every other message. */
export function cancelledKey(message: unknown): string | undefined {
  if (!isObject(message) || message['method'] !== 'notifications/cancelled') return undefined;
  const { params } = message;
  return isObject(params) ? keyOf(params['requestId']) : undefined;
}

/** An answer that went out. */
export type OutgoingAnswer = { readonly key: string; readonly errorType: string | undefined; readonly result: JsonObject | undefined };

/** The answer that a message is; undefined for every other message. */
export function outgoingAnswer(message: unknown): OutgoingAnswer | undefined {
  if (!isObject(message) || message['method'] !== undefined) return undefined;
  const { id, error, result } = message;
  const key = keyOf(id);
  if (key === undefined) return undefined;
  if (isObject(error)) return { key, errorType: String(error['code']), result: undefined };
  const answer = isObject(result) ? result : undefined;
  return { key, errorType: answer?.['isError'] === true ? 'tool_error' : undefined, result: answer };
}

/** A protocol revision, or nothing. */
export function revision(value: unknown): string | undefined {
  return typeof value === 'string' && REVISION.test(value) ? value : undefined;
}

/** The number 1 and the text "1" are two ids. */
function keyOf(id: unknown): string | undefined {
  return typeof id === 'number' || typeof id === 'string' ? `${typeof id}:${id}` : undefined;
}
