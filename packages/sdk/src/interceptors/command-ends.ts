/** The two ends of a client of a database: what a fault can do to its commands and to its connection. */
import type { Clock } from '../core/clock.js';
import type { DisconnectHow } from '../core/effect.js';
import { frameFromMessage, frameMessage, type Frame } from '../core/frame.js';
import { isObject, type JsonObject } from '../core/message.js';
import type { Ends, Refusal } from '../core/perform.js';
import type { Exchange } from '../core/session.js';
import { replyFromResult, resultFromReply } from './command-reply.js';
import { createFreezer } from './freezer.js';

/** One command, as its client would send it. */
export type Command = {
  /** What is called: `GET`, `SELECT`. */
  readonly name: string;
  /** What `when: { args }` is held against. */
  readonly args: JsonObject;
  /** Hands it to the client itself, once per time that it is sent, and gives what came of it. */
  execute(): unknown;
};

/** What interceptors know about their client library. */
export type CommandClient = {
  /** The error that the library fails with when its server answers so. */
  errorOf(error: JsonObject, command: Command): unknown;
  /**
   * Breaks the connection as the network would. The client does what it does about commands that it waits for; one that was
   * kept from it, or whose reply was, is given, and what the library makes of it is returned (or thrown).
   */
  lose(how: 'reset' | 'end', command: Command | undefined): unknown;
  /** Breaks all connections at once, where there may be several, before those of commands are lost one by one. */
  readonly loseAll?: () => void;
  /** A reply as a result, and back; by default as `command-reply` says. */
  readonly toResult?: (reply: unknown, command: Command) => JsonObject;
  readonly toReply?: (result: JsonObject, like: unknown, command: Command) => unknown;
};

/** A command while its caller waits. */
export type CommandCall = {
  readonly command: Command;
  /** Times that the client has it now. */
  underway: number;
  isSettled: boolean;
  /** What the server replied last. */
  reply: unknown;
  resolve(reply: unknown): void;
  reject(error: unknown): void;
};

type Outcome = { readonly reply: unknown } | { readonly error: unknown };

/** What the ends are made from. */
export type CommandEndsOptions = {
  readonly clock: Clock;
  readonly client: CommandClient;
  /** The client replied, or failed. True: nobody has taken that, hand it on. */
  isFree(exchange: Exchange, answer: Frame): boolean;
};

/** The ends, and what their interceptor asks of them. */
export type CommandEnds = Ends & {
  /** How a connection that is being made fails; undefined when it may be made. */
  connecting(decide: () => void): DisconnectHow | undefined;
  begin(call: CommandCall): void;
  forget(call: CommandCall): void;
  readonly isFrozen: boolean;
  whenMoving(action: () => void): void;
  thaw(): void;
};

/** Builds the ends. */
export function createCommandEnds({ clock, client, isFree }: CommandEndsOptions): CommandEnds {
  const { toResult = resultFromReply, toReply = replyFromResult } = client;
  const freezer = createFreezer(clock);
  const open = new Set<CommandCall>();
  /** What was said by the server itself, by the object that stands for it: handed on as it is unless a fault edits it. */
  const own = new WeakMap<object, Outcome>();
  let failing: { readonly how: DisconnectHow; readonly untilMs: number } | undefined;
  let refusal: DisconnectHow | undefined;
  // Only the interceptor puts handles into exchanges.
  const callOf = (exchange: Exchange | undefined): CommandCall | undefined => exchange?.handle as CommandCall | undefined;

  const conclude = (call: CommandCall, outcome: Outcome): void => {
    if ('error' in outcome) call.reject(outcome.error);
    else call.resolve(outcome.reply);
  };

  const outcomeOf = ({ error, result }: JsonObject, call: CommandCall): Outcome => {
    const said = isObject(error) ? error : isObject(result) ? result : {};
    const known = own.get(said);
    if (known !== undefined) return known;
    return isObject(error) ? { error: client.errorOf(error, call.command) } : { reply: toReply(said, call.reply, call.command) };
  };

  const answered = (exchange: Exchange, call: CommandCall, outcome: Outcome): void => {
    call.underway--;
    const isError = 'error' in outcome;
    if (!isError) call.reply = outcome.reply;
    const said = isError ? saidBy(outcome.error) : toResult(outcome.reply, call.command);
    own.set(said, outcome);
    const answer = frameFromMessage('to-client', { jsonrpc: '2.0', id: exchange.id, ...(isError ? { error: said } : { result: said }) });
    if (isFree(exchange, answer)) freezer.whenMoving(() => conclude(call, outcome));
  };

  const execute = (exchange: Exchange, call: CommandCall): void => {
    call.underway++;
    let reply: unknown;
    try {
      // At once: commands stay in the order in which they were let through.
      reply = call.command.execute();
    } catch (error) {
      answered(exchange, call, { error });
      return;
    }
    void Promise.resolve(reply).then(
      (value) => answered(exchange, call, { reply: value }),
      (error: unknown) => answered(exchange, call, { error }),
    );
  };

  /** What the library makes of a lost command is nothing that a rule looks at once more. */
  const lose = (how: 'reset' | 'end', call: CommandCall | undefined): void => {
    let reply: unknown;
    try {
      reply = client.lose(how, call?.command);
    } catch (error) {
      if (call !== undefined) conclude(call, { error });
      return;
    }
    if (call === undefined) return;
    void Promise.resolve(reply).then(
      (value) => conclude(call, { reply: value }),
      (error: unknown) => conclude(call, { error }),
    );
  };

  const send = (frame: Frame, exchange: Exchange | undefined): Refusal => {
    const call = callOf(exchange);
    if (call === undefined || exchange === undefined) return 'a database only answers commands';
    if (frame.direction === exchange.origin) {
      if (frame !== exchange.request) return 'a command cannot be changed on its way';
      freezer.whenMoving(() => execute(exchange, call));
      return undefined;
    }
    const message = frameMessage(frame);
    if (call.isSettled || !isObject(message)) return 'a command has one reply';
    freezer.whenMoving(() => conclude(call, outcomeOf(message, call)));
    return undefined;
  };

  return {
    send,
    sendSlice: (frame, { isLast }, exchange) => (isLast ? send(frame, exchange) : undefined),
    reply(exchange, message): Refusal {
      const call = callOf(exchange);
      if (call === undefined || message === undefined) return 'a database has no way to answer without a message';
      if (call.isSettled) return 'a command has one reply';
      freezer.whenMoving(() => conclude(call, outcomeOf(message, call)));
      return undefined;
    },
    emit: () => 'a database says nothing that it was not asked',
    disconnect(how, forMs, exchange): Refusal {
      if (how !== 'reset' && how !== 'end') {
        failing = { how, untilMs: clock.nowMs() + forMs };
        refusal = how;
        return undefined;
      }
      const call = callOf(exchange);
      if (call?.isSettled === true) return 'the command was answered already';
      // While the client has it, the client knows best what becomes of it.
      lose(how, call === undefined || call.underway > 0 ? undefined : call);
      return undefined;
    },
    signalServer(signal, forMs): Refusal {
      if (signal === 'freeze') {
        freezer.freeze(forMs);
        return undefined;
      }
      if (signal !== 'crash') return 'the server does not end with its clients';
      failing = { how: 'refuse', untilMs: clock.nowMs() + forMs };
      const waiting = [...open].filter(({ underway, isSettled }) => underway === 0 && !isSettled);
      client.loseAll?.();
      if (waiting.length === 0) lose('reset', undefined);
      for (const call of waiting) lose('reset', call);
      return undefined;
    },
    release() {
      failing = undefined;
    },
    connecting(decide) {
      if (failing !== undefined && clock.nowMs() < failing.untilMs) return failing.how;
      refusal = undefined;
      decide();
      return refusal;
    },
    begin: (call) => void open.add(call),
    forget: (call) => void open.delete(call),
    get isFrozen() {
      return freezer.isStill;
    },
    whenMoving: freezer.whenMoving,
    thaw: freezer.thaw,
  };
}

/** An error of the library as a message says it. */
function saidBy(error: unknown): JsonObject {
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  return {
    code: -32000,
    message: typeof message === 'string' ? message : String(error),
    ...(code === undefined ? {} : { data: { code } }),
  };
}
