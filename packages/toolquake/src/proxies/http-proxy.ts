/**
 * The HTTP proxy: every request of an origin passes through; messages of MCP are shown to the decider on their way.
 * Without rules and without a journal it only relays. With them it asks the server for uncompressed bodies, because a
 * fault cannot edit what it cannot read; a server that compresses anyway is passed on and not edited.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPerformer, MAX_FRAME_BYTES, type Clock, type Decider, type JournalSink, type Performer } from '@toolquake/sdk/core';
import { announcementEdit } from './http-endpoint.js';
import { createHttpEnds } from './http-ends.js';
import { openFrontDoor, type FrontDoor } from './http-front-door.js';
import { headerOf, withoutHeaders } from './http-headers.js';
import { relay } from './http-relay.js';
import { createSessions } from './http-sessions.js';
import { createTraffic } from './http-traffic.js';
import { askOf, type Upstream, type UpstreamAsk } from './http-upstream.js';

/** What the proxy works with. */
export type HttpProxyOptions = {
  readonly upstream: Upstream;
  readonly host: string;
  readonly port: number;
  readonly decider: Decider;
  readonly clock: Clock;
  readonly journal: JournalSink;
  readonly startedAtMs: number;
  readonly target?: string | undefined;
  readonly labelHeader?: string | undefined;
  /** Header that names the task of a call, when the plan says so. */
  readonly taskHeader?: string | undefined;
  readonly maxFrameBytes?: number | undefined;
  /** Our own mistakes. Throwing here ends the request at hand with a 502. */
  readonly onProblem: (error: unknown) => void;
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
  const { upstream, decider, clock } = options;
  // Effects reach for the door that is opened below; connections only come after that.
  const door: { open: FrontDoor | undefined } = { open: undefined };
  let connecting: { isTurnedAway: boolean } | undefined;
  const ends = createHttpEnds({ upstream, frontDoor: () => door.open, connecting: () => connecting, cutAll: () => traffic.cutAll() });
  const performer = createPerformer({ ...options, ends });
  const sessions = createSessions({
    target: options.target,
    labelHeader: options.labelHeader,
    onForget: (session) => performer.close(session),
  });
  const traffic = createTraffic({
    upstream,
    performer,
    sessions,
    maxFrameBytes: options.maxFrameBytes ?? MAX_FRAME_BYTES,
    taskHeader: options.taskHeader,
    onProblem: options.onProblem,
  });

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const ask = askOf(request);
    if (!decider.isActive) {
      const isStream = ask.method === 'GET';
      return relay(ask, request, response, upstream, isStream ? (head) => announcementEdit(head, { upstream, ask }) : undefined);
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
      performer.connect(sessions.main.session);
    } catch {
      // Told already, and the proxy is about to stop.
      return false;
    } finally {
      connecting = undefined;
    }
    return !arriving.isTurnedAway;
  };

  const frontDoor = await openFrontDoor({ host: options.host, port: options.port, clock, onConnect, onRequest });
  door.open = frontDoor;
  const { address, close } = frontDoor;
  return {
    address,
    performer,
    async stop() {
      // Nothing is released: a call that a rule kept from the server must not be executed because we go away.
      for (const { session } of sessions.all()) performer.close(session);
      await close();
      upstream.close();
    },
  };
}
