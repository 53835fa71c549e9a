/** From what Node says when a connection fails to the reason that we give. Pure. */
import { TargetFailure, type Stage } from '../core/connection.js';
import type { FailureReason } from '../core/failure-reason.js';

const REASON_BY_CODE: Readonly<Record<string, FailureReason>> = {
  ENOTFOUND: 'dns_nxdomain',
  ENODATA: 'dns_nxdomain',
  EAI_AGAIN: 'dns_servfail',
  EAI_FAIL: 'dns_servfail',
  ESERVFAIL: 'dns_servfail',
  EREFUSED: 'dns_servfail',
  ETIMEOUT: 'dns_timeout',
  ECONNREFUSED: 'connection_refused',
  EHOSTUNREACH: 'host_unreachable',
  ENETUNREACH: 'host_unreachable',
  EADDRNOTAVAIL: 'host_unreachable',
  EHOSTDOWN: 'host_unreachable',
  ENETDOWN: 'host_unreachable',
  ETIMEDOUT: 'connect_timeout',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  CERT_HAS_EXPIRED: 'tls_expired',
  CERT_NOT_YET_VALID: 'tls_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_hostname_mismatch',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_self_signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_untrusted',
  CERT_UNTRUSTED: 'tls_untrusted',
  CERT_CHAIN_TOO_LONG: 'tls_untrusted',
  CERT_REVOKED: 'tls_untrusted',
  CERT_REJECTED: 'tls_untrusted',
  CERT_SIGNATURE_FAILURE: 'tls_untrusted',
  INVALID_CA: 'tls_untrusted',
  INVALID_PURPOSE: 'tls_untrusted',
  EPROTO: 'tls_protocol_error',
};

/** The code of an error; of several attempts, that of the one that got furthest. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) {
    const codes = (error.errors as readonly unknown[]).map(codeOf).filter((code) => code !== undefined);
    // One family may be missing on this machine; what the other met is the story.
    return codes.find((code) => !['ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTUNREACH'].includes(code)) ?? codes[0] ?? ownCode(error);
  }
  return ownCode(error);
}

function ownCode(error: unknown): string | undefined {
  // Errors of the system have a code, which Error does not declare.
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

function reasonOf(error: unknown, step: Stage): FailureReason {
  const code = codeOf(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  if (/CERTIFICATE_REQUIRED|ALERT_BAD_CERTIFICATE/.test(code)) return 'tls_client_cert_required';
  if (code.startsWith('HPE_')) return /INVALID_EOF_STATE/.test(code) ? 'http_truncated' : 'http_malformed';
  // What Node says when the other end closes before the headers of an answer.
  if (code === 'ECONNRESET' && /socket hang up|before secure TLS/.test(message)) {
    return step === 'tls' ? 'tls_protocol_error' : 'connection_closed_early';
  }
  if (code === 'ECONNRESET' && step === 'tls') return 'tls_protocol_error';
  if (/^ERR_SSL_|^ERR_TLS_/.test(code) && code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return 'tls_protocol_error';
  const known = REASON_BY_CODE[code];
  if (known !== undefined) return known;
  // Whatever OpenSSL finds wrong with a certificate and has no row of its own is a matter of trust.
  return step === 'tls' ? 'tls_untrusted' : 'unknown';
}

/** A failure of the network at a step; a failure that has its reason already passes as it is. */
export function networkFailure(error: unknown, step: Stage, where: string): TargetFailure {
  if (error instanceof TargetFailure) return error;
  const code = codeOf(error);
  const message = error instanceof Error && error.message !== '' ? error.message : 'no attempt to connect succeeded';
  return new TargetFailure({
    reason: reasonOf(error, step),
    step,
    detail: `${where}: ${message}${code === undefined ? '' : ` (${code})`}`,
    cause: error,
  });
}
