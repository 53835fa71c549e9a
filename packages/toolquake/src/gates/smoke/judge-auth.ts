/** Does the server keep out those who have no credential? Pure. */
import type { FailureFacts } from '../../core/connection.js';
import { failed, passed } from './outcome.js';
import type { SmokeOutcome } from './smoke-report.js';

/** What came of asking without a credential: what was answered all the same, and the refusal that ended it. */
export type AuthFacts = { readonly answered: readonly string[]; readonly refusal: FailureFacts | undefined };

/** The first refusal must be a 401 with a challenge. A hello may be open to everybody; lists and calls may not. */
export function judgeAuth({ answered, refusal }: AuthFacts): SmokeOutcome {
  if (refusal === undefined) return failed('deploy_auth_open', `without a credential the server answers ${answered.join(', ')}`);
  const open = answered.length === 0 ? '' : `; ${answered.join(', ')} is open`;
  switch (refusal.reason) {
    case 'auth_required':
      return answered.some((what) => what !== 'hello')
        ? failed('deploy_auth_open', `without a credential the server answers ${answered.join(', ')}`)
        : passed(`401 with a challenge for those without a credential${open}`);
    case 'auth_forbidden':
    case 'auth_insufficient_scope':
      return failed(
        'auth_challenge_invalid',
        `without a credential the server answers 403, and a client needs 401 with a challenge${open}`,
      );
    default:
      return failed(refusal.reason, `without a credential: ${refusal.detail}${open}`);
  }
}
