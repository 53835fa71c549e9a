import { emit, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { count, ms } from '../core/params.js';

/** The stream looks alive for as long as anybody cares to wait, so idle timeouts never end it. */
export const heartbeatOnly = defineFault({
  type: 'heartbeat-only',
  summary: 'Keeps the answer back and sends stream heartbeats in its place.',
  carriers: ['http'],
  role: 'terminal',
  phases: ['post'],
  cannot: {
    stdio: 'A pipe has no heartbeats: every line is a message.',
    'in-process': 'There are no heartbeats in process: everything is a message.',
  },
  params: {
    everyMs: ms({ default: 15_000, min: 10, about: 'Time between two heartbeats.' }),
    count: count({ default: 240, min: 1, max: 100_000, unit: 'heartbeats', about: 'How many heartbeats are sent; silence follows.' }),
  },
  decide: (event, { everyMs, count: times }) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    return [hold(event.frame, 'never'), emit('heartbeat', { everyMs, count: times })];
  },
});
