import { changeResult } from '../core/changed-answer.js';
import { defineFault } from '../core/fault.js';
import { frameMessage } from '../core/frame.js';
import { oneOf } from '../core/params.js';
import { dataOf } from '../core/tool-result.js';
import { drawWrongValue, withWrongValue } from '../core/wrong-value.js';

/** Two code paths for one answer. A client forwards one of the two, and never notices that the other disagrees. */
export const splitBrain = defineFault({
  type: 'split-brain',
  summary: 'Makes the text and the structured content of a result say different things.',
  carriers: ['mcp'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    wrong: oneOf(['text', 'structured'], { default: 'text', about: 'Which of the two gets the wrong value; the other stays true.' }),
  },
  learnsTools: true,
  decide: (event, { wrong: where }, context) =>
    changeResult(event, context, (result, { tool, request }) => {
      if (result['structuredContent'] === undefined || dataOf(result).length < 2) return 'the data stand in one place only';
      const schema = context.knownTool(tool)?.outputSchema;
      const wrong = drawWrongValue(result, { op: 'auto', schema, besides: [frameMessage(request)], draw: () => context.draw() });
      return (wrong === undefined ? undefined : withWrongValue(result, wrong, where)) ?? 'there is no value that could be wrong';
    }),
});
