import { changeResult } from '../core/changed-answer.js';
import { defineFault } from '../core/fault.js';
import { isObject } from '../core/message.js';
import { oneOf } from '../core/params.js';

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
  decide: (event, { what }, context) =>
    changeResult(event, context, (result) => {
      const { content, structuredContent } = result;
      const hasContent = what !== 'structured' && Array.isArray(content) && content.length > 0;
      const hasStructured = what !== 'content' && structuredContent !== undefined && !isEmpty(structuredContent);
      // Emptying the text beside it would make the two say different things.
      if (hasStructured && emptied(structuredContent) === undefined) return 'the structured content cannot be emptied';
      if (!hasContent && !hasStructured) return 'the result is empty already';
      return {
        ...result,
        ...(hasContent ? { content: [] } : {}),
        ...(hasStructured ? { structuredContent: emptied(structuredContent) } : {}),
      };
    }),
});
