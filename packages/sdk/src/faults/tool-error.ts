import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { toolErrorResult } from '../core/message.js';
import { text } from '../core/params.js';

/** `pre`: the tool never ran. `post`: it did, and says that it failed. */
export const toolError = defineFault({
  type: 'tool-error',
  summary: 'Answers a tool call with a result that reports a failure of the tool.',
  carriers: ['mcp'],
  role: 'terminal',
  hasFixedMethods: true,
  phases: ['pre', 'post'],
  params: { text: text({ default: 'The operation could not be completed.', about: 'What the tool says about its failure.' }) },
  decide: (event, params, context) => {
    if (event.kind !== 'frame' || event.exchange.id === undefined) return [];
    const error = toolErrorResult(event.exchange.id, params.text, event.exchange.session.era === 'modern');
    if (event.part === 'request') return context.phase === 'pre' ? [answer(error)] : [];
    return context.phase === 'post' ? [forward(editFrame(event.frame, error))] : [];
  },
});
