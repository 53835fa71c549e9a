/**
 * ioredis under the rules of a run. Every command passes through one function of its client, with the stream that its
 * pipeline writes to. A command that a rule takes out of a pipeline leaves the others to go on; a transaction is one command.
 */
import type { Cancel } from '../core/clock.js';
import { patchProperty } from '../core/patch-property.js';
import { loseConnection, refusedError, type RedisStream } from './redis-connection.js';
import { replyErrorClass } from './ioredis-error.js';
import { argumentsOf, nameOf, type RedisSite } from './redis-site.js';
import type { CommandInHand } from './attach-commands.js';
import type { Command } from './command-ends.js';

/** A command of ioredis: it carries its own promise. */
export type IoredisCommand = {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly promise: Promise<unknown>;
  readonly inTransaction?: boolean;
  resolve(reply: unknown): unknown;
  reject(error: unknown): unknown;
  transformReply(reply: unknown): unknown;
  setTimeout?(ms: number): void;
};

type Pipe = { readonly isPipeline?: boolean; write(bytes: unknown): void };
type Send = (this: unknown, command: IoredisCommand, stream?: Pipe, ...rest: unknown[]) => unknown;

/** The part of an ioredis client that is looked at. */
export type IoredisClient = {
  sendCommand: Send;
  duplicate: (...given: unknown[]) => IoredisClient;
  readonly status: string;
  readonly stream?: RedisStream | undefined;
  readonly connector: { connect: (...given: unknown[]) => Promise<RedisStream> };
  readonly options: { host?: string; port?: number; commandTimeout?: number };
};

/** What the library says itself before its connection is ready. */
const HANDSHAKE = ['auth', 'client', 'cluster', 'hello', 'info', 'readonly', 'select'];

/** Is it a client of ioredis with one connection? */
export function isIoredis(client: object): client is IoredisClient {
  const { sendCommand, connector, duplicate, status } = client as Partial<IoredisClient>;
  return (
    typeof sendCommand === 'function' &&
    typeof connector?.connect === 'function' &&
    typeof duplicate === 'function' &&
    typeof status === 'string'
  );
}

/** Attaches one client, and whatever it is duplicated to. Returns its undo. */
export function attachIoredis(site: RedisSite, client: IoredisClient): Cancel {
  const plain = { send: client.sendCommand, duplicate: client.duplicate, connect: client.connector.connect };
  const errorClass = replyErrorClass((options) => Reflect.apply(plain.duplicate, client, [options]));
  /** Commands that rules looked at: the library sends them again when a connection came back. */
  const known = new WeakSet<IoredisCommand>();
  /** Pipes that a command was taken from: when they are sent again, they wait for it. Their commands go one by one then. */
  const thinned = new WeakSet<Pipe>();
  const sentAs = new WeakMap<Command, IoredisCommand>();
  /** The transaction that is being written to a pipe. */
  const transactions = new WeakMap<Pipe, IoredisCommand[]>();
  const { perform } = site.connect({
    lose: (how, handOver) => loseConnection(client.stream, how, handOver),
    async replyError(message, asked) {
      const { name, args } = sentAs.get(asked) ?? { name: asked.name, args: [] };
      return Object.assign(new (await errorClass)(message), { command: { name, args } });
    },
  });
  const send = (command: IoredisCommand, stream?: Pipe): unknown => Reflect.apply(plain.send, client, [command, stream]);

  /** Looks at one command, or at a transaction by its last one. */
  const look = (command: IoredisCommand, group: readonly IoredisCommand[], stream: Pipe | undefined): unknown => {
    const isTransaction = group.length > 1;
    const settle = { resolve: command.resolve.bind(command), reject: command.reject.bind(command) };
    const waiting: { resolve: (reply: unknown) => void; reject: (error: unknown) => void }[] = [];
    const state: { inHand: CommandInHand | undefined; isInLoop: boolean; isPiped: boolean } = {
      inHand: undefined,
      isInLoop: true,
      isPiped: false,
    };
    const put = (pipe: Pipe | undefined): unknown => group.map((one) => send(one, pipe)).at(-1);
    const execute = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        if (stream === undefined) return void send(command);
        if (state.isInLoop && !state.isPiped) {
          state.isPiped = true;
          return void put(stream);
        }
        // Its pipe is being written, or was: it goes behind it.
        queueMicrotask(() => put(isTransaction ? createPipe(client, group.length) : undefined));
      });
    command.resolve = (reply) => {
      const next = waiting.shift();
      try {
        if (next === undefined) {
          // The library's own patience is over.
          state.inHand?.leave();
          settle.resolve(reply);
        } else next.resolve(command.transformReply(reply));
      } catch (error) {
        next?.reject(error);
      }
      return command.promise;
    };
    command.reject = (error) => {
      const next = isReplyError(error) ? waiting.shift() : undefined;
      if (next === undefined) {
        // The library gives it up (its time is over, its connection closed for good): no reply that a rule could keep.
        state.inHand?.leave();
        settle.reject(error);
      } else next.reject(error);
    };
    const restore = (): void => {
      command.resolve = settle.resolve;
      command.reject = settle.reject;
    };
    const args = isTransaction ? { commands: group.slice(1, -1).map(({ name }) => nameOf(name)) } : argumentsOf(command.args);
    const asked: Command = { name: isTransaction ? 'MULTI' : nameOf(command.name), args, execute };
    sentAs.set(asked, command);
    const inHand = perform(asked);
    state.inHand = inHand;
    state.isInLoop = false;
    if (inHand === undefined) {
      restore();
      return put(stream);
    }
    const { commandTimeout } = client.options;
    if (typeof commandTimeout === 'number') command.setTimeout?.(commandTimeout);
    // The pipe counts its commands before it is written.
    if (stream !== undefined && !state.isPiped) {
      thinned.add(stream);
      for (const _ of group) stream.write('');
    }
    inHand.outcome.then(
      (reply) => {
        // What came of it was read already.
        const read = Object.getOwnPropertyDescriptor(command, 'transformReply');
        Object.defineProperty(command, 'transformReply', { value: (same: unknown) => same, configurable: true, writable: true });
        settle.resolve(reply);
        if (read === undefined) Reflect.deleteProperty(command, 'transformReply');
        else Object.defineProperty(command, 'transformReply', read);
      },
      (error: unknown) => settle.reject(error),
    );
    if (isTransaction) void inHand.outcome.catch(() => {}).then(() => answerQueued(group));
    return command.promise;
  };

  const sendCommand: Send = function (this: unknown, command, stream, ...rest) {
    const isOwn = client.status === 'connect' && HANDSHAKE.includes(command.name);
    if (stream !== undefined && known.has(command) && thinned.has(stream)) return send(command);
    if (!site.isWatched || isOwn || known.has(command)) return Reflect.apply(plain.send, this, [command, stream, ...rest]);
    known.add(command);
    if (stream === undefined) return look(command, [command], undefined);
    const group = transactions.get(stream);
    if (command.name === 'multi') {
      transactions.set(stream, [command]);
      return command.promise;
    }
    if (group === undefined) return look(command, [command], stream);
    group.push(command);
    if (command.name !== 'exec' && command.name !== 'discard') return command.promise;
    transactions.delete(stream);
    return look(command, group, stream);
  };

  const undos: Cancel[] = [
    patchProperty(client, 'sendCommand', sendCommand),
    patchProperty(client, 'duplicate', (...given) => {
      const copy = Reflect.apply(plain.duplicate, client, given);
      if (site.isActive) undos.push(attachIoredis(site, copy));
      return copy;
    }),
    patchProperty(client.connector, 'connect', async (...given) => {
      const stream = await Reflect.apply(plain.connect, client.connector, given);
      const { host = '127.0.0.1', port = 6379 } = client.options;
      // Before it is connected, and with the listeners of the library on it.
      if (site.connecting() !== undefined)
        queueMicrotask(() => stream.destroy(refusedError(host === 'localhost' ? '127.0.0.1' : host, port)));
      return stream;
    }),
  ];
  return () => {
    for (const undo of undos.splice(0)) undo();
  };
}

/** A pipe of its own for a transaction that goes later than the one that it was written to. */
function createPipe(client: IoredisClient, commands: number): Pipe & { destination: { redis: IoredisClient } } {
  let written: unknown[] = [];
  return {
    isPipeline: true,
    destination: { redis: client },
    write(bytes) {
      written.push(bytes);
      if (written.length < commands) return;
      for (const one of written) client.stream?.write(one);
      written = [];
    },
  };
}

/** Commands of a transaction that never went: their callers wait for nothing but the end of it. */
function answerQueued(group: readonly IoredisCommand[]): void {
  for (const [index, { resolve, promise }] of group.slice(0, -1).entries()) {
    void promise;
    resolve(index === 0 ? 'OK' : 'QUEUED');
  }
}

/** Did the server say so, and not the library? */
const isReplyError = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';
