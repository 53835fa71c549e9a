/** What HTTP has besides messages: which addresses a server had, what else it answered there, and how it kept its sessions. */
import type { RecordedAnnouncement, RecordedHttp, RecordingStart } from './recording-line.js';
import type { HttpReply } from './scene.js';

/** Where a stdio recording is served. */
const DEFAULT_ENDPOINT = '/mcp';

/** See the module comment. */
export type Pages = {
  /** Paths that messages are posted to, in recorded order. */
  endpoints(): readonly string[];
  /** Paths whose stream announces where its client posts to (HTTP+SSE). */
  readonly announcing: ReadonlySet<string>;
  /** The next answer to a request without messages: in recorded order, and the last one again and again. */
  take(method: string, path: string): HttpReply | undefined;
  /** True when clients had a stream for news there, and when nobody knows. */
  hasNews(path: string): boolean;
  /** True when nothing is known of how the server kept its sessions. */
  isFromStdio(): boolean;
  start(line: RecordingStart): void;
  add(line: RecordedHttp): void;
  addEndpoint(path: string): void;
  announce(line: RecordedAnnouncement): void;
};

/** Starts empty. */
export function createPages(): Pages {
  const replies = new Map<string, HttpReply[]>();
  const used = new Map<string, number>();
  const endpoints = new Set<string>();
  const announcing = new Set<string>();
  const streams = new Map<string, string>();
  let isHttp = false;

  return {
    announcing,
    endpoints: () => (endpoints.size > 0 || announcing.size > 0 ? [...endpoints] : [DEFAULT_ENDPOINT]),
    take(method, path) {
      const key = `${method} ${path}`;
      const list = replies.get(key) ?? [];
      const index = used.get(key) ?? 0;
      used.set(key, index + 1);
      return list[Math.min(index, list.length - 1)];
    },
    hasNews: (path) => !isHttp || [...streams.values()].includes(path),
    isFromStdio: () => !isHttp,
    start(line) {
      isHttp ||= line.transport === 'http';
    },
    add(line) {
      const { method, path, status, headers } = line;
      if (method === 'GET' && status === 200 && /^\s*text\/event-stream/i.test(headers['content-type'] ?? '')) {
        streams.set(exchangeKey(line), path);
        return;
      }
      const key = `${method} ${path}`;
      const list = replies.get(key);
      if (list === undefined) replies.set(key, [line]);
      else list.push(line);
    },
    addEndpoint(path) {
      endpoints.add(path);
    },
    announce(line) {
      const path = streams.get(exchangeKey(line));
      if (path !== undefined) announcing.add(path);
    },
  };
}

const exchangeKey = ({ session, exchange }: { session: string; exchange: number }): string => `${session.split('/')[0]} ${exchange}`;
