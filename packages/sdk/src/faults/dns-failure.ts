import { disconnect } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms, oneOf } from '../core/params.js';

/** The server may be well: its name is not found, or nobody can be asked for it right now. */
export const dnsFailure = defineFault({
  type: 'dns-failure',
  summary: 'Fails to look up the name of the server, for a while.',
  carriers: ['http'],
  role: 'terminal',
  trigger: 'connect',
  methods: [],
  cannot: {
    stdio: 'A pipe has no name that could be looked up.',
    'in-process': 'Nothing is looked up in process.',
    http: 'The client looks up the name of the proxy, which is there.',
    'legacy-sse': 'The client looks up the name of the proxy, which is there.',
  },
  params: {
    code: oneOf(['ENOTFOUND', 'EAI_AGAIN'], {
      default: 'ENOTFOUND',
      about: 'There is no such name (ENOTFOUND), or the name server did not answer (EAI_AGAIN).',
    }),
    forMs: ms({ default: 5000, about: 'How long the name cannot be looked up; 0 fails only this connection.' }),
  },
  decide: (event, { code, forMs }) => (event.kind === 'connect' ? [disconnect(code, forMs)] : []),
});
