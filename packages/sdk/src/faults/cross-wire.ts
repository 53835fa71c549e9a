import { noteDifferences } from '../core/changed-answer.js';
import { forward, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { resultOf, withId } from '../core/message.js';
import { followCalls, pairUp, startPairing } from '../core/pairing.js';
import { ms } from '../core/params.js';
import { editableMessage } from '../core/tool-result.js';

/** A mix-up of ids inside a server or gateway. Each answer keeps the id that its caller waits for. */
export const crossWire = defineFault({
  type: 'cross-wire',
  summary: 'Swaps the results of two calls that are in flight at the same time in one session.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  phases: ['post'],
  params: {
    maxWaitMs: ms({ default: 2000, min: 1, about: 'How long the first answer waits for the second before it goes on untouched.' }),
  },
  memoryScope: 'session',
  memory: startPairing,
  decide: (event, { maxWaitMs }, context) => {
    if (!followCalls(context.memory, event)) return [];
    const message = editableMessage(event.frame);
    if (typeof message === 'string') return context.notDelivered(message);
    const other = pairUp(context.memory, event);
    if (other === 'alone') return context.notDelivered('no other call was in flight');
    if (other === 'wait') return [hold(event.frame, { ms: maxWaitMs })];
    const swapped = editableMessage(other.frame);
    if (typeof swapped === 'string') return context.notDelivered(swapped);
    // The first caller's entry was written when its answer was held back; what the second one sees is said here.
    noteDifferences(resultOf(message) ?? {}, resultOf(swapped) ?? {}, context.changed);
    return [
      forward(editFrame(other.frame, withId(message, other.exchange.id ?? null)), 0, other.exchange),
      forward(editFrame(event.frame, withId(swapped, event.exchange.id ?? null))),
    ];
  },
});
