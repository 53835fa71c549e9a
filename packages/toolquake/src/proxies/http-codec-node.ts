/** The codec that Node brings: node:http and node:https. The only file of the data path that imports them. */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { realClock } from '@toolquake/sdk/interceptors';
import type { HttpCodec } from './http-codec.js';
import { watchIdleConnections } from './http-codec-node-idle.js';

/** Names and cookies add up; a proxy must not be the one to object. */
const MAX_HEADER_BYTES = 256 * 1024;
/** Their bytes are limited; of more than 2000 headers, Node would drop the rest and say nothing. */
const ANY_NUMBER = 0;

/** See the module comment. */
export const nodeCodec: HttpCodec = {
  accept({ onRequest, onConnect }) {
    const parser = http.createServer({
      keepAliveTimeout: 0,
      requestTimeout: 0,
      headersTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Whether a request needs a Host is for its server to say.
      requireHostHeader: false,
    });
    parser.maxHeadersCount = ANY_NUMBER;
    parser.on('request', onRequest);
    // With a listener of our own, Node leaves "100 Continue" to the server upstream.
    parser.on('checkContinue', onRequest);
    parser.on('checkExpectation', onRequest);
    parser.on('connect', ({ url }: http.IncomingMessage, socket: Socket, head: Buffer) => onConnect(url ?? '', socket, head));
    return {
      admit(socket) {
        parser.emit('connection', socket);
        socket.resume();
      },
    };
  },
  connections({ host, port, serverName }) {
    const library = serverName === undefined ? http : https;
    const agent = new library.Agent({ keepAlive: true, noDelay: true, maxFreeSockets: 1024, scheduling: 'lifo' });
    const idle = watchIdleConnections(agent, realClock.nowMs);
    const base = { agent, host, port, servername: serverName, setHost: false, maxHeaderSize: MAX_HEADER_BYTES };
    return {
      request(ask, onConnect) {
        idle.expire();
        const out = library.request({ ...base, method: ask.method, path: ask.path, headers: ask.headers });
        out.maxHeadersCount = ANY_NUMBER;
        idle.learn(out);
        // No client asks for one through us: without a listener, Node drops the connection and tells nobody.
        out.once('upgrade', (_answer, socket: Socket) => {
          socket.destroy();
          out.emit('error', unaskedUpgrade());
        });
        if (onConnect === undefined) return out;
        return out.once('socket', (socket: Socket) => {
          if (socket.connecting) socket.once('connect', () => onConnect(socket));
        });
      },
      isIdle: () => Object.keys(agent.sockets).length === 0 && Object.keys(agent.requests).length === 0,
      close: () => agent.destroy(),
    };
  },
};

function unaskedUpgrade(): NodeJS.ErrnoException {
  return Object.assign(new Error('the server went over to another protocol (101), which nobody had asked for'), { code: 'EUPGRADE' });
}
