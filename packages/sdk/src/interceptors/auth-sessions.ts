/**
 * Whose request it is, as a server sees it: the session of its id, the client that a modern request names, or nobody in
 * particular. Which id the server gives to a new session is in an answer that a gate does not see; so an id that comes up
 * for the first time belongs to the session that has waited for one the longest.
 */
import { frameHead, type Frame } from '../core/frame.js';
import { introductionOf, type Session } from '../core/session.js';

/** See the module comment. */
export type AuthSessions = { find(sessionId: string | undefined, frame: Frame): Session };

/** More sessions than this: the oldest is ended. */
const MAX_SESSIONS = 1024;

/** Starts without any session. */
export function createAuthSessions(owner: { begin: () => Session; end: (session: Session) => void }): AuthSessions {
  const byKey = new Map<string, Session>();
  const unnamed: Session[] = [];
  let anybody: Session | undefined;

  const remember = (key: string, session: Session): Session => {
    if (byKey.size >= MAX_SESSIONS) {
      const [oldest, gone] = byKey.entries().next().value!;
      byKey.delete(oldest);
      owner.end(gone);
    }
    byKey.set(key, session);
    return session;
  };

  return {
    find(sessionId, frame) {
      if (sessionId !== undefined) return byKey.get(`id ${sessionId}`) ?? remember(`id ${sessionId}`, unnamed.shift() ?? owner.begin());
      if (frameHead(frame).method === 'initialize') {
        const session = owner.begin();
        unnamed.push(session);
        // Servers without sessions never give out an id.
        if (unnamed.length > MAX_SESSIONS) owner.end(unnamed.shift()!);
        return session;
      }
      const introduction = introductionOf(frame);
      if (introduction === undefined) return (anybody ??= owner.begin());
      const key = `client ${introduction.clientName?.slice(0, 256) ?? ''}`;
      return byKey.get(key) ?? remember(key, owner.begin());
    },
  };
}
