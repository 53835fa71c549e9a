/** Servers whose trouble is the network or HTTP itself: raw sockets, because no HTTP server would do this. */
import { createServer, type Socket } from 'node:net';
import type { Ailments, SickServer } from './ailment.js';
import { listening, startScript, type Script } from './mcp-script.js';

/** A TCP server that does something to each connection once its request has come. */
async function raw(onRequest: (socket: Socket) => void): Promise<SickServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => onRequest(socket));
  });
  const running = await listening(server, 'http');
  return {
    ...running,
    stop() {
      for (const socket of sockets) socket.destroy();
      return running.stop();
    },
  };
}

/** Every request is answered with a status. */
const status = (code: number, headers: Readonly<Record<string, string>> = {}): (() => Promise<SickServer>) => {
  const script: Script = ({ raw: answer }) => {
    answer(code, 'text/plain', `status ${code}`, headers);
    return true;
  };
  return () => startScript(script);
};

const TOKEN_VARIABLE = 'TOOLQUAKE_FIXTURE_TOKEN';
const bearer = (token: string): Pick<SickServer, 'settings' | 'variables'> => ({
  settings: { auth: { type: 'bearer', token: `\${${TOKEN_VARIABLE}}` } },
  variables: { [TOKEN_VARIABLE]: token },
});
const withToken =
  (start: () => Promise<SickServer>, token = 'opaque-token'): (() => Promise<SickServer>) =>
  async () => ({ ...(await start()), ...bearer(token) });

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenUntil = (seconds: number): string => `${encoded({ alg: 'none' })}.${encoded({ exp: Math.floor(Date.now() / 1000) + seconds })}.`;

export const networkAilments: Ailments = {
  async connection_refused() {
    const running = await raw(() => {});
    await running.stop();
    return { url: running.url, stop: () => Promise.resolve() };
  },
  connection_reset: () => raw((socket) => socket.resetAndDestroy()),
  connection_closed_early: () => raw((socket) => socket.end()),
  http_malformed: () => raw((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n\r\n')),
  http_truncated: () =>
    raw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"jsonrpc":"2.0"')),
  http_redirect_unexpected: status(302, { location: 'https://login.example/' }),
  http_not_found: status(404),
  http_method_not_allowed: status(405),
  http_not_acceptable: status(406),
  http_bad_request: status(422),
  http_rate_limited: status(429, { 'retry-after': '7' }),
  http_server_error: status(500),
  http_bad_gateway: status(502),
  http_unavailable: status(503),
  http_gateway_timeout: status(504),
  http_unexpected_content: () =>
    startScript(({ raw: answer }) => {
      answer(200, 'text/html', '<html><title>Log in</title></html>');
      return true;
    }),
  auth_required: status(401, { 'www-authenticate': 'Bearer realm="fixture"' }),
  auth_challenge_invalid: status(401),
  auth_rejected: withToken(status(401, { 'www-authenticate': 'Bearer error="invalid_token"' })),
  auth_expired: () => withToken(status(401, { 'www-authenticate': 'Bearer error="invalid_token"' }), tokenUntil(-60))(),
  auth_insufficient_scope: withToken(status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="tools"' })),
  auth_forbidden: status(403),
  credential_expiring: () => withToken(() => startScript(() => false), tokenUntil(3600))(),
  async auth_refresh_failed() {
    const running = await startScript((turn) => {
      if (turn.request.url !== '/token') return false;
      turn.raw(400, 'application/json', '{"error":"invalid_client"}');
      return true;
    });
    const secret = { clientId: '${TOOLQUAKE_FIXTURE_ID}', clientSecret: '${TOOLQUAKE_FIXTURE_SECRET}' };
    return {
      ...running,
      settings: { auth: { type: 'client-credentials', tokenUrl: running.url.replace('/mcp', '/token'), ...secret } },
      variables: { TOOLQUAKE_FIXTURE_ID: 'fixture', TOOLQUAKE_FIXTURE_SECRET: 'not-the-secret' },
    };
  },
};
