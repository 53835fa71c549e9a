/**
 * Which session a request belongs to. Legacy sessions are known by the id that the server gave them; modern clients and
 * servers without sessions by the client's name; HTTP+SSE by the endpoint that a stream announced. Labels never depend on
 * a random id.
 */
import {
  createSessionNames,
  frameHead,
  introductionOf,
  renameSession,
  startSession,
  type Frame,
  type MessageId,
  type Session,
} from '@toolquake/sdk/core';
import { endpointPath } from './http-endpoint.js';
import { headerOf, type RawHeaders } from './http-headers.js';
import type { Lane } from './http-lane.js';

/** More sessions than this: the one that was quiet for longest is forgotten. */
const MAX_SESSIONS = 1024;

/** A session and where the server may speak to its client unasked. */
export type SessionRecord = {
  readonly session: Session;
  /** The GET stream (legacy), while it is open. */
  stream: Lane | undefined;
  /** The `subscriptions/listen` stream (modern), and the id that its messages are tagged with. */
  listening: { readonly lane: Lane; readonly id: MessageId } | undefined;
  /** Headers of the client's last POST: what a message in the client's name must carry. */
  headers: RawHeaders;
  path: string;
  isProbeOnly: boolean;
  /** HTTP+SSE: a POST is only acknowledged, and answered in `stream`. */
  readonly isAnsweredInStream: boolean;
};

/** See the module comment. */
export type Sessions = {
  /** The session of connections, and of whoever does not say who they are. */
  readonly main: SessionRecord;
  /** `path` and query tell the sessions of HTTP+SSE. */
  of(headers: RawHeaders, frame: Frame | undefined, path?: string): SessionRecord;
  /** A GET stream announced where its client posts to, which makes it a session of its own. */
  announced(path: string, headers: RawHeaders): SessionRecord;
  /** The server gave this session an id (or none, in the answer to `initialize`). */
  learn(record: SessionRecord, id: string | undefined): void;
  /** The client ended a session. */
  end(id: string): void;
  all(): IterableIterator<SessionRecord>;
};

/** Starts with no session but the main one. `onForget` hears of every session that ends. */
export function createSessions(options: {
  readonly target: string | undefined;
  readonly labelHeader: string | undefined;
  /** Names of sessions that are told apart from those of other servers too. */
  readonly names?: (clientName: string) => string;
  readonly onForget: (session: Session) => void;
}): Sessions {
  const { target, onForget } = options;
  const labelHeader = options.labelHeader?.toLowerCase();
  const names = options.names ?? createSessionNames();
  const record = (label: string, era?: Session['era'], isAnsweredInStream = false): SessionRecord => ({
    session: startSession({ label, target, era }),
    stream: undefined,
    listening: undefined,
    headers: [],
    path: '/',
    isProbeOnly: true,
    isAnsweredInStream,
  });
  const main = record('default');
  const byId = new Map<string, SessionRecord>();
  const byName = new Map<string, SessionRecord>();
  const byLabel = new Map<string, SessionRecord>();
  const byEndpoint = new Map<string, SessionRecord>();
  let sessionless = main;

  const find = (map: Map<string, SessionRecord>, key: string, make: () => SessionRecord): SessionRecord => {
    const known = map.get(key);
    if (known !== undefined && map.size < MAX_SESSIONS) return known;
    const found = known ?? make();
    // The order of a map is the order of its last use here, so the first one is the quietest.
    map.delete(key);
    map.set(key, found);
    if (map.size > MAX_SESSIONS) {
      const [oldest, quiet] = map.entries().next().value!;
      map.delete(oldest);
      onForget(quiet.session);
    }
    return found;
  };

  /** A legacy client begins. A modern question from the same client just before was only its probe. */
  const begin = (clientName: string | undefined): SessionRecord => {
    const probe = clientName === undefined ? undefined : byName.get(clientName);
    if (clientName === undefined || probe?.isProbeOnly !== true)
      return record(clientName === undefined ? 'default' : names(clientName), 'legacy');
    byName.delete(clientName);
    probe.session.era = 'legacy';
    return probe;
  };

  const labelIn = (headers: RawHeaders): string | undefined => (labelHeader === undefined ? undefined : headerOf(headers, labelHeader));

  /** The session of a POST to an announced endpoint. It is named when its client says hello, unless a header names it. */
  const atEndpoint = (path: string, headers: RawHeaders, frame: Frame | undefined): SessionRecord | undefined => {
    const key = endpointPath(path);
    const known = byEndpoint.get(key);
    if (known === undefined) return undefined;
    const found = find(byEndpoint, key, () => known);
    const label = labelIn(headers) ?? (found.isProbeOnly && frame !== undefined ? labelOfHello(frame) : undefined);
    if (label !== undefined && label !== found.session.label) renameSession(found.session, label);
    return found;
  };

  const labelOfHello = (frame: Frame): string | undefined => {
    const { era, clientName } = introductionOf(frame) ?? {};
    return era === 'legacy' && clientName !== undefined ? begin(clientName).session.label : undefined;
  };

  const identify = (headers: RawHeaders, frame: Frame | undefined): SessionRecord => {
    const label = labelIn(headers);
    if (label !== undefined) return find(byLabel, label, () => record(label));
    const id = headerOf(headers, 'mcp-session-id');
    if (id !== undefined) return find(byId, id, () => record('default', 'legacy'));
    // Modern requests say who they are in every message; looking costs a parse, and only matters where somebody cares.
    const introduction = frame === undefined ? undefined : introductionOf(frame);
    if (introduction?.era === 'legacy') return begin(introduction.clientName);
    if (introduction?.clientName === undefined) return sessionless;
    const { clientName } = introduction;
    return find(byName, clientName, () => record(names(clientName), 'modern'));
  };

  return {
    main,
    of(headers, frame, path) {
      const announced = byEndpoint.size === 0 || path === undefined ? undefined : atEndpoint(path, headers, frame);
      const found = announced ?? identify(headers, frame);
      if (frame !== undefined && frameHead(frame).method !== 'server/discover') found.isProbeOnly = false;
      return found;
    },
    announced(path, headers) {
      // An endpoint that all streams share belongs to the newest of them.
      byEndpoint.delete(path);
      return find(byEndpoint, path, () => record(labelIn(headers) ?? 'default', 'legacy', true));
    },
    learn(found, id) {
      if (found.isAnsweredInStream) return;
      if (id === undefined) sessionless = found;
      else if (!byId.has(id)) find(byId, id, () => found);
    },
    end(id) {
      const found = byId.get(id);
      byId.delete(id);
      if (found !== undefined) onForget(found.session);
    },
    *all() {
      yield* new Set([main, sessionless, ...byId.values(), ...byName.values(), ...byLabel.values(), ...byEndpoint.values()]);
    },
  };
}
