/** From the bytes of an answer to a JSON-RPC message, or to the reason why it is none. Pure: hostile input is refused, never followed. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, type RpcOutcome, type Stage } from '../core/connection.js';

const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Is JSON nested deeper than this? Looked at before it is parsed: whoever walks it later would run out of stack. */
function isDeeperThan(bytes: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at++;
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (OPENING.has(byte)) {
      if (++depth > maxDepth) return true;
    } else if (CLOSING.has(byte)) depth--;
  }
  return false;
}

/** A few words of what came instead, for a message. */
export function excerpt(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.subarray(0, 200)).toString('utf8');
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\ufffd]+/gu, ' ').trim();
  const words = plain.length > 80 ? `${plain.slice(0, 80)}...` : plain;
  return words === '' ? `${bytes.length} bytes that are no text` : JSON.stringify(words);
}

/** The messages in a text: one, or several of a batch. Throws a `TargetFailure` for whatever is none. */
export function parseMessages(bytes: Uint8Array, step: Stage, maxDepth: number): readonly JsonObject[] {
  const failed = (reason: 'jsonrpc_parse_error' | 'jsonrpc_invalid' | 'answer_too_large', detail: string): TargetFailure =>
    new TargetFailure({ reason, step, detail });
  if (isDeeperThan(bytes, maxDepth)) throw failed('answer_too_large', `the answer is nested more than ${maxDepth} levels deep`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw failed('jsonrpc_parse_error', bytes.length === 0 ? 'the answer is empty' : `the answer is not JSON: ${excerpt(bytes)}`);
  }
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (messages.length > 0 && messages.every(isObject)) return messages;
  throw failed('jsonrpc_invalid', `the answer is JSON, but no message: ${excerpt(bytes)}`);
}

/** The outcome in a response; the caller has compared the ids. */
export function outcomeOf(message: JsonObject, step: Stage, httpStatus?: number): RpcOutcome {
  const invalid = (detail: string): TargetFailure => new TargetFailure({ reason: 'jsonrpc_invalid', step, detail, httpStatus });
  if (message['jsonrpc'] !== '2.0') throw invalid(`"jsonrpc" is ${JSON.stringify(message['jsonrpc']) ?? 'absent'}, not "2.0"`);
  const hasResult = 'result' in message;
  const hasError = 'error' in message;
  if (hasResult === hasError)
    throw invalid(hasResult ? 'the answer has both a result and an error' : 'the answer has neither a result nor an error');
  if (hasResult) {
    const result = message['result'];
    if (isObject(result)) return { kind: 'result', result };
    throw invalid('the result is no object');
  }
  const error = message['error'];
  const code = isObject(error) ? error['code'] : undefined;
  if (!isObject(error) || typeof code !== 'number' || !Number.isInteger(code)) throw invalid('the error has no integer code');
  const text = typeof error['message'] === 'string' ? error['message'].slice(0, 500) : '(no message)';
  return { kind: 'error', error: { code, message: text, ...('data' in error ? { data: error['data'] } : {}), httpStatus } };
}

/** An answer to a request that the server made of us: politely, with nothing given away. */
export function politeAnswer(message: JsonObject): JsonObject {
  const id = message['id'] ?? null;
  if (message['method'] === 'ping') return { jsonrpc: '2.0', id, result: {} };
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'This client offers no such method.' } };
}
