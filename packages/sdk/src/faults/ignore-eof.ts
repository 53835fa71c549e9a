import { signalServer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { flag, ms } from '../core/params.js';

const ELSEWHERE = 'Over HTTP a server does not live by the connections of its clients.';

/** The server that piles up after every restart of its client: nobody told it to go in a way that it listens to. */
export const ignoreEof = defineFault({
  type: 'ignore-eof',
  summary: 'From here on the server stays for a while when its client closes its input.',
  carriers: ['mcp'],
  role: 'extra',
  cannot: {
    http: ELSEWHERE,
    fetch: ELSEWHERE,
    'in-process': 'A transport in process starts no server that could outlive it.',
    'legacy-sse': ELSEWHERE,
  },
  params: {
    forMs: ms({ default: 10_000, min: 1, about: 'How long it stays after it should have gone.' }),
    andSigterm: flag({ default: false, about: 'It does not listen to SIGTERM either.' }),
  },
  decide: (event, { forMs, andSigterm }) =>
    event.kind === 'frame' && event.part === 'request' ? [signalServer(andSigterm ? 'ignore-eof-and-sigterm' : 'ignore-eof', forMs)] : [],
});
