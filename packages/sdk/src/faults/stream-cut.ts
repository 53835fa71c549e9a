import { disconnect, emit, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { count, ms } from '../core/params.js';

/** A stream that began well and ended in good order, only too early. `post`: the server did the work all the same. */
export const streamCut = defineFault({
  type: 'stream-cut',
  summary: 'Ends an event stream before the answer that it was opened for.',
  carriers: ['http'],
  role: 'terminal',
  phases: ['post', 'pre'],
  cannot: {
    stdio: 'A pipe has one stream for everything: where it ends, the server has ended.',
    'in-process': 'A transport in process has one stream for everything: see connection-drop.',
  },
  params: {
    heartbeats: count({ default: 1, min: 1, max: 100_000, unit: 'heartbeats', about: 'How many heartbeats come before the end.' }),
    everyMs: ms({ default: 1000, min: 1, about: 'Time between two heartbeats, and between the last one and the end.' }),
  },
  decide: (event, { heartbeats, everyMs }, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    if (event.kind !== 'frame' || event.part !== part || event.exchange.id === undefined) return [];
    return [hold(event.frame, 'never'), emit('heartbeat', { everyMs, count: heartbeats }), disconnect('end', 0, heartbeats * everyMs)];
  },
});
