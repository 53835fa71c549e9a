import { pace as inSlices } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { count, ms } from '../core/params.js';

/** A thin line. Slices are cut by bytes, so a character of several bytes may arrive in two parts. */
export const pace = defineFault({
  type: 'pace',
  summary: 'Sends a message in small slices with pauses between them.',
  carriers: ['mcp', 'bytes'],
  role: 'shaping',
  phases: ['post', 'pre'],
  cannot: { 'in-process': 'A message is an object there: it has no bytes that could come one after the other.' },
  params: {
    sliceBytes: count({
      default: 64,
      min: 1,
      max: 1_048_576,
      unit: 'bytes',
      about: 'Bytes per slice; 1 splits every character that has more than one byte.',
    }),
    everyMs: ms({ default: 20, about: 'Time between two slices.' }),
  },
  decide: (event, { sliceBytes, everyMs }, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    if (event.kind !== 'frame' || event.part !== part) return [];
    return [inSlices(event.frame, { sliceBytes, everyMs })];
  },
});
