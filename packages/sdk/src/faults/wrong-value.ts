import { changeResult } from '../core/changed-answer.js';
import { parsePath } from '../core/data-path.js';
import { defineFault } from '../core/fault.js';
import { frameMessage } from '../core/frame.js';
import { oneOf, text } from '../core/params.js';
import { drawWrongValue, withWrongValue, WRONG_OPS } from '../core/wrong-value.js';

/** A bug, a mix-up of units or of customers: everything is valid, and one value is not true. */
export const wrongValue = defineFault({
  type: 'wrong-value',
  summary: 'Changes one value of a result into another of the same type and format that is not true.',
  carriers: ['mcp', 'command'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    op: oneOf(['auto', ...WRONG_OPS], { default: 'auto', about: 'How the value is wrong; auto draws a way that suits the value.' }),
    path: text({
      default: '',
      about: 'Where the value stands, for example orders[*].total; one is drawn where several do, or where none is given.',
    }),
  },
  whyPointless: ({ path }) => (parsePath(path) === undefined ? 'its path is not of the form orders[*].total' : undefined),
  learnsTools: true,
  decide: (event, { op, path }, context) =>
    changeResult(event, context, (result, { tool, request }) => {
      const wrong = drawWrongValue(result, {
        op,
        pattern: path === '' ? undefined : parsePath(path),
        schema: context.knownTool(tool)?.outputSchema,
        besides: [frameMessage(request)],
        draw: () => context.draw(),
      });
      return (wrong === undefined ? undefined : withWrongValue(result, wrong)) ?? 'there is no value that could be wrong';
    }),
});
