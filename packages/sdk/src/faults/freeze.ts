import { signalServer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms } from '../core/params.js';

/** A stopped process, a long garbage collection, a suspended machine: open pipes and no sign of life. */
export const freeze = defineFault({
  type: 'freeze',
  summary: 'Stops the whole server for a while; every call in it waits.',
  carriers: ['mcp', 'command'],
  role: 'extra',
  params: { forMs: ms({ default: 3000, min: 1, about: 'How long the server stands still.' }) },
  decide: (event, { forMs }) => (event.kind === 'frame' && event.part === 'request' ? [signalServer('freeze', forMs)] : []),
});
