/** A scene: what a client said once, and everything that the server did because of it, in order. */
import {
  canonicalJson,
  frameFromMessage,
  frameHead,
  isObject,
  paramsOf,
  without,
  type JsonObject,
  type MessageId,
} from '@toolquake/sdk/core';
import type { RecordedHttp } from './recording-line.js';
import { redactValue } from './redact.js';

/** One thing that happened in a scene. `gapMs` is the time since the thing before it. */
export type Step =
  | {
      readonly kind: 'say';
      readonly gapMs: number;
      readonly text: string;
      readonly message: JsonObject;
      /** Where it is said, if not beside the answer: in the stream for news (GET), or on the subscription of another scene. */
      readonly to?: 'news' | Scene | undefined;
    }
  | { readonly kind: 'answer'; readonly gapMs: number; readonly text: string; readonly message: JsonObject }
  /** The client answered a request of the server's here. */
  | { readonly kind: 'await'; readonly gapMs: 0; readonly id: MessageId }
  /** An answer that was too large to be recorded. */
  | { readonly kind: 'fail'; readonly gapMs: number }
  /** An HTTP answer that holds no answer: an error page, a challenge, a status alone. */
  | { readonly kind: 'reply'; readonly gapMs: number; readonly reply: HttpReply }
  /** The server broke the connection off here. */
  | { readonly kind: 'cut'; readonly gapMs: number };

/** A whole HTTP answer. */
export type HttpReply = Pick<RecordedHttp, 'status' | 'headers' | 'body' | 'isBase64' | 'note'>;

/** How the answer to a request travelled over HTTP. */
export type HttpForm = { readonly status: number; readonly isStream: boolean; readonly opensSession: boolean };

/** See the module comment. A notification opens a scene too, without an id. */
export type Scene = {
  readonly method: string;
  readonly tool: string | undefined;
  readonly key: string;
  readonly id: MessageId | undefined;
  readonly progressToken: unknown;
  readonly steps: readonly Step[];
  /** Absent when it was recorded over stdio. */
  readonly form: HttpForm | undefined;
};

/** An id as a key: 1 and "1" are two. */
export const idKey = (id: MessageId | undefined): string => JSON.stringify(id ?? null);

/** Members of a message that differ from run to run and say nothing about what is asked. */
const PASSING: Readonly<Record<string, readonly string[]>> = {
  'notifications/cancelled': ['requestId', 'reason'],
  'notifications/progress': ['progressToken'],
  initialize: ['clientInfo', 'capabilities'],
};

/**
 * Equal for two messages that ask for the same: method and parameters in canonical order, without `_meta` (progress
 * tokens, traces, what a client says about itself) and without secrets, which no recording knows.
 */
export function sceneKey(message: JsonObject): string {
  const method = String(message['method']);
  const params = without(paramsOf(message), '_meta', ...(PASSING[method] ?? []));
  return `${method} ${canonicalJson(redactValue(params))}`;
}

/** The tool (or prompt) that a message names. */
export const toolNamed = (message: JsonObject): string | undefined => frameHead(frameFromMessage('to-server', message)).tool;

/** Ties a message to the subscription that it is news of. */
export const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

/** The subscription that a notification says it belongs to. */
export function subscriptionOf(message: JsonObject): unknown {
  const meta = paramsOf(message)['_meta'];
  return isObject(meta) ? meta[SUBSCRIPTION] : undefined;
}

/** The token that progress is to be reported with. */
export function progressTokenOf(message: JsonObject): unknown {
  const meta = paramsOf(message)['_meta'];
  return isObject(meta) ? meta['progressToken'] : undefined;
}
