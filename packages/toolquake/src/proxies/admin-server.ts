/** The admin routes on a loopback port: bounded in size, time and connections, and closed to web pages. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pourText, type AdminRequest, type AdminResponse } from '@toolquake/sdk/controller';
import { ToolquakeError } from '@toolquake/sdk/core';

const MAX_BODY_BYTES = 1024 * 1024;
/** A body that is too large is still read to its end, because who closes on unread bytes resets what it said; up to here. */
const MAX_READ_BYTES = 16 * 1024 * 1024;
const MAX_CONNECTIONS = 64;

/** How long a listener may take for its last bytes when the proxy ends. */
const CLOSE_WITHIN_MS = 250;

/** What the server is told. */
export type AdminServerOptions = {
  readonly port: number;
  readonly answer: (request: AdminRequest) => Promise<AdminResponse>;
  /** How long a whole request may take to arrive. */
  readonly patienceMs?: number;
};

/** A listening server. */
export type AdminServer = { readonly url: string; close(): Promise<void> };

/** Listens on 127.0.0.1; rejects with `PORT_TAKEN` when it cannot. */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const patienceMs = options.patienceMs ?? 10_000;
  const limits = { headersTimeout: patienceMs, requestTimeout: patienceMs, connectionsCheckingInterval: Math.min(1000, patienceMs) };
  let isClosing = false;
  const server = http.createServer(limits, (request, response) => {
    if (isClosing) return void response.destroy();
    handle(request, response, options.answer).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new ToolquakeError('PORT_TAKEN', {
          message: `Cannot open the admin port ${options.port}: ${cause.message}.`,
          advice: 'Choose another --admin-port, or 0 for any free one.',
          cause,
        }),
      ),
    );
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      isClosing = true;
      const giveUp = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS);
      return new Promise<void>((resolve) => {
        server.close(() => {
          clearTimeout(giveUp);
          resolve();
        });
        server.closeIdleConnections();
      });
    },
  };
}

async function handle(request: IncomingMessage, response: ServerResponse, answer: AdminServerOptions['answer']): Promise<void> {
  const refuse = (status: number, error: string): void => {
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify({ error }));
  };
  // A page that had its own name point here (DNS rebinding) still sends that name.
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(request.headers.host ?? ''))
    return refuse(403, 'Forbidden: not the name of this machine.');
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size <= MAX_BODY_BYTES) parts.push(part as Buffer);
    if (size > MAX_READ_BYTES) break;
  }
  if (size > MAX_BODY_BYTES) return refuse(413, 'The body is larger than 1 MiB.');
  const [path = ''] = (request.url ?? '').split('?');
  const { authorization, origin, host } = request.headers;
  const { status, headers, body, stream } = await answer({
    method: request.method ?? '',
    path,
    headers: { authorization, origin, host },
    body: Buffer.concat(parts).toString(),
  });
  if (stream === undefined) return void response.writeHead(status, headers).end(body);
  response.writeHead(status, { ...headers, connection: 'close' }).flushHeaders();
  await pourText(stream, response);
}
