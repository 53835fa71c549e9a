import { noteDifferences } from '../core/changed-answer.js';
import { forward, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame, type Frame } from '../core/frame.js';
import { resultOf, withId, type JsonObject } from '../core/message.js';
import { ms } from '../core/params.js';
import type { Exchange } from '../core/session.js';
import { editableMessage } from '../core/tool-result.js';

type Answered = { readonly exchange: Exchange; readonly frame: Frame; readonly message: JsonObject };

/** Calls that the rule fired on and that are not answered yet, and the answer that waits for another to swap with. */
type Wires = { readonly inFlight: Set<Exchange>; waiting: Answered | undefined };

/** More calls in flight than this in one session: the oldest is no longer waited for. */
const MAX_IN_FLIGHT = 64;

/** Labels can outlive a session, so one with the same label is no partner: its answers belong to another client. */
const isOpen = (exchange: Exchange, session: Exchange['session']): boolean =>
  exchange.session === session && !exchange.isReported && !exchange.isCancelled;

/** A mix-up of ids inside a server or gateway. Each answer keeps the id that its caller waits for. */
export const crossWire = defineFault({
  type: 'cross-wire',
  summary: 'Swaps the results of two calls that are in flight at the same time in one session.',
  carriers: ['mcp'],
  role: 'terminal',
  phases: ['post'],
  params: {
    maxWaitMs: ms({ default: 2000, min: 1, about: 'How long the first answer waits for the second before it goes on untouched.' }),
  },
  memoryScope: 'session',
  memory: (): Wires => ({ inFlight: new Set(), waiting: undefined }),
  decide: (event, { maxWaitMs }, context) => {
    if (event.kind === 'connect') return [];
    const { exchange } = event;
    const { memory } = context;
    if (event.kind === 'frame' && event.part === 'request') {
      for (const other of memory.inFlight) if (!isOpen(other, exchange.session)) memory.inFlight.delete(other);
      if (memory.inFlight.size >= MAX_IN_FLIGHT) memory.inFlight.delete(memory.inFlight.values().next().value!);
      memory.inFlight.add(exchange);
      return [];
    }
    memory.inFlight.delete(exchange);
    if (event.kind === 'cancel') return [];
    const message = editableMessage(event.frame);
    if (typeof message === 'string') return context.notDelivered(message);
    const { waiting } = memory;
    memory.waiting = undefined;
    if (waiting !== undefined && waiting.exchange !== exchange && isOpen(waiting.exchange, exchange.session)) {
      // The first caller's entry was written when its answer was held back; what the second one sees is said here.
      noteDifferences(resultOf(message) ?? {}, resultOf(waiting.message) ?? {}, context.changed);
      return [
        forward(editFrame(waiting.frame, withId(message, waiting.exchange.id ?? null)), 0, waiting.exchange),
        forward(editFrame(event.frame, withId(waiting.message, exchange.id ?? null))),
      ];
    }
    if (![...memory.inFlight].some((other) => isOpen(other, exchange.session))) return context.notDelivered('no other call was in flight');
    memory.waiting = { exchange, frame: event.frame, message };
    return [hold(event.frame, { ms: maxWaitMs })];
  },
});
