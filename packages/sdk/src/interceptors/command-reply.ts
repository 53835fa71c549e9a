/** Replies of a database as results, so that what changes the result of a tool changes them, too. Pure. */
import { isObject, type JsonObject } from '../core/message.js';

/** Replies nested deeper than this, or with more values, are nothing that a fault edits. */
const MAX_DEPTH = 64;
const MAX_VALUES = 100_000;

/**
 * A text becomes a text, which may hold JSON; an object stands as it is, any other value as the member `result`; nothing
 * is an empty result. What JSON cannot say (buffers, maps, dates) is a result that no data fault acts on.
 */
export function resultFromReply(reply: unknown): JsonObject {
  if (reply === null || reply === undefined) return { content: [] };
  if (typeof reply === 'string') return { content: [{ type: 'text', text: reply }] };
  if (!isPlainData(reply)) return { resultType: 'opaque', content: [] };
  return { content: [], structuredContent: isObject(reply) ? reply : { result: reply } };
}

/** The reply that a changed result stands for; `like` is what the server itself replied, where it did. */
export function replyFromResult(result: JsonObject, like: unknown): unknown {
  const { structuredContent, content } = result;
  if (structuredContent === undefined || structuredContent === null) return textOf(content) ?? emptyLike(like);
  if (!isObject(structuredContent) || isObject(like)) return structuredContent;
  if ('result' in structuredContent) return structuredContent['result'];
  return Object.keys(structuredContent).length === 0 ? emptyLike(like) : structuredContent;
}

/** What a database says that has nothing. */
const emptyLike = (like: unknown): unknown => (Array.isArray(like) ? [] : null);

function textOf(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((block: unknown) => (isObject(block) && typeof block['text'] === 'string' ? [block['text']] : []));
  return texts.length === 0 ? undefined : texts.join('\n');
}

function isPlainData(value: unknown): boolean {
  let level: unknown[] = [value];
  let seen = 0;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const next: unknown[] = [];
    for (const one of level) {
      if (++seen > MAX_VALUES) return false;
      if (one === null || typeof one === 'string' || typeof one === 'boolean' || Number.isFinite(one)) continue;
      if (Array.isArray(one)) for (const part of one as unknown[]) next.push(part);
      else if (isPlainObject(one)) for (const part of Object.values(one)) next.push(part);
      else return false;
    }
    if (next.length === 0) return true;
    level = next;
  }
  return false;
}

function isPlainObject(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
