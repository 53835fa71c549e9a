/** The words of a tool result: its texts that hold no data. */
import { isObject, type JsonObject } from './message.js';
import { jsonTextOf } from './tool-result.js';

/** A text block with words in it. */
export type ProseBlock = JsonObject & { readonly text: string };

const isProse = (block: unknown): block is ProseBlock =>
  isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' && jsonTextOf(block) === undefined;

/** The blocks of a result that hold words, in their order. */
export function proseOf(result: JsonObject): readonly ProseBlock[] {
  const blocks: unknown = result['content'];
  return Array.isArray(blocks) ? blocks.filter(isProse) : [];
}

/** The result with other words; `change` gets every block that `proseOf` names. */
export function changeProse(result: JsonObject, change: (block: ProseBlock) => string): JsonObject {
  const blocks: unknown = result['content'];
  if (!Array.isArray(blocks)) return result;
  return { ...result, content: blocks.map((block: unknown) => (isProse(block) ? { ...block, text: change(block) } : block)) };
}
