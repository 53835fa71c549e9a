/**
 * The HTTP proxy: every request of an origin passes through; messages of MCP are shown to the decider on their way.
 * Without rules and without a journal it only relays. With them it asks the server for uncompressed bodies, because a
 * fault cannot edit what it cannot read; a server that compresses anyway is passed on and not edited.
 */
import type { AddressInfo } from 'node:net';
import {
  createPerformer,
  createSessionNames,
  MAX_FRAME_BYTES,
  type Clock,
  type Decider,
  type JournalSink,
  type Performer,
  type Session,
} from '@toolquake/sdk/core';
import type { HttpIncoming, HttpResponse } from './http-codec.js';
import { announcementEdit } from './http-endpoint.js';
import { createHttpEnds } from './http-ends.js';
import { openFrontDoor, type FrontDoor } from './http-front-door.js';
import { headerOf, withoutHeaders } from './http-headers.js';
import type { HttpOrigin } from './http-origins.js';
import { relay, type RelayTap } from './http-relay.js';
import { anyWay, oneWay } from './http-routes.js';
import { createSessions, type Sessions } from './http-sessions.js';
import { createTraffic } from './http-traffic.js';
import type { Upstream, UpstreamAsk } from './http-upstream.js';

/** What the proxy works with. */
export type HttpProxyOptions = {
  /** The server; `any` makes a forward proxy, whose clients say where they want to go. */
  readonly upstream: Upstream | 'any';
  readonly host: string;
  readonly port: number;
  readonly decider: Decider;
  readonly clock: Clock;
  readonly journal: JournalSink;
  readonly startedAtMs: number;
  /** See `PerformerOptions`. */
  readonly operationKey?: Uint8Array | undefined;
  readonly target?: string | undefined;
  readonly labelHeader?: string | undefined;
  /** Header that names the task of a call, when the plan says so. */
  readonly taskHeader?: string | undefined;
  readonly maxFrameBytes?: number | undefined;
  /** Our own mistakes. Throwing here ends the request at hand with a 502. */
  readonly onProblem: (error: unknown) => void;
  /** Listens to requests that are only relayed; called before anything of the body was read. */
  readonly tap?: ((heard: { ask: UpstreamAsk; request: HttpIncoming; response: HttpResponse }) => RelayTap) | undefined;
  /** One line for people: what the proxy passes on unread. */
  readonly tell?: ((line: string) => void) | undefined;
};

/** A running proxy. */
export type HttpProxy = {
  readonly address: AddressInfo;
  readonly performer: Performer;
  /** Stops listening, lets go of what is held, closes every session. */
  stop(): Promise<void>;
};

/** We read bodies ourselves, so the client may send at once, and the server may not compress. */
const NOT_WITH_RULES = new Set(['accept-encoding', 'expect']);

/** Starts listening. */
export async function startHttpProxy(options: HttpProxyOptions): Promise<HttpProxy> {
  const { decider, clock } = options;
  // Effects reach for the door that is opened below; connections only come after that.
  const door: { open: FrontDoor | undefined } = { open: undefined };
  let connecting: { isTurnedAway: boolean } | undefined;
  const cutAll = (): void => {
    for (const { traffic } of routes.all()) traffic.cutAll();
  };
  const ends = createHttpEnds({ frontDoor: () => door.open, connecting: () => connecting, cutAll });
  const performer = createPerformer({ ...options, ends });
  // Clients with one name are told apart also when they speak to different servers.
  const names = createSessionNames();
  const endSession = (session: Session): void => {
    performer.close(session);
    for (const { traffic } of routes.all()) traffic.sessionEnded(session);
  };
  const openSessions = (target: string | undefined): Sessions =>
    createSessions({ target, names, labelHeader: options.labelHeader, onForget: endSession });
  const openOrigin = (upstream: Upstream, sessions: Sessions): HttpOrigin => {
    const { maxFrameBytes = MAX_FRAME_BYTES, taskHeader, onProblem } = options;
    return { upstream, sessions, traffic: createTraffic({ upstream, performer, sessions, maxFrameBytes, taskHeader, onProblem }) };
  };
  const closeOrigin = ({ upstream, sessions }: HttpOrigin): void => {
    for (const { session } of sessions.all()) performer.close(session);
    upstream.close();
  };
  // Whom a client connects for shows in its first request only.
  const lobby = openSessions(options.target);
  const routes =
    options.upstream === 'any'
      ? anyWay({
          open: (upstream, url) => openOrigin(upstream, openSessions(options.target ?? url.host)),
          onForget: closeOrigin,
          tell: options.tell ?? (() => {}),
        })
      : oneWay(openOrigin(options.upstream, lobby));

  const onRequest = (request: HttpIncoming, response: HttpResponse): void => {
    const route = routes.of(request, response);
    if (route === undefined) return;
    const { ask, origin } = route;
    const { upstream, traffic, sessions } = origin;
    if (!decider.isActive) {
      const isStream = ask.method === 'GET';
      const tap = options.tap?.({ ask, request, response });
      return relay(ask, request, response, upstream, isStream ? (head) => announcementEdit(head, { upstream, ask }) : undefined, tap);
    }
    const seen: UpstreamAsk = { ...ask, headers: withoutHeaders(ask.headers, NOT_WITH_RULES) };
    if (ask.method === 'POST') return traffic.post(seen, request, response);
    if (ask.method === 'GET') return traffic.get(seen, request, response);
    relay(ask, request, response, upstream, (head) => {
      const id = headerOf(request.rawHeaders, 'mcp-session-id');
      if (ask.method === 'DELETE' && id !== undefined && head.status < 300) sessions.end(id);
      return undefined;
    });
  };

  const onConnect = (): boolean => {
    if (!decider.isActive) return true;
    const arriving = { isTurnedAway: false };
    connecting = arriving;
    try {
      performer.connect(lobby.main.session);
    } catch {
      // Told already, and the proxy is about to stop.
      return false;
    } finally {
      connecting = undefined;
    }
    return !arriving.isTurnedAway;
  };

  const { onTunnel } = routes;
  const frontDoor = await openFrontDoor({ host: options.host, port: options.port, clock, onConnect, onRequest, onTunnel });
  door.open = frontDoor;
  const { address, close } = frontDoor;
  routes.avoid(address);
  return {
    address,
    performer,
    async stop() {
      // Nothing is released: a call that a rule kept from the server must not be executed because we go away.
      for (const { sessions } of [{ sessions: lobby }, ...routes.all()]) for (const { session } of sessions.all()) performer.close(session);
      await close();
      for (const { upstream } of routes.all()) upstream.close();
    },
  };
}
