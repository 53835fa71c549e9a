/**
 * HTTP/1.1 on the wire, as the proxy uses it: requests in, requests out, bodies both ways. Everything else in the data path
 * knows these types only, so a faster codec replaces `http-codec-node.ts` and nothing else. The members are those of Node's
 * own objects, so that the codec we have needs no wrapper around them.
 */
import type { ClientRequest, IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Listening = 'on' | 'once' | 'off';
type Writing = Listening | 'write' | 'end' | 'destroy' | 'destroyed' | 'addTrailers' | 'chunkedEncoding' | 'writableEnded';

/** A message as it comes in: a client's request, or a server's answer. Names, values and bytes are what was on the wire. */
export type HttpIncoming = Pick<
  IncomingMessage,
  | Listening
  | 'pause'
  | 'resume'
  | 'complete'
  | 'readableLength'
  | 'rawHeaders'
  | 'rawTrailers'
  | 'method'
  | 'url'
  | 'httpVersionMinor'
  | 'statusCode'
  | 'statusMessage'
  | 'socket'
>;

/** A message on its way out, with backpressure: `write` returns false, and `drain` tells when to go on. */
export type HttpOutgoing = Pick<OutgoingMessage, Writing>;

/** The answer to a client. `socket` is the client's connection, to be cut where a fault or the server says so. */
export type HttpResponse = Pick<
  ServerResponse,
  Writing | 'writeHead' | 'writeContinue' | 'sendDate' | 'headersSent' | 'socket' | 'writableFinished' | 'writableNeedDrain'
>;

/** A request to a server: `information` for interim answers, then `response` or `error`. */
export type HttpRequest = Pick<ClientRequest, Writing>;

/** Reads requests from connections that somebody else accepted. */
export type HttpAcceptor = { admit(socket: Socket): void };

/** What an acceptor is told. */
export type HttpAcceptorOptions = {
  readonly onRequest: (request: HttpIncoming, response: HttpResponse) => void;
  /** A client asked for a tunnel; the connection is no longer read. */
  readonly onConnect: (authority: string, socket: Socket, head: Buffer) => void;
};

/** Where requests go. An empty `serverName` says none in TLS; undefined means no TLS. */
export type HttpAddress = { readonly host: string; readonly port: number; readonly serverName: string | undefined };

/** Kept-alive connections to one address. */
export type HttpConnections = {
  /** `onConnect` hears of a new connection before anything is written to it. */
  request(
    ask: { readonly method: string; readonly path: string; readonly headers: string[] },
    onConnect: ((socket: Socket) => void) | undefined,
  ): HttpRequest;
  /** False while a request is under way. */
  isIdle(): boolean;
  close(): void;
};

/** See the module comment. */
export type HttpCodec = {
  accept(options: HttpAcceptorOptions): HttpAcceptor;
  connections(address: HttpAddress): HttpConnections;
};
