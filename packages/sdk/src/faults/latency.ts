import { defineFault } from '../core/fault.js';
import { forward } from '../core/effect.js';
import { ms } from '../core/params.js';

/** A slow server (`post`) or a slow way to it (`pre`). Other calls are not delayed. */
export const latency = defineFault({
  type: 'latency',
  summary: 'Delays a call by a fixed time plus uniform jitter.',
  carriers: ['mcp', 'bytes', 'command'],
  role: 'shaping',
  phases: ['post', 'pre'],
  params: {
    addedMs: ms({ default: 250, about: 'Time added to every call that the rule fires on.' }),
    jitterMs: ms({ default: 0, about: 'Up to this much more, drawn uniformly.' }),
  },
  decide: (event, { addedMs, jitterMs }, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    if (event.kind !== 'frame' || event.part !== part) return [];
    return [forward(event.frame, addedMs + (jitterMs === 0 ? 0 : context.draw() * jitterMs))];
  },
});
