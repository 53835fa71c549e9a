/** The sessions of a replayed HTTP server: its own ids, one stream for news each. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Replay, ReplayConnection } from '../recordings/replay.js';
import { writeEvent } from './replay-lane.js';

/** News that nobody listens to yet; more than that is lost, oldest first. */
const MAX_NEWS = 1024;
const MAX_SESSIONS = 4096;

/** One session. */
export type ReplaySession = {
  readonly id: string;
  readonly connection: ReplayConnection;
  /** The stream for news, while it is open. */
  readonly stream: ServerResponse | undefined;
  news(text: string): void;
  /** Lets a response carry the news from here on. */
  listen(response: ServerResponse): void;
};

/** See the module comment. */
export type ReplaySessions = {
  open(): ReplaySession;
  get(id: string | undefined): ReplaySession | undefined;
  end(id: string): boolean;
};

/** Starts with none. */
export function createReplaySessions(replay: Replay): ReplaySessions {
  const byId = new Map<string, ReplaySession>();

  const open = (): ReplaySession => {
    let waiting: string[] = [];
    let stream: ServerResponse | undefined;
    let hasOpened = false;
    const news = (text: string): void => {
      if (stream !== undefined) return writeEvent(stream, text);
      waiting.push(text);
      if (waiting.length > MAX_NEWS) waiting.shift();
    };
    const connection = replay.connect(news);
    const session: ReplaySession = {
      id: randomUUID(),
      connection,
      get stream() {
        return stream;
      },
      news,
      listen(response) {
        stream = response;
        response.on('close', () => void (stream === response && (stream = undefined)));
        const missed = waiting;
        waiting = [];
        for (const text of missed) writeEvent(response, text);
        if (!hasOpened) connection.open();
        hasOpened = true;
      },
    };
    byId.set(session.id, session);
    if (byId.size > MAX_SESSIONS) end(byId.keys().next().value!);
    return session;
  };

  const end = (id: string): boolean => {
    byId.get(id)?.stream?.end();
    return byId.delete(id);
  };

  return { open, get: (id) => (id === undefined ? undefined : byId.get(id)), end };
}
