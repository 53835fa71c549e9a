import { signalServer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { count } from '../core/params.js';

const ELSEWHERE = 'Over HTTP nobody but its own machine reads what a server logs.';

/** A log level that was left at debug: a client that does not read its server's stderr waits for ever, and so does the server. */
export const stderrFlood = defineFault({
  type: 'stderr-flood',
  summary: 'The server logs so much to stderr that it stands still until somebody has read it.',
  carriers: ['mcp'],
  role: 'extra',
  cannot: {
    http: ELSEWHERE,
    fetch: ELSEWHERE,
    'in-process': 'Nobody reads what a part of the same process logs.',
    'legacy-sse': ELSEWHERE,
  },
  params: {
    bytes: count({
      default: 262_144,
      min: 1,
      max: 1_073_741_824,
      unit: 'bytes',
      about: 'How much; a pipe that nobody reads takes 65,536 on Linux.',
    }),
  },
  decide: (event, { bytes }) => (event.kind === 'frame' && event.part === 'request' ? [signalServer('flood-stderr', 0, bytes)] : []),
});
