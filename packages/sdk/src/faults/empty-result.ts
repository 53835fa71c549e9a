import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { isObject, withResult, type JsonObject } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { editableResult } from '../core/tool-result.js';

/** The same kind of value with nothing in it; undefined for what cannot be emptied. */
function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (isObject(value)) return {};
  return typeof value === 'string' ? '' : undefined;
}

const isEmpty = (value: unknown): boolean => JSON.stringify(value) === JSON.stringify(emptied(value));

/** A success with nothing in it: agents take it for "there is nothing", or invent something. */
export const emptyResult = defineFault({
  type: 'empty-result',
  summary: 'Takes everything out of a successful result.',
  carriers: ['mcp'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    what: oneOf(['both', 'content', 'structured'], {
      default: 'both',
      about: 'Which part is emptied: the content blocks, the structured content, or both.',
    }),
  },
  decide: (event, { what }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const answer = editableResult(event.frame);
    if (typeof answer === 'string') return context.notDelivered(answer);
    const { content, structuredContent } = answer.result;
    const edited: JsonObject = { ...answer.result };
    const hasContent = what !== 'structured' && Array.isArray(content) && content.length > 0;
    const hasStructured = what !== 'content' && structuredContent !== undefined && !isEmpty(structuredContent);
    // Emptying the text beside it would make the two say different things.
    if (hasStructured && emptied(structuredContent) === undefined) return context.notDelivered('the structured content cannot be emptied');
    if (!hasContent && !hasStructured) return context.notDelivered('the result is empty already');
    if (hasContent) edited['content'] = [];
    if (hasStructured) edited['structuredContent'] = emptied(structuredContent);
    return [forward(editFrame(event.frame, withResult(answer.message, edited)))];
  },
});
