import { changeResult } from '../core/changed-answer.js';
import { changeAt, membersIn, pick } from '../core/data-path.js';
import { defineFault } from '../core/fault.js';
import { isObject } from '../core/message.js';
import { count } from '../core/params.js';
import { changeData, dataOf } from '../core/tool-result.js';

/** A value inside so many objects, each the only member of the one around it. */
function nested(value: unknown, name: string, levels: number): unknown {
  let whole = value;
  for (let level = 0; level < levels; level++) whole = { [name]: whole };
  return whole;
}

/** A tree that was written out along its parents. Parsers, loggers and validators that call themselves run out of stack. */
export const deepNesting = defineFault({
  type: 'deep-nesting',
  summary: 'Puts a value of a result many levels deep.',
  carriers: ['mcp'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    // More than this many levels we could not write ourselves.
    levels: count({ default: 1000, min: 1, max: 3000, unit: 'levels', about: 'How many objects are put around the value.' }),
  },
  decide: (event, { levels }, context) =>
    changeResult(event, context, (result) => {
      const member = pick(
        membersIn(dataOf(result)[0]).filter(({ path }) => path.length === 1),
        context.draw(),
      );
      const [name] = member?.path ?? [];
      if (typeof name === 'string') {
        return changeData(result, (data) => changeAt(data, [name], (value) => nested(value, name, levels))) ?? 'there is nothing to nest';
      }
      const blocks: unknown = result['content'];
      const first: unknown = Array.isArray(blocks) ? blocks[0] : undefined;
      if (result['structuredContent'] !== undefined || !isObject(first) || typeof first['text'] !== 'string')
        return 'there is nothing to nest';
      const text = JSON.stringify(nested(first['text'], 'value', levels));
      return { ...result, content: [{ ...first, text }, ...(blocks as unknown[]).slice(1)] };
    }),
});
