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

/** What a tool returns that writes whatever it has as JSON, when it has nothing. */
const NULL_CONTENT: readonly unknown[] = [{ type: 'text', text: 'null' }];

/** A success with nothing in it: agents take it for "there is nothing", or invent something. */
export const emptyResult = defineFault({
  type: 'empty-result',
  summary: 'Takes everything out of a successful result.',
  carriers: ['mcp', 'command'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    what: oneOf(['both', 'content', 'structured', 'null'], {
      default: 'both',
      about: 'Which part is emptied: the content blocks, the structured content, or both; null puts a bare null into both.',
    }),
  },
  decide: (event, { what }, context) =>
    changeResult(event, context, (result) => {
      const { content, structuredContent } = result;
      if (what === 'null') {
        const isNull = structuredContent == null && JSON.stringify(content) === JSON.stringify(NULL_CONTENT);
        return isNull
          ? 'the result is empty already'
          : { ...result, content: NULL_CONTENT, ...(structuredContent === undefined ? {} : { structuredContent: null }) };
      }
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
