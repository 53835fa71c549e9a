/**
 * A connection of `pg` with its client taken off: statements go to the server one after the other, and all that it says of
 * one is kept until somebody says what the client is to hear.
 */
import { patchProperty } from '../core/patch-property.js';
import type { Cancel } from '../core/clock.js';
import { ANSWERS, REQUESTS, type Batch, type PostgresConnection, type Reply, type Request, type Said } from './postgres-connection.js';
import { isFatal, resetConnection } from './postgres-error.js';

/** See the module comment. */
export type PostgresLine = {
  /** The client's own requests, as they were before anybody looked. */
  readonly plain: Readonly<Record<Request, (...given: unknown[]) => void>>;
  /** The server works at something that we sent. */
  readonly isBusy: boolean;
  readonly isLost: boolean;
  /** Of the transaction: `I` none, `T` one, `E` one that failed. Undefined: nobody has heard yet. */
  readonly status: string | undefined;
  /** Sends it as if we were not there, as soon as the line is free. */
  pass(batch: Batch): void;
  /** Sends it, and keeps what the server says. An error that the server answers with is what it rejects with. */
  execute(batch: Batch): Promise<Reply>;
  /** All that the server said with this error of its own. */
  saidWith(error: unknown): Reply | undefined;
  /** The client hears this, and nothing more. */
  say(name: string, message: unknown): void;
  /** The client hears all of a reply, and that it may send its next statement. */
  deliver(reply: Reply): void;
  /** Breaks it, as the network would. */
  lose(how: 'reset' | 'end'): void;
  readonly restore: Cancel;
};

/** What an execution ends with whose connection is lost: its client knows, and told its caller. */
export const LOST = new Error('The connection is lost.');

/** Rows over this are not kept back: a caller that reads a table row by row may do so for lack of memory. */
const MAX_KEPT = 500_000;

/** A statement on its way to the server and back. */
type Execution = {
  readonly batch: Batch;
  readonly said: Said[];
  error: unknown;
  /** The client knows what it says already: it was sent before. */
  isRepeat: boolean;
  /** What it says goes on at once: COPY needs its client, and nothing comes after a fatal error. */
  isOpen: boolean;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
};

/** Takes hold of a connection. Until something is executed, nothing that the server says is looked at. */
export function createPostgresLine(connection: PostgresConnection, onLost: () => void): PostgresLine {
  const emitPlain = connection.emit.bind(connection);
  const bound = REQUESTS.map((request) => [request, connection[request].bind(connection)] as const);
  const plain = Object.fromEntries(bound) as PostgresLine['plain'];
  /** What the server works at, first in, first out. */
  const executions: Execution[] = [];
  const failures = new WeakMap<object, Reply>();
  let whenFree: Cancel | undefined;
  let stopHearing: Cancel | undefined;
  let status: string | undefined;
  let isLost = false;

  const send = (batch: Batch): void => {
    for (const { request, given } of batch.sends) {
      // A statement with a name can be told to a server once.
      if (batch.wasSent && request === 'parse' && (given[0] as { name?: string }).name) continue;
      plain[request](...given);
    }
    batch.wasSent = true;
  };
  const start = (execution: Execution): void => {
    execution.isRepeat = execution.batch.wasSent;
    send(execution.batch);
  };

  const hear = (name: string, ...given: unknown[]): boolean => {
    const [execution] = executions;
    if (execution !== undefined && name === 'readyForQuery') {
      finish(execution, (given[0] as { status?: string }).status);
      return true;
    }
    if (execution === undefined || !ANSWERS.has(name)) return emitPlain(name, ...given);
    // Whatever becomes of the rest, the server knows the statement by its name now.
    if (name === 'parseComplete') return execution.isRepeat || emitPlain(name, ...given);
    if (name === 'errorMessage') execution.error = given[0];
    execution.said.push([name, given[0]]);
    if (name.startsWith('copy') || isFatal(execution.error) || execution.said.length > MAX_KEPT) execution.isOpen = true;
    if (execution.isOpen) speak(execution.said.splice(0));
    return true;
  };

  const finish = ({ said, error, resolve, reject }: Execution, now: string | undefined): void => {
    executions.shift();
    status = now;
    if (typeof error === 'object' && error !== null) {
      failures.set(error, { said, status });
      reject(error);
    } else resolve({ said, status });
    const [next] = executions;
    if (next !== undefined) return start(next);
    stopHearing?.();
    stopHearing = undefined;
    const waiting = whenFree;
    whenFree = undefined;
    waiting?.();
  };

  const speak = (said: readonly Said[]): void => {
    for (const [name, message] of said) emitPlain(name, message);
  };

  const onReady = ({ status: now }: { status?: string }): void => void (status = now);
  const lost = (): void => {
    if (isLost) return;
    isLost = true;
    for (const { reject } of executions.splice(0)) reject(LOST);
    onLost();
  };
  connection.on('readyForQuery', onReady);
  connection.on('end', lost);

  return {
    plain,
    get isBusy() {
      return executions.length > 0;
    },
    get isLost() {
      return isLost;
    },
    get status() {
      return status;
    },
    pass(batch) {
      if (executions.length === 0) send(batch);
      else whenFree = () => send(batch);
    },
    execute: (batch) =>
      new Promise((resolve, reject) => {
        if (isLost) return reject(LOST);
        const execution: Execution = { batch, said: [], error: undefined, isRepeat: false, isOpen: false, resolve, reject };
        executions.push(execution);
        stopHearing ??= patchProperty(connection, 'emit', hear);
        if (executions.length === 1) start(execution);
      }),
    saidWith: (error) => (typeof error === 'object' && error !== null ? failures.get(error) : undefined),
    say: (name, message) => void emitPlain(name, message),
    deliver({ said, status: after }) {
      if (isLost) return;
      speak(said);
      emitPlain('readyForQuery', { name: 'readyForQuery', length: 5, status: after ?? status ?? 'I' });
    },
    lose(how) {
      if (isLost) return;
      connection.stream.destroy(how === 'reset' ? resetConnection() : undefined);
      lost();
    },
    restore() {
      connection.off('readyForQuery', onReady);
      connection.off('end', lost);
    },
  };
}
