import { pace } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { count } from '../core/params.js';

/** Short enough to look like a steady stream, long enough for the timers of every system. */
const EVERY_MS = 10;

/** A line that is too thin for what is said on it: small answers hardly notice, large ones take their time. */
export const bandwidth = defineFault({
  type: 'bandwidth',
  summary: 'Sends a message no faster than a line of the given width would.',
  carriers: ['mcp', 'bytes'],
  role: 'shaping',
  phases: ['post', 'pre'],
  cannot: { 'in-process': 'A message is an object there: it has no bytes that could come slowly. See latency.' },
  params: {
    kilobytesPerSecond: count({ default: 16, min: 1, max: 100_000, unit: 'kB/s', about: 'Width of the line, in units of 1000 bytes.' }),
  },
  decide: (event, { kilobytesPerSecond }, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    if (event.kind !== 'frame' || event.part !== part) return [];
    return [pace(event.frame, { sliceBytes: kilobytesPerSecond * EVERY_MS, everyMs: EVERY_MS })];
  },
});
