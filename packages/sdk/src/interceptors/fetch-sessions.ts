/** Which session a fetch belongs to: the one of its session id, else the latest that was begun. */
import { frameHead, type Frame } from '../core/frame.js';
import type { Session } from '../core/session.js';

/** See the module comment. */
export type FetchSessions = {
  find(headers: Headers, frame: Frame | undefined): Session;
  /** Learns the session id that the server gives out with its answer to `initialize`. */
  note(session: Session, response: Response): void;
  end(session: Session): void;
};

/** More sessions than this: the oldest is ended. */
const MAX_SESSIONS = 1024;

/** Starts without any session. */
export function createFetchSessions(owner: { begin: () => Session; end: (session: Session) => void }): FetchSessions {
  let latest = owner.begin();
  const open = new Set<Session>([latest]);
  const byId = new Map<string, Session>();
  // A client that speaks both eras asks a modern question first; what follows is still its first session.
  let isProbeOnly = true;

  const end = (session: Session): void => {
    owner.end(session);
    open.delete(session);
    for (const [id, one] of byId) if (one === session) byId.delete(id);
  };

  return {
    find(headers, frame) {
      const id = headers.get('mcp-session-id');
      const known = id === null ? undefined : byId.get(id);
      if (known !== undefined) return known;
      const method = frame === undefined ? undefined : frameHead(frame).method;
      if (!open.has(latest) || (method === 'initialize' && latest.era !== undefined && !isProbeOnly)) {
        latest = owner.begin();
        isProbeOnly = true;
        open.add(latest);
        if (open.size > MAX_SESSIONS) end(open.values().next().value!);
      }
      if (frame !== undefined && method !== 'server/discover') isProbeOnly = false;
      return latest;
    },
    note(session, response) {
      const id = response.headers.get('mcp-session-id');
      if (id !== null && open.has(session)) byId.set(id, session);
    },
    end,
  };
}
