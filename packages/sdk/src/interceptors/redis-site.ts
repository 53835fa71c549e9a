/** What both Redis clients share: a database as a place where rules act, with the clients that lead to it. */
import type { Run } from '../controller/run.js';
import type { DisconnectHow } from '../core/effect.js';
import type { JsonObject } from '../core/message.js';
import { attachCommands, type CommandInHand } from './attach-commands.js';
import type { Command } from './command-ends.js';

/** One connection of a client. */
export type RedisConnection = {
  /** Breaks it, and hands the client what is lost with it. */
  lose<Outcome>(how: 'reset' | 'end', handOver: () => Outcome): Outcome;
  /** The library's own error for an error reply. */
  replyError(message: string, command: Command): Promise<unknown>;
};

/** See the module comment. */
export type RedisSite = {
  readonly isActive: boolean;
  readonly isWatched: boolean;
  connecting(): DisconnectHow | undefined;
  connect(connection: RedisConnection): { perform(command: Command): CommandInHand | undefined };
  detach(): void;
};

/** An error reply that its library has not put into its own words yet. */
class ErrorReply {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Redis begins its errors with a word in capitals. */
function errorText(message: unknown): string {
  const text = (typeof message === 'string' ? message : 'unknown error').replace(/[\r\n]+/g, ' ');
  return /^[A-Z][A-Z0-9_]+( |$)/.test(text) ? text : `ERR ${text}`;
}

/** Opens a site. `restore` undoes the patches of its clients. */
export function openRedisSite(
  run: Run,
  options: { target: string | undefined; label: string | undefined; restore: () => void },
): RedisSite {
  const connections = new Set<RedisConnection>();
  const carriedBy = new WeakMap<Command, RedisConnection>();
  const attached = attachCommands(run, {
    ...options,
    client: {
      errorOf: ({ message }) => new ErrorReply(errorText(message)),
      lose(how, command) {
        const connection = command === undefined ? undefined : carriedBy.get(command);
        if (connection !== undefined && command !== undefined) return connection.lose(how, () => command.execute());
        for (const one of connections) one.lose(how, () => undefined);
        return undefined;
      },
    },
  });
  return {
    get isActive() {
      return attached.attachment.isActive;
    },
    get isWatched() {
      return attached.isWatched;
    },
    connecting: attached.connecting,
    connect(connection) {
      connections.add(connection);
      return {
        perform(command) {
          carriedBy.set(command, connection);
          const inHand = attached.perform(command);
          if (inHand === undefined) return undefined;
          const outcome = inHand.outcome.catch(async (error: unknown) => {
            throw error instanceof ErrorReply ? await connection.replyError(error.message, command) : error;
          });
          return { ...inHand, outcome };
        },
      };
    },
    detach: attached.attachment.detach,
  };
}

/** A command's name as rules see it. */
export const nameOf = (name: unknown): string => String(name).toUpperCase();

/** Arguments as rules see them: `key` is the first one. Bytes are read as text. */
export function argumentsOf(given: readonly unknown[]): JsonObject {
  const args = given.map((one) => (typeof one === 'string' || typeof one === 'number' ? String(one) : textOf(one)));
  return { ...(args.length === 0 ? {} : { key: args[0] }), args };
}

const decoder = new TextDecoder();
/** Longer ones are nothing that a rule names. */
const MAX_TEXT_BYTES = 4096;

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? decoder.decode(value.subarray(0, MAX_TEXT_BYTES)) : String(value);
