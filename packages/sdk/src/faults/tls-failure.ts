import { disconnect, type ConnectFailure } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms, oneOf } from '../core/params.js';

const CODES = {
  expired: 'CERT_HAS_EXPIRED',
  'self-signed': 'DEPTH_ZERO_SELF_SIGNED_CERT',
  name: 'ERR_TLS_CERT_ALTNAME_INVALID',
} as const satisfies Record<string, ConnectFailure>;

/** Trying again does not help, and switching the check off is the wrong answer. */
export const tlsFailure = defineFault({
  type: 'tls-failure',
  summary: 'Shows a certificate that cannot be trusted, for a while.',
  carriers: ['http'],
  role: 'terminal',
  trigger: 'connect',
  methods: [],
  cannot: {
    stdio: 'A pipe has no certificate.',
    'in-process': 'There are no certificates in process.',
    http: 'The proxy listens without TLS, so there is no certificate to distrust.',
    'legacy-sse': 'The proxy listens without TLS, so there is no certificate to distrust.',
  },
  params: {
    reason: oneOf(['expired', 'self-signed', 'name'], {
      default: 'expired',
      about: 'What is wrong with the certificate: it is too old, nobody vouches for it, or it is for another name.',
    }),
    forMs: ms({ default: 5000, about: 'How long the certificate stays bad; 0 fails only this connection.' }),
  },
  decide: (event, { reason, forMs }) => (event.kind === 'connect' ? [disconnect(CODES[reason], forMs)] : []),
});
