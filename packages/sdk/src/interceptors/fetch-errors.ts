/** The errors that a real fetch ends with, with the causes that callers look at. */

import type { ConnectFailure } from '../core/effect.js';

/** A cause as Node's fetch attaches it: a system error with its code. */
function causeOf(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Nobody listens there. */
export function refusedError(url: string): TypeError {
  const { hostname, port, protocol } = URL.canParse(url) ? new URL(url) : { hostname: url, port: '', protocol: '' };
  const about = { syscall: 'connect', address: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
  const cause = Object.assign(causeOf('ECONNREFUSED', `connect ECONNREFUSED ${about.address}:${about.port}`), about);
  return new TypeError('fetch failed', { cause });
}

/** undici knows its own errors by these, whichever copy of it made them. */
const UNDICI_MARKS = { [Symbol.for('undici.error.UND_ERR')]: true, [Symbol.for('undici.error.UND_ERR_SOCKET')]: true };

function socketError(): Error {
  const error = Object.assign(causeOf('UND_ERR_SOCKET', 'other side closed'), UNDICI_MARKS);
  Object.defineProperty(error, 'name', { value: 'SocketError', configurable: true, writable: true, enumerable: false });
  return error;
}

/** What Node says of each failure, as far as it does not depend on the certificate. */
const TLS_MESSAGES = {
  CERT_HAS_EXPIRED: 'certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
} as const;

/** The connection never came about: the name could not be looked up, or the certificate is not to be trusted. */
export function connectError(code: ConnectFailure, host: string): TypeError {
  const cause = ((): Error => {
    switch (code) {
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        // libuv's own numbers, which Node attaches.
        return Object.assign(causeOf(code, `getaddrinfo ${code} ${host}`), {
          errno: code === 'ENOTFOUND' ? -3008 : -3001,
          syscall: 'getaddrinfo',
          hostname: host,
        });
      case 'ERR_TLS_CERT_ALTNAME_INVALID': {
        const isAddress = /^[\d.]+$|:/.test(host);
        const reason = isAddress
          ? `IP: ${host} is not in the cert's list: `
          : `Host: ${host}. is not in the cert's altnames: DNS:example.com`;
        return Object.assign(causeOf(code, `Hostname/IP does not match certificate's altnames: ${reason}`), { reason, host });
      }
      default:
        return causeOf(code, TLS_MESSAGES[code]);
    }
  })();
  return new TypeError('fetch failed', { cause });
}

/** The connection broke. Before the response has begun fetch itself fails; after it, its body does. */
export function brokenError(how: 'reset' | 'end', hasBegun: boolean): TypeError {
  const cause = how === 'reset' ? Object.assign(causeOf('ECONNRESET', 'read ECONNRESET'), { syscall: 'read' }) : socketError();
  return new TypeError(hasBegun ? 'terminated' : 'fetch failed', { cause });
}

/** What an aborted signal makes fetch reject with: its reason, whatever that is. */
export function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? new DOMException('This operation was aborted', 'AbortError');
}
