/** Asks admin routes for something: those of a proxy, or those that a service has mounted. */
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';

/** Where to ask, and for what. */
export type AdminQuestion = {
  /** `http://127.0.0.1:PORT`, as the proxy told it; on other machines https only. */
  readonly url: string;
  readonly route: `${'GET' | 'POST'} /chaos/${string}`;
  /** JSON, or the text of a plan. */
  readonly body?: JsonObject | string | undefined;
  readonly token: string;
  readonly signal: AbortSignal;
};

/** Resolves to the answer. What was refused is bad input; what cannot be asked is the world. */
export async function askAdminObject(question: AdminQuestion): Promise<JsonObject> {
  const response = await askAdminRoutes(question);
  const answer: unknown = await response.json().catch(() => undefined);
  if (isObject(answer)) return answer;
  throw unreachable(`The proxy at ${new URL(question.url).origin} answered what is no JSON object.`);
}

/** Resolves to a response of status 200. */
export async function askAdminRoutes({ url, route, body, token, signal }: AdminQuestion): Promise<Response> {
  const base = requireAdminUrl(url);
  const [method, path] = route.split(' ') as [string, string];
  const response = await fetch(new URL(path, base), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      // A kept connection may be dead by the next question: a server that is gone must be seen as gone.
      connection: 'close',
      // Services read a body as JSON only where it says so; a plan may be YAML.
      ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
    },
    // A token goes to the address that was named, and to no other.
    redirect: 'error',
    signal,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    throw unreachable(`No proxy answers at ${base.origin}.`, cause);
  });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => undefined);
  const error = isObject(answer) ? answer['error'] : undefined;
  // An id that is not active is 404 where services are, and as much the caller's to mend.
  if ((response.status === 400 || response.status === 404) && typeof error === 'string')
    throw new ToolquakeError('BAD_ARGUMENT', { message: `The proxy refused it, and nothing was changed: ${error}` });
  throw unreachable(`The proxy at ${base.origin} answered ${response.status}${typeof error === 'string' ? `: ${error}` : '.'}`);
}

/** Is it a failure to connect because nobody listens there any more? Then what its memory held is gone, too. */
export function isNobodyThere(error: unknown): boolean {
  for (let cause: unknown = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if ('code' in cause && cause.code === 'ECONNREFUSED') return true;
  }
  return false;
}

const unreachable = (message: string, cause?: unknown): ToolquakeError =>
  new ToolquakeError('UPSTREAM_UNREACHABLE', {
    message,
    advice: 'Start the proxy with --admin-port; it prints the URL. The token must be the one that it was started with.',
    cause,
  });

/** The token travels in the clear, so it stays on this machine unless TLS carries it. */
export function isAdminUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  return url !== undefined && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal));
}

/** The URL, or an error that says what would be one. */
export function requireAdminUrl(text: string): URL {
  if (isAdminUrl(text)) return new URL(text);
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: '--url must be the address that a proxy printed for its admin port.',
    advice: 'For example http://127.0.0.1:9901. Other machines are reached by https only, because the token is sent along.',
  });
}
