import { forward, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { followCalls, pairUp, startPairing } from '../core/pairing.js';
import { ms } from '../core/params.js';

/** Answers may come in any order, and a client that takes them in the order of its questions mixes them up. */
export const reorder = defineFault({
  type: 'reorder',
  summary: 'Lets an answer be overtaken by the next one in the same session.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  phases: ['post'],
  params: {
    maxWaitMs: ms({ default: 2000, min: 1, about: 'How long an answer waits to be overtaken before it goes on.' }),
  },
  memoryScope: 'session',
  memory: startPairing,
  decide: (event, { maxWaitMs }, context) => {
    if (!followCalls(context.memory, event)) return [];
    if (event.frame.isOpaque) return context.notDelivered('too large');
    const overtaken = pairUp(context.memory, event);
    if (overtaken === 'alone') return context.notDelivered('no other call was in flight');
    if (overtaken === 'wait') return [hold(event.frame, { ms: maxWaitMs })];
    return [forward(event.frame), forward(overtaken.frame, 0, overtaken.exchange)];
  },
});
