/**
 * Commands of a database client under the rules of a run: what interceptors of client libraries share. They say how their
 * library is called and how it fails; everything else is here.
 */
import type { Attachment } from '../controller/attach.js';
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import type { DisconnectHow } from '../core/effect.js';
import type { Fault } from '../core/fault.js';
import { frameFromMessage } from '../core/frame.js';
import { COMMAND_METHOD } from '../core/message.js';
import type { Exchange } from '../core/session.js';
import { createCommandEnds, type Command, type CommandCall, type CommandClient } from './command-ends.js';

/** How a client is attached. */
export type AttachCommandsOptions = {
  readonly client: CommandClient;
  /** Name of the database, for `when: { target }`. */
  readonly target?: string | undefined;
  /** Name of its sessions in draws and journal; by default the target. */
  readonly label?: string | undefined;
  /** Why this client cannot show a fault that others can, as a sentence. */
  readonly whyNot?: (fault: Fault) => string | undefined;
  /** Puts back what was patched. Called once, at the end. */
  readonly restore: Cancel;
};

/** A command that a rule looks at. */
export type CommandInHand = {
  /** What its caller gets. */
  readonly outcome: Promise<unknown>;
  /** The client gave it up by itself (a timeout, an aborted signal): its caller gets this error. */
  giveUp(error: unknown): void;
  /** The same where the client has told its caller already. */
  leave(): void;
};

/** A client under the rules of a run. */
export type AttachedCommands = {
  readonly attachment: Attachment;
  /** False: there is no rule at all. The one branch that an idle client pays for. */
  readonly isWatched: boolean;
  /** Undefined: no rule looks at it, send it as if we were not there. */
  perform(command: Command): CommandInHand | undefined;
  /** A connection is being made. How it fails; undefined when it may be made. */
  connecting(): DisconnectHow | undefined;
};

/** Attaches a client: one session per call. */
export function attachCommands(run: Run, { client, target, label, whyNot, restore }: AttachCommandsOptions): AttachedCommands {
  const ends = createCommandEnds({
    clock: run.clock,
    client,
    isFree: (exchange, answer) => performer.answer(exchange, answer).effects === undefined,
  });
  const attachment = run.attach({
    transport: 'database',
    target,
    label,
    ends,
    thaw: ends.thaw,
    restore,
    ...(whyNot === undefined ? {} : { whyNot }),
  });
  const { performer } = attachment;
  const session = attachment.begin();
  let commands = 0;

  return {
    attachment,
    get isWatched() {
      return attachment.isActive && (attachment.plan.rules.length > 0 || ends.isFrozen);
    },
    perform(command) {
      const params = { name: command.name, arguments: command.args };
      const request = frameFromMessage('to-server', { jsonrpc: '2.0', id: ++commands, method: COMMAND_METHOD, params });
      const known: { exchange: Exchange | undefined } = { exchange: undefined };
      let settle!: { resolve: (reply: unknown) => void; reject: (error: unknown) => void };
      const outcome = new Promise<unknown>((resolve, reject) => (settle = { resolve, reject }));
      const settled = (): void => {
        call.isSettled = true;
        ends.forget(call);
      };
      const call: CommandCall = {
        command,
        underway: 0,
        isSettled: false,
        reply: undefined,
        resolve(reply) {
          settled();
          settle.resolve(reply);
        },
        reject(error) {
          settled();
          settle.reject(error);
        },
      };
      const inHand: CommandInHand = {
        outcome,
        giveUp(error) {
          if (call.isSettled) return;
          inHand.leave();
          settle.reject(error);
        },
        leave() {
          if (call.isSettled) return;
          if (known.exchange !== undefined) performer.cancel(known.exchange);
          settled();
        },
      };
      ends.begin(call);
      const decision = performer.request(session, request, { handle: call });
      known.exchange = decision.exchange;
      if (decision.exchange === undefined) {
        ends.forget(call);
        if (!ends.isFrozen) return undefined;
        ends.whenMoving(() => {
          if (!call.isSettled) settle.resolve(command.execute());
        });
        return inHand;
      }
      if (decision.effects === undefined) ends.send(request, decision.exchange);
      return inHand;
    },
    connecting: () => (attachment.isActive ? ends.connecting(() => void performer.connect(session)) : undefined),
  };
}
