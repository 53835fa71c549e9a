/** The challenge of a 401 or 403 as the protected resource itself would write it: RFC 6750 with RFC 9728. Pure. */
import { bearerChallenge } from '../core/header-value.js';
import type { HttpAnswer } from './http-answer.js';

/** What a resource says of itself in every challenge. */
export type ResourceChallenge = {
  /** Address of its metadata (RFC 9728); empty: not told. */
  readonly resourceMetadata: string;
  /** Scopes that a client should ask for at first (a 401), separated by spaces; empty: not told. */
  readonly scope: string;
};

const CHALLENGE = /^Bearer(?: [\w-]+="(?:[^"\\]|\\.)*"(?:, [\w-]+="(?:[^"\\]|\\.)*")*)?$/;
const PARAM = /([\w-]+)="((?:[^"\\]|\\.)*)"/g;

/** The parameters of a challenge that was written well; undefined for one that was broken on purpose. */
export function readChallenge(header: string): Readonly<Record<string, string>> | undefined {
  if (!CHALLENGE.test(header)) return undefined;
  return Object.fromEntries([...header.matchAll(PARAM)].map(([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')]));
}

/**
 * Completes the challenge of an answer: what the fault says stands, what it leaves open the resource fills in. Who came
 * without credentials is not told that they are wrong (RFC 6750, section 3.1). Broken and missing challenges stay so.
 */
export function completeChallenge(answer: HttpAnswer, resource: ResourceChallenge, hasCredentials: boolean): HttpAnswer {
  const header = answer.headers['www-authenticate'];
  const said = header === undefined || (answer.status !== 401 && answer.status !== 403) ? undefined : readChallenge(header);
  if (said === undefined) return answer;
  const { error = '', error_description = '', scope = '', resource_metadata = '', ...rest } = said;
  const isBlind = answer.status === 401 && !hasCredentials;
  const challenge = bearerChallenge({
    ...(isBlind ? {} : { error, error_description }),
    scope: scope === '' && answer.status === 401 ? resource.scope : scope,
    resource_metadata: resource_metadata === '' ? resource.resourceMetadata : resource_metadata,
    ...rest,
  });
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': challenge } };
}
