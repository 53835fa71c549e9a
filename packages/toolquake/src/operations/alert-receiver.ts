/** Where the alerts of a run arrive: those of its own monitor, and those of any other that can post JSON. On loopback only. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ToolquakeError } from '@toolquake/sdk/core';
import { readAlerts, type ReceivedAlert } from '../monitor/alert-message.js';

/** How it is opened. */
export type AlertReceiverOptions = {
  /** 0: any that is free. */
  readonly port: number;
  /** The secret in the path; a fresh one unless told otherwise. */
  readonly token?: string | undefined;
  /** Since the start of the run, monotonic. */
  readonly nowMs: () => number;
  readonly wallClockMs?: (() => number) | undefined;
  /** `sentAtMs` is when the sender says that it noticed, on the clock of the run. */
  readonly onAlert: (alert: ReceivedAlert & { readonly atMs: number; readonly sentAtMs: number | undefined }) => void;
};

/** It listens. `url` holds the secret, `place` does not. */
export type AlertReceiver = { readonly url: string; readonly place: string; close(): Promise<void> };

const MAX_BODY_BYTES = 256 * 1024;
const MAX_REMEMBERED = 10_000;

/** Resolves when it listens. */
export async function openAlertReceiver(options: AlertReceiverOptions): Promise<AlertReceiver> {
  const { port, token = randomBytes(24).toString('base64url'), nowMs, wallClockMs = Date.now, onAlert } = options;
  /** A sender that did not hear our answer sends again; that is one alert. */
  const heard = new Set<string>();
  const isRepeated = ({ id, state }: ReceivedAlert): boolean => {
    const key = `${state} ${id}`;
    if (id === undefined || heard.size >= MAX_REMEMBERED) return false;
    return heard.size === heard.add(key).size;
  };
  const secret = digestOf(`/alerts/${encodeURIComponent(token)}`);

  async function answer(request: IncomingMessage): Promise<readonly [status: number, text: string]> {
    const [path = ''] = (request.url ?? '').split('?');
    if (!timingSafeEqual(digestOf(path), secret)) return [404, 'There is nothing here.'];
    if (request.method !== 'POST') return [405, 'Alerts are posted.'];
    const body = await readBody(request);
    if (body === undefined) return [413, 'The message is larger than 256 KiB.'];
    const alerts = readAlerts(parsed(body));
    if (alerts === undefined) return [422, 'No alert was understood: a JSON object with "state" or "status" (firing, resolved) is needed.'];
    for (const alert of alerts) {
      if (isRepeated(alert)) continue;
      const atMs = nowMs();
      const { sentAtWallMs } = alert;
      onAlert({ ...alert, atMs, sentAtMs: sentAtWallMs === undefined ? undefined : atMs - (wallClockMs() - sentAtWallMs) });
    }
    return [200, 'ok'];
  }

  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000, maxHeaderSize: 16 * 1024 }, (request, response) => {
    answer(request).then(
      ([status, text]) => end(response, status, text),
      () => response.destroy(),
    );
  });
  server.maxConnections = 100;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new ToolquakeError('PORT_TAKEN', {
          message: `The alert receiver cannot listen on port ${port}: ${cause.code ?? cause.message}.`,
          advice: 'Choose another port, or 0 for any that is free.',
          cause,
        }),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = server.address();
  const openPort = typeof bound === 'object' && bound !== null ? bound.port : port;
  const place = `http://127.0.0.1:${openPort}/alerts/`;
  return {
    url: `${place}${encodeURIComponent(token)}`,
    place,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

function end(response: ServerResponse, status: number, text: string): void {
  // Whatever is left of a body that is too large is not read.
  const headers = { 'content-type': 'text/plain; charset=utf-8', ...(status === 413 ? { connection: 'close' } : {}) };
  response.writeHead(status, headers).end(text);
}

/** Secrets of any length compare in the same time. */
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Undefined when it is too large; what is left of it then is not read. */
function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) return chunks.push(chunk);
      request.pause();
      return resolve(undefined);
    });
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.once('error', reject);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
