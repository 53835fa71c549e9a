/** An HTTP answer that no server gave: what a fault wants said, in parts that every kind of server can send. */
import { replyHeaders, type HttpReply } from '../core/effect.js';
import type { JsonObject } from '../core/message.js';

/** See the module comment. Header names are in lower case; an empty body is none. */
export type HttpAnswer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string };

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** The message of an answer with what HTTP says around it. A body of its own takes the place of the message. */
export function httpAnswer(message: JsonObject | undefined, http: HttpReply | undefined): HttpAnswer {
  const type = message === undefined || http?.body !== undefined ? {} : JSON_TYPE;
  return {
    status: http?.status ?? 200,
    headers: { ...type, ...(http === undefined ? {} : replyHeaders(http, Date.now())) },
    body: http?.body ?? (message === undefined ? '' : JSON.stringify(message)),
  };
}

/** As a Response. */
export function toResponse({ status, headers, body }: HttpAnswer): Response {
  // An empty text would be announced as text/plain; servers say nothing about a body that is not there.
  return new Response(body === '' ? null : body, { status, headers });
}
