import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameBytes, frameFromBytes } from '../core/frame.js';
import { oneOf } from '../core/params.js';

/** What a misconfigured gateway puts in the place of an answer. One line, because a pipe ends messages at line ends. */
const PAGE = new TextEncoder().encode('<html><head><title>Welcome</title></head><body>It works!</body></html>');

/** A success by its status, and nothing that can be read as JSON. The server did the work. */
export const malformedBody = defineFault({
  type: 'malformed-body',
  summary: 'Answers with bytes that are not JSON.',
  carriers: ['mcp'],
  role: 'terminal',
  phases: ['post'],
  params: {
    as: oneOf(['page', 'cut'], { default: 'page', about: 'What comes instead: a web page, or the first half of the answer.' }),
  },
  decide: (event, { as }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    if (as === 'page') return [forward(frameFromBytes(event.frame.direction, PAGE))];
    if (event.frame.isOpaque) return context.notDelivered('too large');
    const bytes = frameBytes(event.frame);
    // Half of an object is never an object.
    return [forward(frameFromBytes(event.frame.direction, bytes.slice(0, Math.max(1, Math.floor(bytes.length / 2)))))];
  },
});
