/** Servers whose trouble is TLS. Authorities are made on the spot; who is to trust one gets its certificate. */
import { createServer } from 'node:net';
import type { Ailments } from './ailment.js';
import { makeCertificate, type Certificate } from './certificate.js';
import { listening, startScript } from './mcp-script.js';

const DAY_MS = 86_400_000;
const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

type Leaf = { readonly from?: number; readonly until?: number; readonly hosts?: readonly string[] };

function authority(): Certificate & { readonly name: string } {
  const name = 'Toolquake Test Authority';
  return { name, ...makeCertificate({ name, hosts: [], notBefore: inDays(-3000), notAfter: inDays(3000), isAuthority: true }) };
}

/** A server whose certificate comes from an authority that the client may be told to trust. */
async function secure({ from = -10, until = 365, hosts = ['127.0.0.1', 'localhost'] }: Leaf, isTrusted: boolean, wantsCertificate = false) {
  const issuer = authority();
  const leaf = makeCertificate({ name: 'localhost', hosts, notBefore: inDays(from), notAfter: inDays(until), issuer });
  const running = await startScript(() => false, { ...leaf, requestCert: wantsCertificate, rejectUnauthorized: wantsCertificate });
  return { ...running, ...(isTrusted ? { authority: issuer.cert } : {}) };
}

export const tlsAilments: Ailments = {
  tls_expired: () => secure({ from: -100, until: -1 }, true),
  tls_not_yet_valid: () => secure({ from: 5 }, true),
  tls_hostname_mismatch: () => secure({ hosts: ['other.example'] }, true),
  tls_untrusted: () => secure({}, false),
  tls_client_cert_required: () => secure({}, true, true),
  tls_expiring: () => secure({ until: 5 }, true),
  tls_self_signed: () =>
    startScript(() => false, makeCertificate({ name: 'localhost', hosts: ['127.0.0.1'], notBefore: inDays(-1), notAfter: inDays(365) })),
  async tls_protocol_error() {
    const running = await startScript(() => false);
    return { ...running, url: running.url.replace('http:', 'https:') };
  },
  tls_timeout: async () => {
    const sockets = new Set<{ destroy(): void }>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).resume();
    });
    const running = await listening(server, 'https');
    return {
      ...running,
      stop() {
        for (const socket of sockets) socket.destroy();
        return running.stop();
      },
    };
  },
};
