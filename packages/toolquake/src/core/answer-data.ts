/** What an answer holds: its blocks, its text, its data. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';

/** The blocks of an answer: content of a tool, contents of a resource, messages of a prompt. */
export function blocksOf({ content, contents, messages }: JsonObject): readonly JsonObject[] {
  const list: unknown = Array.isArray(messages)
    ? messages.map((one: unknown) => (isObject(one) ? one['content'] : undefined))
    : (content ?? contents);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The texts of an answer, one per line. */
export const answerText = (result: JsonObject): string =>
  blocksOf(result)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');

/** The structured content, the messages of a prompt, or the JSON in the text; text that is no JSON is its own data. */
export function answerData(result: JsonObject): unknown {
  if (result['structuredContent'] !== undefined) return result['structuredContent'];
  if (Array.isArray(result['messages'])) return result['messages'];
  const text = answerText(result);
  try {
    const data: unknown = JSON.parse(text);
    return isDeeper(data, MAX_DEPTH) ? text : data;
  } catch {
    return text;
  }
}

/** The wire bounds how deep messages are, and not the JSON that stands in a text of theirs. */
const MAX_DEPTH = 100;

/** Is it nested deeper than so many levels? Without recursion: what is refused never reaches code that recurses. */
export function isDeeper(value: unknown, levels: number): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one.value !== 'object' || one.value === null) continue;
    if (one.depth >= levels) return true;
    for (const inner of Object.values(one.value)) open.push({ value: inner, depth: one.depth + 1 });
  }
  return false;
}
