/** The servers behind a proxy: each with its own connections, sessions and traffic, so that nothing crosses from one to another. */
import type { Sessions } from './http-sessions.js';
import type { Traffic } from './http-traffic.js';
import { connectUpstream, type Upstream } from './http-upstream.js';

/** One server. */
export type HttpOrigin = { readonly upstream: Upstream; readonly sessions: Sessions; readonly traffic: Traffic };

/** More servers than this: the one that was quiet for longest is forgotten, when nothing is under way there. */
const MAX_ORIGINS = 256;

/** The servers that the clients of a forward proxy asked for. */
export type HttpOrigins = {
  of(url: URL): HttpOrigin;
  all(): Iterable<HttpOrigin>;
};

/** Starts with none. `open` makes what belongs to a server, `onForget` lets go of it. */
export function createOrigins(options: {
  readonly open: (upstream: Upstream, url: URL) => HttpOrigin;
  readonly onForget: (origin: HttpOrigin) => void;
  /** One line for people. */
  readonly tell: (line: string) => void;
}): HttpOrigins {
  const byName = new Map<string, HttpOrigin>();

  const forgetOne = (): void => {
    for (const [name, origin] of byName) {
      if (!origin.upstream.isIdle()) continue;
      byName.delete(name);
      return options.onForget(origin);
    }
  };

  return {
    of(url) {
      const known = byName.get(url.origin);
      const found = known ?? options.open(connectUpstream(url, { rewriteHost: false, isAskedByName: true, tell: options.tell }), url);
      // The order of a map is the order of its last use here.
      byName.delete(url.origin);
      if (known === undefined && byName.size >= MAX_ORIGINS) forgetOne();
      byName.set(url.origin, found);
      return found;
    },
    all: () => byName.values(),
  };
}
