/** What an HTTP status means where an answer to a request is expected. Pure. */
import { TargetFailure, type Stage } from '../core/connection.js';
import type { FailureReason } from '../core/failure-reason.js';

/** What a status is judged by. */
export type StatusFacts = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly step: Stage;
  readonly hasCredential: boolean;
  /** When our own token ends, where it says so; milliseconds since 1970. */
  readonly credentialEndsAtMs: number | undefined;
  readonly wallClockMs: number;
  readonly hasSession: boolean;
};

const REASON_BY_STATUS: ReadonlyMap<number, FailureReason> = new Map([
  [404, 'http_not_found'],
  [410, 'http_not_found'],
  [405, 'http_method_not_allowed'],
  [406, 'http_not_acceptable'],
  [415, 'http_not_acceptable'],
  [429, 'http_rate_limited'],
  [502, 'http_bad_gateway'],
  [503, 'http_unavailable'],
  [504, 'http_gateway_timeout'],
]);

/** The first text of a header. */
export function headerText(headers: StatusFacts['headers'], name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** The failure that a status is; undefined for 2xx. */
export function statusFailure(facts: StatusFacts): TargetFailure | undefined {
  const { status, headers, step } = facts;
  if (status >= 200 && status < 300) return undefined;
  const failed = (reason: FailureReason, more: string = ''): TargetFailure => {
    const retryAfter = Number(headerText(headers, 'retry-after') ?? Number.NaN);
    return new TargetFailure({
      reason,
      step,
      detail: `HTTP status ${status}${more}`,
      httpStatus: status,
      ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
    });
  };
  if (status === 401) return unauthorised(facts, failed);
  if (status === 403) {
    const challenge = headerText(headers, 'www-authenticate') ?? '';
    return failed(/insufficient_scope/.test(challenge) ? 'auth_insufficient_scope' : 'auth_forbidden');
  }
  if (status === 404 && facts.hasSession) return failed('session_lost', ' for a session that the server gave us');
  if (status >= 300 && status < 400) return failed('http_redirect_unexpected', redirectText(headerText(headers, 'location')));
  return failed(REASON_BY_STATUS.get(status) ?? (status >= 500 ? 'http_server_error' : 'http_bad_request'));
}

function redirectText(location: string | undefined): string {
  if (location === undefined) return ' without a location';
  // Logins put tokens into the query.
  return ` to ${location.replace(/[?#].*$/, '').slice(0, 200)}`;
}

function unauthorised(facts: StatusFacts, failed: (reason: FailureReason, more?: string) => TargetFailure): TargetFailure {
  const { credentialEndsAtMs, wallClockMs } = facts;
  if (facts.hasCredential) {
    const hasEnded = credentialEndsAtMs !== undefined && credentialEndsAtMs <= wallClockMs;
    return hasEnded
      ? failed('auth_expired', `; the token ended at ${new Date(credentialEndsAtMs).toISOString()}`)
      : failed('auth_rejected');
  }
  const challenge = headerText(facts.headers, 'www-authenticate');
  const isValid = challenge !== undefined && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(\s|$)/.test(challenge);
  return isValid ? failed('auth_required') : failed('auth_challenge_invalid', ' without a WWW-Authenticate challenge');
}
