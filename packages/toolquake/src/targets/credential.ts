/** From the description of a credential to the header that carries it. Secrets come from the environment and stay in memory. */
import { isObject } from '@toolquake/sdk/core';
import { TargetFailure } from '../core/connection.js';
import { readBody } from './http-body.js';
import type { HttpOrigin } from './http-post.js';
import type { Budgets, TargetAuth } from './target.js';

/** A header with a secret in it, and until when it is good, where that is known. */
export type Credential = { readonly headers: Readonly<Record<string, string>>; readonly endsAtMs: number | undefined };

/** The environment as a table of texts. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The value of a variable, or why the target cannot be probed. */
function variable(name: string, variables: Variables): string {
  const value = variables[name];
  if (value !== undefined && value !== '') return value;
  throw new TargetFailure({ reason: 'probe_config_error', step: 'token', detail: `the environment variable ${name} is not set` });
}

/** A text with its `${NAME}` filled in. */
export function filledIn(text: string, variables: Variables): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => variable(name, variables));
}

/** Gets a credential ready; asks the token endpoint where that is needed. */
export async function openCredential(
  auth: TargetAuth,
  variables: Variables,
  ports: {
    readonly budgets: Budgets;
    readonly wallClockMs: () => number;
    readonly origin: (url: URL) => HttpOrigin;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Credential> {
  if (auth.kind === 'bearer') return bearer(variable(auth.tokenVariable, variables), undefined);
  const id = variable(auth.clientIdVariable, variables);
  const secret = variable(auth.clientSecretVariable, variables);
  const url = new URL(auth.tokenUrl);
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (auth.scope !== undefined) form.set('scope', auth.scope);
  if (auth.resource !== undefined) form.set('resource', auth.resource);
  const failed = (detail: string, httpStatus?: number): TargetFailure =>
    new TargetFailure({ reason: 'auth_refresh_failed', step: 'token', detail: `the token endpoint ${url.host}: ${detail}`, httpStatus });
  const origin = ports.origin(url);
  try {
    const answer = await origin.send({
      method: 'POST',
      url,
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        // RFC 6749 section 2.3.1: both parts are form-encoded before they are joined.
        authorization: `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`,
      },
      body: Buffer.from(form.toString()),
      step: 'token',
      limitMs: ports.budgets.helloMs,
      onLate: () => failed(`no answer within ${ports.budgets.helloMs} ms`),
      signal: ports.signal,
    });
    const body = await readBody(answer, 'token', 64 * 1024);
    if (answer.status !== 200) throw failed(`HTTP status ${answer.status}${errorWord(body)}`, answer.status);
    const parsed = parsedObject(body);
    const token = parsed?.['access_token'];
    if (typeof token !== 'string' || token === '') throw failed('its answer holds no access_token', 200);
    const seconds = parsed?.['expires_in'];
    return bearer(token, typeof seconds === 'number' ? ports.wallClockMs() + seconds * 1000 : undefined);
  } catch (error) {
    if (!(error instanceof TargetFailure) || error.reason === 'auth_refresh_failed') throw error;
    throw failed(error.facts.detail, error.facts.httpStatus);
  } finally {
    origin.close();
  }
}

function bearer(token: string, endsAtMs: number | undefined): Credential {
  return { headers: { authorization: `Bearer ${token}` }, endsAtMs: endsAtMs ?? endOfToken(token) };
}

/** When a token says that it ends: the `exp` of a JWT. Nobody checks the signature; the server does. */
function endOfToken(token: string): number | undefined {
  const [, claims] = token.split('.');
  if (claims === undefined) return undefined;
  const exp = parsedObject(Buffer.from(claims, 'base64url'))?.['exp'];
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}

const formEncoded = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2);

function errorWord(body: Uint8Array): string {
  const word = parsedObject(body)?.['error'];
  // Only what can be a code of the standard: a description might repeat what we sent.
  return typeof word === 'string' && /^[a-z_]{1,40}$/.test(word) ? ` (${word})` : '';
}

function parsedObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
