import { changeResult } from '../core/changed-answer.js';
import { defineFault } from '../core/fault.js';
import { flag } from '../core/params.js';

/** The work is done and reported as failed: who trusts the flag does it again, who ignores it never sees a failure. */
export const successAsError = defineFault({
  type: 'success-as-error',
  summary: 'Marks a successful result as a failure; the server did the work.',
  carriers: ['mcp'],
  role: 'data',
  hasFixedMethods: true,
  phases: ['post'],
  params: { keepsStructured: flag({ default: true, about: 'Leaves the structured content in; servers often leave it out of failures.' }) },
  decide: (event, { keepsStructured }, context) =>
    changeResult(event, context, (result) => {
      const { structuredContent, ...rest } = result;
      return { ...rest, ...(keepsStructured && structuredContent !== undefined ? { structuredContent } : {}), isError: true };
    }),
});
