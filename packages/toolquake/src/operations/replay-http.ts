/** A recording as an HTTP server on this machine: Streamable HTTP in both eras, and HTTP+SSE where that was recorded. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, MAX_FRAME_BYTES, paramsOf, rpcError, type JsonObject } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { cannotListen } from '../proxies/http-front-door.js';
import { redactPath } from '../recordings/redact-http.js';
import { createReplay, type Outlet, type Replay, type ReplayOptions } from '../recordings/replay.js';
import { createSceneBook, type SceneBook } from '../recordings/scene-book.js';
import { aborted, proxyHttp, type ProxyHttpOptions } from './proxy-http.js';
import { createLane, sendReply, STREAM_HEADERS, writeEvent } from './replay-lane.js';
import { createReplaySessions, type ReplaySession } from './replay-sessions.js';
import { readRecording } from './recording-file.js';

const HOST = '127.0.0.1';
/** Only names of this machine: a page that had its own name point here (DNS rebinding) still sends that name. */
const OUR_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
const OUR_ORIGIN = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** What a replay needs to know. */
export type ReplayHttpOptions = Pick<ReplayOptions, 'timing' | 'exhausted' | 'tell'> & {
  readonly path: string;
  readonly port: number;
};

/** A replay that listens. */
export type ReplayServer = {
  readonly url: string;
  readonly port: number;
  /** Requests that were not in the recording, so far. */
  unmatched(): number;
  stop(): Promise<void>;
};

/** Reads the recording and listens on loopback. Nothing listens when the recording is bad. */
export async function startReplayServer(options: ReplayHttpOptions): Promise<ReplayServer> {
  const { tell, port } = options;
  const book = createSceneBook(await readRecording(options.path));
  if (book.unanswered > 0) tell(`${book.unanswered} recorded requests have no answer and are left out.`);
  const replay = createReplay({ ...options, book, clock: realClock });
  const handle = createHandler(book, replay, tell);
  const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    response.on('error', () => {});
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(cause, { host: HOST, port })));
    server.listen(port, HOST, resolve);
  });
  const { port: opened } = server.address() as AddressInfo;
  const [endpoint = [...book.pages.announcing][0] ?? '/'] = book.pages.endpoints();
  return {
    url: `http://${HOST}:${opened}${endpoint}`,
    port: opened,
    unmatched: () => replay.unmatched,
    async stop() {
      replay.stop();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Serves until the signal. With a plan or a journal, the HTTP proxy stands in front of it, as before any server. */
export async function replayHttp(
  options: ReplayHttpOptions &
    Pick<ProxyHttpOptions, 'planPath' | 'journalPath' | 'seed' | 'env' | 'signal'> & {
      readonly onListening: (server: { readonly url: string; readonly port: number }) => void;
    },
): Promise<{ readonly unmatched: number }> {
  const { planPath, journalPath, signal, onListening } = options;
  const isShaken = planPath !== undefined || journalPath !== undefined;
  const server = await startReplayServer(isShaken ? { ...options, port: 0 } : options);
  try {
    if (isShaken)
      await proxyHttp({
        ...options,
        host: HOST,
        upstream: server.url,
        onListening: ({ url, port }) => onListening({ url, port }),
      });
    else {
      onListening({ url: server.url, port: server.port });
      await aborted(signal);
    }
  } finally {
    await server.stop();
  }
  return { unmatched: server.unmatched() };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function createHandler(book: SceneBook, replay: Replay, tell: (line: string) => void): Handler {
  const { pages } = book;
  const sessions = createReplaySessions(replay);
  const endpoints = new Set(pages.endpoints());
  const stateless = replay.connect(() => {});
  const isFromStdio = pages.isFromStdio();
  const refuse = (response: ServerResponse, status: number, code: number, message: string): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(rpcError(null, code, message)));
  };

  /** What was recorded for a request without messages. */
  const page = (method: string, path: string, response: ServerResponse): boolean => {
    const reply = pages.take(method, path);
    if (reply === undefined) return false;
    if (reply.note !== undefined) tell(`the recorded body of ${method} ${path} was too large to be recorded.`);
    sendReply(response, reply);
    return true;
  };

  const converse = async (request: IncomingMessage, response: ServerResponse, streamed: ReplaySession | undefined): Promise<void> => {
    const text = await bodyOf(request);
    if (text === undefined) return refuse(response, 413, -32600, 'Request body is too large');
    const message = parsed(text);
    if (message === undefined) return refuse(response, 400, -32700, 'Parse error');
    if (!isObject(message) && (!Array.isArray(message) || message.length === 0)) return refuse(response, 400, -32600, 'Invalid Request');
    const parts = (Array.isArray(message) ? message : [message]).filter(isObject);
    const opens = parts.some(({ method }) => method === 'initialize');
    const isModern = parts.some(isModernMessage);
    const given = request.headers['mcp-session-id'];
    const known = streamed ?? sessions.get(typeof given === 'string' ? given : undefined);
    if (given !== undefined && known === undefined && !isModern) return refuse(response, 404, -32001, 'Session not found');
    const session = known ?? (opens ? sessions.open() : undefined);
    const news = session?.news ?? (() => {});
    const connection = session?.connection ?? (isModern ? replay.connect(news) : stateless);
    const requests = parts.filter(({ method, id }) => typeof method === 'string' && id !== undefined).length;
    const odd = (Array.isArray(message) ? message.length : 1) - parts.length + parts.filter(isNoMessage).length;
    let outlet: Outlet;
    if (streamed === undefined) {
      const takesStream = /text\/event-stream|\*\/\*/.test(request.headers.accept ?? '');
      outlet = createLane({
        response,
        takesStream,
        requests: requests + odd,
        isBatch: Array.isArray(message),
        news,
        headersFor: (form): Readonly<Record<string, string>> =>
          opens && session !== undefined && (form === undefined ? isFromStdio : form.opensSession) ? { 'mcp-session-id': session.id } : {},
      });
    } else {
      outlet = streamOutlet(streamed);
      response.writeHead(202).end('Accepted');
    }
    response.on('close', () => {
      // In the modern era hanging up is how a client cancels; before it, the work goes on.
      if (isModern && !response.writableFinished) connection.hangUp(outlet);
    });
    connection.receive(message, outlet);
    if (streamed === undefined) outlet.accept();
  };

  const listen = (request: IncomingMessage, response: ServerResponse, path: string): void => {
    const given = request.headers['mcp-session-id'];
    if (pages.announcing.has(path)) {
      const session = sessions.open();
      response.writeHead(200, STREAM_HEADERS);
      response.write(`event: endpoint\ndata: ${MESSAGES}?sessionId=${session.id}\n\n`);
      session.listen(response);
      response.on('close', () => sessions.end(session.id));
      return;
    }
    const session = sessions.get(typeof given === 'string' ? given : undefined);
    if (given !== undefined && session === undefined) return refuse(response, 404, -32001, 'Session not found');
    if (session === undefined || !pages.hasNews(path)) {
      if (page('GET', path, response)) return;
      response.setHeader('allow', 'POST');
      return refuse(response, 405, -32000, 'Method not allowed');
    }
    if (session.stream !== undefined) return refuse(response, 409, -32000, 'Conflict: Only one SSE stream is allowed per session');
    response.writeHead(200, { ...STREAM_HEADERS, 'mcp-session-id': session.id });
    response.flushHeaders();
    session.listen(response);
  };

  return async (request, response) => {
    const { host = '', origin } = request.headers;
    if (!OUR_HOST.test(host) || (origin !== undefined && !OUR_ORIGIN.test(origin)))
      return refuse(response, 403, -32000, 'Forbidden: not the name of this machine');
    const url = request.url ?? '/';
    const method = request.method ?? 'GET';
    const path = redactPath(url);
    const streamed = method === 'POST' && url.startsWith(`${MESSAGES}?`) ? sessions.get(url.split('sessionId=')[1]) : undefined;
    if (streamed !== undefined) return converse(request, response, streamed);
    if (method === 'POST' && endpoints.has(path)) return converse(request, response, undefined);
    if (method === 'GET' && (endpoints.has(path) || pages.announcing.has(path))) return listen(request, response, path);
    const given = request.headers['mcp-session-id'];
    if (method === 'DELETE' && endpoints.has(path) && typeof given === 'string') {
      const reply = pages.take('DELETE', path);
      if ((reply === undefined || reply.status < 300) && !sessions.end(given)) return refuse(response, 404, -32001, 'Session not found');
      return sendReply(response, reply ?? { status: 200, headers: {} });
    }
    if (!page(method, path, response)) response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found\n');
  };
}

/** Where clients of HTTP+SSE post to. */
const MESSAGES = '/messages';

/** HTTP+SSE: everything goes into the stream. */
function streamOutlet(session: ReplaySession): Outlet {
  const write = (text: string): void => {
    if (session.stream !== undefined) writeEvent(session.stream, text);
  };
  return {
    begin() {},
    accept() {},
    say: write,
    answer: write,
    reply: (_reply, id) => write(JSON.stringify(rpcError(id, -32603, 'Internal error'))),
    cut: () => void session.stream?.socket?.resetAndDestroy(),
  };
}

function isModernMessage(message: JsonObject): boolean {
  const meta = paramsOf(message)['_meta'];
  return isObject(meta) && 'io.modelcontextprotocol/protocolVersion' in meta;
}

/** Gets an error for an answer. */
const isNoMessage = (message: JsonObject): boolean =>
  typeof message['method'] !== 'string' && !('result' in message) && !('error' in message);

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    // Read to its end all the same: a client that is cut while it sends never sees why.
    if (size <= MAX_FRAME_BYTES) parts.push(part as Buffer);
  }
  return size > MAX_FRAME_BYTES ? undefined : Buffer.concat(parts).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
