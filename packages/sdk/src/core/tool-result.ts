/**
 * What data faults need of an answer: is it safe to edit, and where are its data? A tool may say the same thing twice,
 * as `structuredContent` and as JSON text; an edit changes both, because a client reads one or the other.
 */
import { frameObject, type Frame } from './frame.js';
import { isObject, type JsonObject } from './message.js';
import { numberSpelling, stringifyLike } from './number-spelling.js';

/** Messages nested deeper than this are left alone: writing them again would overflow the stack. */
const MAX_DEPTH = 256;

/** The message of a frame that may be edited, or why it may not. */
export function editableMessage(frame: Frame): JsonObject | string {
  if (frame.isOpaque) return 'too large';
  const message = frameObject(frame);
  if (message === undefined) return 'not a JSON-RPC message';
  return isShallow(message) ? message : 'nested too deeply';
}

/** A complete, successful result together with its message, or why there is none. */
export function editableResult(frame: Frame): { readonly message: JsonObject; readonly result: JsonObject } | string {
  const message = editableMessage(frame);
  if (typeof message === 'string') return message;
  const { result } = message;
  if (!isObject(result)) return 'the answer is an error';
  if (result['isError'] === true) return 'the tool reported an error';
  const type = result['resultType'];
  return type === undefined || type === 'complete' ? { message, result } : 'the answer is not a complete result';
}

function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue;
      for (const part of Array.isArray(one) ? (one as unknown[]) : Object.values(one)) {
        if (typeof part === 'object' && part !== null) next.push(part);
      }
    }
    if (next.length === 0) return true;
    level = next;
  }
  return false;
}

/**
 * Changes the data of a tool result: `structuredContent`, and every text block that holds JSON. `change` returns its
 * argument when it has nothing to do; the answer is undefined when no place changed.
 */
export function changeData(result: JsonObject, change: (data: unknown) => unknown): JsonObject | undefined {
  const edited: JsonObject = { ...result };
  let isChanged = false;
  const structured = result['structuredContent'];
  if (structured !== undefined) {
    // A bare word or number is no data that an edit reaches in a text; to edit other blocks alone would tear them apart.
    if (!isData(structured)) return undefined;
    const changed = change(structured);
    isChanged = changed !== structured;
    edited['structuredContent'] = changed;
  }
  const blocks = result['content'];
  if (Array.isArray(blocks)) {
    edited['content'] = blocks.map((block: unknown) => {
      const data = jsonTextOf(block);
      if (data === undefined) return block;
      const changed = change(data);
      if (changed === data) return block;
      isChanged = true;
      const text = (block as JsonObject)['text'] as string;
      return { ...(block as JsonObject), text: stringifyLike(changed, numberSpelling(text), indentOf(text)) };
    });
  }
  return isChanged ? edited : undefined;
}

/** The data of a tool result, one entry per place where they stand. */
export function dataOf(result: JsonObject): readonly unknown[] {
  const blocks = result['content'];
  const texts = Array.isArray(blocks) ? blocks.map(jsonTextOf).filter((data) => data !== undefined) : [];
  const structured = result['structuredContent'];
  if (structured === undefined) return texts;
  return isData(structured) ? [structured, ...texts] : [];
}

/** What structured content wraps as its only member `result`, as servers do with what is no object; the text holds it bare. */
export function wrappedIn({ structuredContent }: JsonObject): unknown {
  return isObject(structuredContent) && Object.keys(structuredContent).join() === 'result' ? structuredContent['result'] : undefined;
}

function isData(value: unknown): boolean {
  return isObject(value) || Array.isArray(value);
}

/** The object or array that a text block holds as JSON; undefined for any other block. */
export function jsonTextOf(block: unknown): unknown {
  if (!isObject(block) || block['type'] !== 'text' || typeof block['text'] !== 'string') return undefined;
  if (!/^\s*[[{]/.test(block['text'])) return undefined;
  try {
    const data: unknown = JSON.parse(block['text']);
    return isShallow(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** How the text was indented, so that an edited text looks like its server wrote it. */
function indentOf(text: string): number {
  return /^\s*[[{]\r?\n( +)/.exec(text)?.[1]?.length ?? 0;
}
