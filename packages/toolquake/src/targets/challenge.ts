/** What a server wants from those who come without credentials: the scopes and issuers that it names to anybody. */
import { isObject } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { TargetFailure } from '../core/connection.js';
import { isThisMachine } from '../core/this-machine.js';
import { authoritiesOf } from './authorities.js';
import { systemResolve, type Dial } from './dial.js';
import { getPage } from './get-page.js';
import { openOrigin } from './http-post.js';
import { headerText } from './http-status.js';
import type { OpenOptions } from './open-connection.js';
import { createStageLog } from './stage-log.js';
import { budgetsOf, type UrlTarget } from './target.js';

/** Sorted, so that the same server says the same. */
export type AuthDemand = { readonly scopes: readonly string[]; readonly issuers: readonly string[] };

/** Longer lists are nobody's scopes. */
const MAX_NAMES = 100;
/** Lists without a session: refused by whoever wants credentials, and without consequences anywhere else. */
const QUESTION = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');

/** Asks once without credentials; undefined when the answer is no 401. Rejects with a `TargetFailure` when there is none. */
export async function readAuthDemand(target: UrlTarget, options: OpenOptions = {}): Promise<AuthDemand | undefined> {
  const { clock = realClock, resolve = systemResolve, signal } = options;
  const [url, budgets] = [new URL(target.url), budgetsOf(target, options.budgets)];
  const ports = { budgets, clock, resolve, authorities: await authoritiesOf(target), publicOnly: target.publicOnly === true };
  const challenge = await challengeAt({ ...ports, url }, signal);
  if (challenge === undefined) return undefined;
  const metadata = await metadataOf(challenge, url, (page) => getPage(page, { ...ports, step: 'token', signal }));
  const scope = parameterOf(challenge, 'scope')?.split(/\s+/);
  return {
    scopes: named(scope ?? metadata?.['scopes_supported']),
    // Addresses on this machine are accidents of a test run.
    issuers: named(metadata?.['authorization_servers']).filter((one) => URL.canParse(one) && !isThisMachine(new URL(one).hostname)),
  };
}

async function challengeAt(dial: Dial, signal: AbortSignal | undefined): Promise<string | undefined> {
  const { url, budgets, clock } = dial;
  const origin = openOrigin(dial, createStageLog(clock));
  try {
    const answer = await origin.send({
      method: 'POST',
      url,
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: QUESTION,
      step: 'token',
      limitMs: budgets.helloMs,
      onLate: () =>
        new TargetFailure({ reason: 'initialize_timeout', step: 'token', detail: 'a request without credentials was not answered' }),
      signal,
    });
    answer.finish(false);
    return answer.status === 401 ? (headerText(answer.response.headers, 'www-authenticate') ?? '') : undefined;
  } finally {
    origin.close();
  }
}

/** The metadata of the protected resource (RFC 9728): where the challenge says, or where the standard does. Only ever at the same origin. */
async function metadataOf(
  challenge: string,
  url: URL,
  get: (page: string) => ReturnType<typeof getPage>,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const wellKnown = '/.well-known/oauth-protected-resource';
  const given = parameterOf(challenge, 'resource_metadata');
  const pages = given === undefined ? [`${wellKnown}${url.pathname}`, wellKnown] : [given];
  for (const page of pages) {
    const place = URL.canParse(page, url.href) ? new URL(page, url) : undefined;
    // A server that sends us elsewhere could send us to a neighbour of ours.
    if (place?.origin !== url.origin) continue;
    const { status, body } = await get(place.href);
    const parsed = status === 200 ? objectIn(body) : undefined;
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

/** A parameter of a challenge: `scope="a b"`, or without quotes. */
function parameterOf(challenge: string, name: string): string | undefined {
  for (const [, key, quoted, plain] of challenge.slice(0, 8192).matchAll(/([\w-]{1,64})=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)) {
    if (key?.toLowerCase() === name) return quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
  }
  return undefined;
}

const named = (list: unknown): readonly string[] =>
  Array.isArray(list)
    ? [...new Set(list.filter((one): one is string => typeof one === 'string' && one !== ''))].sort().slice(0, MAX_NAMES)
    : [];

function objectIn(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
