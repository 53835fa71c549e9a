import { emit, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { rpcError } from '../core/message.js';
import { count, flag } from '../core/params.js';

/** A retry behind a gateway. Over HTTP all copies share one event stream, which begins for them where there is none. */
export const duplicateResponse = defineFault({
  type: 'duplicate-response',
  summary: 'Answers a request more than once.',
  carriers: ['mcp'],
  role: 'terminal',
  phases: ['post'],
  params: {
    copies: count({ default: 2, min: 2, max: 100, unit: 'answers', about: 'How many answers there are, the true one included.' }),
    differ: flag({ default: false, about: 'The first answer is true, and the ones after it report an internal error.' }),
  },
  decide: (event, { copies, differ }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer' || event.exchange.id === undefined) return [];
    if (event.frame.isOpaque) return context.notDelivered('too large');
    // What a server says twice by itself is not multiplied.
    if (event.exchange.answers > 1) return [];
    const later = differ ? editFrame(event.frame, rpcError(event.exchange.id, -32603, 'Internal error')) : event.frame;
    // The one that is sent last ends a response over HTTP, so the true one goes before it.
    const before = Array.from({ length: copies - 1 }, (_, index) => emit(index === 0 ? event.frame : later, { everyMs: 0, count: 1 }));
    return [...before, forward(later)];
  },
});
