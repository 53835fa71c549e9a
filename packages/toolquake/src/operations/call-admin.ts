/** Asks the admin routes of a running proxy for something. */
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';

/** Where to ask, and for what. */
export type AdminCall = {
  /** As the proxy told it: `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly route: `${'GET' | 'POST'} /chaos/${string}`;
  /** JSON, or the text of a plan. */
  readonly body?: JsonObject | string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

/** Resolves to the answer. What the proxy refused is bad input; what it cannot be asked is the world. */
export async function callAdmin(call: AdminCall): Promise<JsonObject> {
  const response = await askAdmin(call);
  const answer: unknown = await response.json().catch(() => undefined);
  if (isObject(answer)) return answer;
  throw unreachable(`The proxy at ${adminUrl(call.url).origin} answered what is no JSON object.`);
}

/** Resolves to a response of status 200. */
export async function askAdmin({ url, route, body, env, signal }: AdminCall): Promise<Response> {
  const base = adminUrl(url);
  const [method, path] = route.split(' ') as [string, string];
  const token = env['TOOLQUAKE_ADMIN_TOKEN'] || env['CHAOS_ADMIN_TOKEN'];
  if (token === undefined || token === '')
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'There is no token to show to the proxy.',
      advice: 'Set TOOLQUAKE_ADMIN_TOKEN (or CHAOS_ADMIN_TOKEN) to the one that the proxy was started with.',
    });
  const response = await fetch(new URL(path, base), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
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

const unreachable = (message: string, cause?: unknown): ToolquakeError =>
  new ToolquakeError('UPSTREAM_UNREACHABLE', {
    message,
    advice: 'Start the proxy with --admin-port; it prints the URL. The token must be the one that it was started with.',
    cause,
  });

/** The token travels in the clear, so it stays on this machine unless TLS carries it. */
function adminUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url !== undefined && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url !== undefined && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) return url;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: '--url must be the address that a proxy printed for its admin port.',
    advice: 'For example http://127.0.0.1:9901. Other machines are reached by https only, because the token is sent along.',
  });
}
