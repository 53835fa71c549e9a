/** What a client asks a forward proxy for: an absolute URL, or a host and port to tunnel to. Pure. */

/** Where a request goes, and what to ask for there: path and query in the client's own spelling. */
export type RequestTarget = { readonly origin: URL; readonly path: string };

const ABSOLUTE = /^(https?):\/\/([^/?#]*)([^#]*)$/i;

/** Reads an absolute-form target (`http://host/path`); undefined when it is none, or names a user. */
export function absoluteTarget(text: string): RequestTarget | undefined {
  const [, scheme = '', authority = '', rest = ''] = ABSOLUTE.exec(text) ?? [];
  const origin = originOf(scheme, authority);
  // An empty path is "/"; a query may follow the host at once.
  return origin === undefined ? undefined : { origin, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Reads the `host:port` of a CONNECT, as the http origin it names; undefined when it is none. */
export function tunnelTarget(authority: string): URL | undefined {
  return /:\d+$/.test(authority) ? originOf('http', authority) : undefined;
}

/** Host and port to connect to. */
export function socketAddress(origin: URL): { readonly host: string; readonly port: number } {
  const standard = origin.protocol === 'https:' ? 443 : 80;
  return { host: origin.hostname.replace(/^\[|\]$/g, ''), port: origin.port === '' ? standard : Number(origin.port) };
}

function originOf(scheme: string, authority: string): URL | undefined {
  // Credentials in a URL are no part of HTTP/1.1 targets, and would end up in names of sessions. White space and
  // backslashes are what URL parsers disagree about.
  if (authority === '' || /[@\s\\]/.test(authority)) return undefined;
  const text = `${scheme}://${authority}`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.port === '0' ? undefined : url;
}
