import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { rpcError } from '../core/message.js';
import { count, text } from '../core/params.js';

/** `pre`: the server never hears of the call. `post`: it did the work, and the caller is told that it failed. */
export const errorResponse = defineFault({
  type: 'error-response',
  summary: 'Answers a request with a JSON-RPC error.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  phases: ['pre', 'post'],
  params: {
    code: count({ default: -32603, min: -32768, max: 32767, unit: 'code', about: 'JSON-RPC error code.' }),
    message: text({ default: 'Internal error', about: 'Error message.' }),
  },
  decide: (event, { code, message }, context) => {
    if (event.kind !== 'frame' || event.exchange.id === undefined) return [];
    const error = rpcError(event.exchange.id, code, message);
    if (event.part === 'request') return context.phase === 'pre' ? [answer(error)] : [];
    return context.phase === 'post' ? [forward(editFrame(event.frame, error))] : [];
  },
});
