import { isObject } from '@toolquake/sdk/core';
import { judgeSchema } from '../keeps-schema.js';
import { defineMatcher } from '../matcher.js';

/** The promise of the tool itself. */
export const outputSchema = defineMatcher({
  word: 'outputSchema',
  field: {
    kind: 'flag',
    about:
      'true: the tool has an outputSchema, there is structured content, and it keeps it. A violation that can be told fails in any case.',
  },
  example: 'true',
  isStable: () => false,
  judge(given, { tool, result }) {
    if (!given) return [];
    const promised = tool?.['outputSchema'];
    if (!isObject(promised)) return [{ says: 'the tool has no outputSchema any more', reason: 'canary_output_schema_invalid' }];
    const { structuredContent } = result;
    if (structuredContent === undefined) return [];
    const { keeps, why } = judgeSchema(promised, structuredContent);
    if (keeps === undefined)
      return [{ says: 'whether the structured content keeps the outputSchema cannot be told within bounds', weight: 'undecided' }];
    const says = `the structured content violates the outputSchema${why === '' ? '' : ` ${why}`}`;
    return keeps ? [] : [{ says, reason: 'canary_output_schema_invalid' }];
  },
});
