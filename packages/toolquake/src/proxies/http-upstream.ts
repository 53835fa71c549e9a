/** The server's side of the proxy: kept-alive connections to one origin, over http or https. */
import net, { type AddressInfo } from 'node:net';
import type { HttpIncoming, HttpRequest } from './http-codec.js';
import { nodeCodec } from './http-codec-node.js';
import { bodyFraming, endToEnd, headerOf, withHeader, type BodyFraming, type RawHeaders } from './http-headers.js';
import { leadsTo, loopError } from './http-self.js';
import { socketAddress } from './http-target.js';

/** What to ask upstream. Headers go out as they are, so hop-by-hop ones must be gone already. */
export type UpstreamAsk = { readonly method: string; readonly path: string; readonly headers: string[]; readonly framing: BodyFraming };

/** Where the server is. */
export type UpstreamPlace = {
  readonly origin: string;
  /** Stands before every path that clients ask for; empty, or without a slash at its end. */
  readonly prefix: string;
  /** Clients ask for the server under its own name, so what it says about its addresses is true for them. */
  readonly isAskedByName: boolean;
};

/** The server behind the proxy. */
export type Upstream = UpstreamPlace & {
  /** Starts a request; the caller writes the body. */
  request(ask: UpstreamAsk): HttpRequest;
  /** Resolves to false when nobody answers there now; the server may well start later. */
  isReachable(): Promise<boolean>;
  /** Never connects to this address again: our own front door, where every request would come back to us. */
  avoid(door: AddressInfo): void;
  /** A client is told that the server could not be asked; so are people, once for each reason. */
  failed(error: { readonly code?: string | undefined; readonly message?: string }): void;
  /** False while a request is under way. */
  isIdle(): boolean;
  close(): void;
};

/** How an answer of the server begins. */
export type UpstreamHead = { readonly status: number; readonly reason: string; readonly headers: RawHeaders };

/** What may not stand in a reason. */
const CONTROL_CHARACTERS = /[^\t\x20-\x7e\x80-\xff]/g;

/** The head of an answer as it came, as far as HTTP lets anybody say it again: servers may send what no proxy may. */
export function headOf(answer: HttpIncoming): UpstreamHead {
  const { statusCode = 0, statusMessage = '', rawHeaders } = answer;
  return { status: statusCode < 100 ? 502 : statusCode, reason: statusMessage.replace(CONTROL_CHARACTERS, ''), headers: rawHeaders };
}

/** Methods that Node sends without a body unless their headers say so. */
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** More reasons than this are not worth a line each. */
const MAX_TOLD = 16;
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/;
const CERTIFICATE_ADVICE = ' To trust a certificate of your own, name its file in NODE_EXTRA_CA_CERTS.';

/** How a server is asked. */
export type UpstreamOptions = {
  readonly rewriteHost: boolean;
  readonly isAskedByName?: boolean;
  /** One line for people: why clients are told that the server could not be asked. Once for each reason. */
  readonly tell?: ((line: string) => void) | undefined;
};

/**
 * Connects lazily. A URL that ends in a slash is a prefix of every path; any other names the endpoint itself, and the
 * proxy passes all paths of its origin (OAuth metadata lives outside the endpoint).
 */
export function connectUpstream(url: URL, options: UpstreamOptions): Upstream {
  const isSecure = url.protocol === 'https:';
  const { host, port } = socketAddress(url);
  const prefix = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : '';
  // The name of the server, whatever the client calls it in Host. An address is no name: TLS then says none.
  const serverName = !isSecure ? undefined : net.isIP(host) === 0 ? host : '';
  const connections = nodeCodec.connections({ host, port, serverName });
  let door: AddressInfo | undefined;
  const told = new Set<string>();

  const request = (ask: UpstreamAsk): HttpRequest => {
    const { method } = ask;
    const headers = options.rewriteHost ? withHeader(ask.headers, 'Host', url.host) : ask.headers;
    const path = prefix === '' ? ask.path : prefix + ask.path;
    const avoided = door?.port === port ? door : undefined;
    // Heard before the request is written, so that nothing of it comes round.
    const onConnect =
      avoided === undefined ? undefined : (socket: net.Socket): void => void (leadsTo(socket, avoided) && socket.destroy(loopError()));
    return connections.request({ method, path, headers }, onConnect);
  };

  return {
    origin: url.origin,
    prefix,
    isAskedByName: options.isAskedByName === true,
    request,
    isReachable: () =>
      new Promise((resolve) => {
        const socket = net.connect({ host, port });
        const done = (isReachable: boolean): void => {
          resolve(isReachable);
          socket.destroy();
        };
        socket.once('connect', () => done(true));
        socket.once('error', () => done(false));
        socket.setTimeout(1000, () => done(false));
      }),
    failed(error) {
      const why = [error.code, error.message].filter((part) => part !== undefined && part !== '').join(': ');
      if (options.tell === undefined || told.has(why) || told.size >= MAX_TOLD) return;
      told.add(why);
      options.tell(`${url.origin} could not be asked: ${why}.${CERTIFICATE_CODE.test(error.code ?? '') ? CERTIFICATE_ADVICE : ''}`);
    },
    avoid: (address) => void (door = address),
    isIdle: () => connections.isIdle(),
    close: () => connections.close(),
  };
}

/** What goes on of a client's request: the same, minus what concerns its own connection only. */
export function askOf(request: HttpIncoming): UpstreamAsk {
  const method = request.method ?? 'GET';
  const headers = endToEnd(request.rawHeaders);
  const framing = bodyFraming(request.rawHeaders);
  // Node would send a body-less POST as chunked, and the body of a DELETE without a frame.
  if (framing === 'chunked') headers.push('Transfer-Encoding', 'chunked');
  else if (framing === 'none' && !BODILESS.has(method)) headers.push('Content-Length', '0');
  // An old client may leave the host out; the server has to know its own.
  if (request.httpVersionMinor === 0 && headerOf(headers, 'host') === undefined) headers.push('Host', '');
  return { method, path: request.url ?? '/', headers, framing };
}
