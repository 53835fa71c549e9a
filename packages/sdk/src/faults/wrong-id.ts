import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { withId, type MessageId } from '../core/message.js';
import { oneOf } from '../core/params.js';
import type { Exchange } from '../core/session.js';
import { editableMessage } from '../core/tool-result.js';

/** Far from the ids that clients count up. */
const FAR = 1_000_000;

/** The same id as the other type; undefined for a text that is no number. */
function retyped(id: MessageId): MessageId | undefined {
  if (typeof id === 'number') return String(id);
  const number = Number(id);
  return typeof id === 'string' && String(number) === id && Number.isFinite(number) ? number : undefined;
}

/** An id that nobody in the session waits for. */
function foreign({ id, origin, session }: Exchange): MessageId {
  const waiting = session.waiting[origin];
  if (typeof id === 'string') {
    let text = `${id}-1`;
    while (waiting.has(text)) text += '-1';
    return text;
  }
  let number = typeof id === 'number' && Number.isSafeInteger(id) && Math.abs(id) < FAR ? id + FAR : FAR * 2;
  while (waiting.has(number) || number === id) number++;
  return number;
}

/** A server that loses or rewrites ids. The client cannot tell whose answer it is, and waits on. */
export const wrongId = defineFault({
  type: 'wrong-id',
  summary: 'Answers with an id that the caller did not use.',
  carriers: ['mcp'],
  role: 'terminal',
  phases: ['post'],
  params: {
    how: oneOf(['other', 'type', 'null'], {
      default: 'other',
      about: 'Which id comes back: one that nobody used, the same as text instead of a number (or the reverse), or null.',
    }),
  },
  decide: (event, { how }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const message = editableMessage(event.frame);
    if (typeof message === 'string') return context.notDelivered(message);
    const id = how === 'null' ? null : how === 'type' ? retyped(event.exchange.id ?? null) : foreign(event.exchange);
    if (id === undefined) return context.notDelivered('the id is a text that is no number');
    if (id === event.exchange.id) return context.notDelivered('the id is null already');
    return [forward(editFrame(event.frame, withId(message, id)))];
  },
});
