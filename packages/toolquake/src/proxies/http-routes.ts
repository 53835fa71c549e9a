/** Which server a request is for: always the same one (reverse), or the one that the client names (forward). */
import type { AddressInfo, Socket } from 'node:net';
import type { HttpIncoming, HttpResponse } from './http-codec.js';
import { refuseTunnel, type AskedTunnel } from './http-front-door.js';
import { headerOf, withoutHeaders } from './http-headers.js';
import { createOrigins, type HttpOrigin } from './http-origins.js';
import { writeHead } from './http-relay.js';
import { absoluteTarget, tunnelTarget } from './http-target.js';
import { openTunnel } from './http-tunnel.js';
import { askOf, type Upstream, type UpstreamAsk } from './http-upstream.js';

/** A request and the server it is for. */
export type Route = { readonly origin: HttpOrigin; readonly ask: UpstreamAsk };

/** See the module comment. */
export type Routes = {
  /** Undefined when the request leads nowhere; the client was told then. */
  of(request: HttpIncoming, response: HttpResponse): Route | undefined;
  /** Takes a tunnel that a client asked for; absent where there are none. */
  readonly onTunnel: ((tunnel: AskedTunnel) => void) | undefined;
  all(): Iterable<HttpOrigin>;
  /** Where our own front door is: nobody is led there. */
  avoid(door: AddressInfo): void;
};

/** Everything goes to one server. */
export function oneWay(origin: HttpOrigin): Routes {
  return {
    of: (request) => ({ origin, ask: askOf(request) }),
    onTunnel: undefined,
    all: () => [origin],
    avoid: (door) => origin.upstream.avoid(door),
  };
}

/** Credentials for the proxy are no business of the server. */
const FOR_THE_PROXY = new Set(['proxy-authorization']);
const NO_PROXY_REQUEST = 'This is a forward proxy: ask it for "http://host/path", or for a tunnel (set HTTP_PROXY to its address).\n';
/** Hosts whose tunnels were told of; more than that are not worth a line each. */
const MAX_TOLD = 64;

/** Clients say where they want to go, in every request or once for a tunnel. */
export function anyWay(options: {
  readonly open: (upstream: Upstream, url: URL) => HttpOrigin;
  readonly onForget: (origin: HttpOrigin) => void;
  /** One line for people. */
  readonly tell: (line: string) => void;
}): Routes {
  let door: AddressInfo | undefined;
  const told = new Set<string>();
  const tunnels = new WeakMap<Socket, URL>();
  const origins = createOrigins({
    open(upstream, url) {
      if (door !== undefined) upstream.avoid(door);
      return options.open(upstream, url);
    },
    onForget: options.onForget,
    tell: options.tell,
  });

  const targetOf = (request: HttpIncoming): { readonly origin: URL; readonly path: string } | undefined => {
    const text = request.url ?? '';
    const tunnel = tunnels.get(request.socket);
    // Inside a tunnel the client speaks to the server itself.
    return tunnel === undefined ? absoluteTarget(text) : { origin: tunnel, path: text };
  };

  return {
    of(request, response) {
      const target = targetOf(request);
      if (target === undefined) {
        const headers = ['Content-Type', 'text/plain', 'Content-Length', String(NO_PROXY_REQUEST.length)];
        writeHead(response, { status: 400, reason: 'Bad Request', headers });
        response.end(NO_PROXY_REQUEST);
        request.resume();
        return undefined;
      }
      const asked = askOf(request);
      const headers = tunnels.has(request.socket) ? asked.headers : withoutHeaders(asked.headers, FOR_THE_PROXY);
      if ((headerOf(headers, 'host') ?? '') === '') headers.push('Host', target.origin.host);
      return { origin: origins.of(target.origin), ask: { ...asked, path: target.path, headers } };
    },
    onTunnel({ authority, socket, head, parse }) {
      const origin = tunnelTarget(authority);
      if (origin === undefined || door === undefined || tunnels.has(socket))
        return refuseTunnel(socket, '400 Bad Request', 'A tunnel leads to a host and port, and not through another tunnel.');
      openTunnel({
        origin,
        socket,
        head,
        door,
        onPlain() {
          tunnels.set(socket, origin);
          parse();
        },
        onUnread(why) {
          if (told.has(authority) || told.size >= MAX_TOLD) return;
          told.add(authority);
          options.tell(
            why === 'TLS'
              ? `${authority} is spoken to in TLS, which is passed on unread: no rule applies there.`
              : `${authority} speaks before its client, which HTTP never does: it is passed on unread, and no rule applies there.`,
          );
        },
        onFailure: (error) => options.tell(`the tunnel to ${authority} broke: ${error.message}`),
      });
    },
    all: () => origins.all(),
    avoid: (address) => void (door = address),
  };
}
