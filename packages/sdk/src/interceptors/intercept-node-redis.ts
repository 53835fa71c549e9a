/**
 * node-redis under the rules of a run. All of its commands pass through three functions of the client: one command, a
 * pipeline, a transaction. Whatever was made from the client (other options, other protocols) inherits them.
 */
import type { Cancel } from '../core/clock.js';
import type { JsonObject } from '../core/message.js';
import { argumentsOf, nameOf, type RedisSite } from './redis-site.js';
import { patchProperty } from '../core/patch-property.js';
import { loseConnection, nodeModule, refusedError, type RedisStream } from './redis-connection.js';

type Send = (this: unknown, args: readonly unknown[], options?: { abortSignal?: AbortSignal }) => Promise<unknown>;
type Batch = (this: unknown, commands: readonly { args: readonly unknown[] }[], ...rest: unknown[]) => Promise<unknown>;

/** The part of a node-redis client that is looked at; `_self` is the client behind all of its views. */
export type NodeRedisClient = { readonly _self: object; sendCommand: unknown; duplicate: unknown };

type Inner = {
  sendCommand: Send;
  _executePipeline: Batch;
  _executeMulti: Batch;
  duplicate: (...given: unknown[]) => NodeRedisClient;
  _getQueue(): { decoder: { constructor: DecoderClass } };
  readonly isReady: boolean;
  ref(): void;
  unref(): void;
  prependListener(event: string, listener: () => void): void;
  removeListener(event: string, listener: () => void): void;
  readonly options?: { socket?: { host?: string; port?: number; path?: string } };
};

type DecoderClass = new (events: {
  onReply: () => void;
  onPush: () => void;
  onErrorReply: (error: unknown) => void;
  getTypeMapping: () => object;
}) => { write(bytes: Uint8Array): void };

/** Is it a client of node-redis 5 or later, and no pool or cluster? */
export function isNodeRedis(client: object): client is NodeRedisClient {
  const { _self: self } = client as { _self?: Partial<Inner> };
  return typeof self?.sendCommand === 'function' && typeof self._executeMulti === 'function' && typeof self._getQueue === 'function';
}

/** Attaches one client, and whatever it is duplicated to. Returns its undo. */
export function attachNodeRedis(site: RedisSite, client: NodeRedisClient): Cancel {
  // Narrowed by `isNodeRedis`.
  const inner = client._self as Inner;
  const plain = { send: inner.sendCommand, pipeline: inner._executePipeline, multi: inner._executeMulti, duplicate: inner.duplicate };
  const { perform } = site.connect({
    // Without a connection there is nothing to break, and nothing to be asked for it.
    lose: (how, handOver) => loseConnection(inner.isReady ? socketOf(inner) : undefined, how, handOver),
    replyError: async (message) => replyErrorOf(inner, message),
  });

  const look = async (name: string, args: JsonObject, execute: () => unknown, signal?: AbortSignal): Promise<unknown> => {
    let isSent = false;
    const inHand = perform({ name, args, execute: () => ((isSent = true), execute()) });
    if (inHand === undefined) return execute();
    // As the library does it: a command can be taken back until it is written.
    const onAbort = (): void => {
      if (!isSent) Promise.resolve(execute()).catch(inHand.giveUp);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await inHand.outcome;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  };

  const sendCommand: Send = function (args, options) {
    const execute = (): Promise<unknown> => Reflect.apply(plain.send, this, [args, options]);
    if (!site.isWatched || options?.abortSignal?.aborted === true) return execute();
    return look(nameOf(args[0]), argumentsOf(args.slice(1)), execute, options?.abortSignal);
  };
  const batch = (name: string, whole: Batch): Batch =>
    function (commands, ...rest) {
      const execute = (): Promise<unknown> => Reflect.apply(whole, this, [commands, ...rest]);
      return site.isWatched ? look(name, { commands: commands.map(({ args }) => nameOf(args[0])) }, execute) : execute();
    };
  const onConnect = (): void => {
    if (site.connecting() === undefined) return;
    const { host = '127.0.0.1', port = 6379 } = inner.options?.socket ?? {};
    const socket = socketOf(inner);
    socket?.destroy(refusedError(socket.remoteAddress ?? host, socket.remotePort ?? port));
  };

  const undos = [
    patchProperty(inner, 'sendCommand', sendCommand),
    patchProperty(inner, '_executePipeline', batch('PIPELINE', plain.pipeline)),
    patchProperty(inner, '_executeMulti', batch('MULTI', plain.multi)),
    patchProperty(inner, 'duplicate', function (this: unknown, ...given: unknown[]): NodeRedisClient {
      const copy = Reflect.apply(plain.duplicate, this, given) as NodeRedisClient;
      if (site.isActive) undos.push(attachNodeRedis(site, copy));
      return copy;
    }),
    () => inner.removeListener('connect', onConnect),
  ];
  inner.prependListener('connect', onConnect);
  return () => {
    for (const undo of undos.splice(0)) undo();
  };
}

/**
 * The socket under a client, which keeps it to itself: asked to `unref` it, the client calls the socket. For that one call
 * the socket's own `unref` notes who it was called on.
 */
function socketOf(inner: Inner): RedisStream | undefined {
  const { prototype } = nodeModule<{ Socket: { prototype: RedisStream } }>('net').Socket;
  let found: (RedisStream & { _handle?: { hasRef?: () => boolean } | null }) | undefined;
  const note = (socket: RedisStream): void => {
    found = socket;
  };
  const restore = patchProperty(prototype, 'unref', function (this: RedisStream) {
    note(this);
    return this;
  });
  try {
    inner.unref();
  } finally {
    restore();
  }
  // What the client remembers of it is put right, too.
  if (found?._handle?.hasRef?.() !== false) inner.ref();
  return found;
}

/** The library's own error for an error reply, made by its own decoder. */
function replyErrorOf(inner: Inner, message: string): unknown {
  let made: unknown;
  const Decoder = inner._getQueue().decoder.constructor;
  const decoder = new Decoder({ onReply() {}, onPush() {}, onErrorReply: (error) => (made = error), getTypeMapping: () => ({}) });
  // Node's own bytes: the decoder asks them for text.
  const { Buffer } = globalThis as unknown as { Buffer: { from(text: string): Uint8Array } };
  decoder.write(Buffer.from(`-${message}\r\n`));
  return made;
}
