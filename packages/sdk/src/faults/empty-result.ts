import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { isObject, withResult, type JsonObject } from '../core/message.js';
import { oneOf } from '../core/params.js';
import { editableResult } from '../core/tool-result.js';

/** A success with nothing in it: agents take it for "there is nothing", or invent something. */
export const emptyResult = defineFault({
  type: 'empty-result',
  summary: 'Takes everything out of a successful result.',
  carriers: ['mcp'],
  role: 'data',
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
    const emptied: JsonObject = { ...answer.result };
    const hasContent = what !== 'structured' && Array.isArray(content) && content.length > 0;
    const hasStructured = what !== 'content' && isObject(structuredContent) && Object.keys(structuredContent).length > 0;
    if (!hasContent && !hasStructured) return context.notDelivered('the result is empty already');
    if (hasContent) emptied['content'] = [];
    if (hasStructured) emptied['structuredContent'] = {};
    return [forward(editFrame(event.frame, withResult(answer.message, emptied)))];
  },
});
