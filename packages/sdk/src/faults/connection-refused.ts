import { disconnect } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms } from '../core/params.js';

/** A server that is down, or not up yet. */
export const connectionRefused = defineFault({
  type: 'connection-refused',
  summary: 'Refuses new connections for a while.',
  carriers: ['http', 'bytes', 'command'],
  role: 'terminal',
  trigger: 'connect',
  methods: [],
  cannot: {
    stdio: 'The client starts the server itself and is connected from the first moment.',
    'in-process': 'A transport in process is connected from the first moment.',
  },
  params: { forMs: ms({ default: 5000, about: 'How long connections are refused; 0 refuses only this one.' }) },
  decide: (event, { forMs }) => (event.kind === 'connect' ? [disconnect('refuse', forMs)] : []),
});
