import { forward, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';

/** What a retry below the client does: the caller sees one answer and cannot tell. */
export const doubleExecute = defineFault({
  type: 'double-execute',
  summary: 'Sends a call to the server twice; the caller gets the first answer only.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  params: {},
  decide: (event) => {
    if (event.kind !== 'frame') return [];
    if (event.part === 'request') return [forward(event.frame), forward(event.frame)];
    return event.exchange.answers >= 2 ? [hold(event.frame, 'never')] : [];
  },
});
