/**
 * One connection under the rules of a run. It stands between a client of `pg` and its connection: whole statements are kept
 * back, sent, sent twice or answered, and the client does about that what it does about any server. Its queue, its timeouts
 * and its errors are its own.
 */
import type { Cancel } from '../core/clock.js';
import type { JsonObject } from '../core/message.js';
import type { AttachedCommands } from './attach-commands.js';
import type { Command } from './command-ends.js';
import { patchProperty } from './patch-property.js';
import {
  ANSWERS,
  REQUESTS,
  statementOf,
  verbOf,
  type Batch,
  type PostgresConnection,
  type Reply,
  type Request,
  type Said,
  type Statement,
} from './postgres-connection.js';
import { isFatal, refusedConnection, resetConnection } from './postgres-error.js';
import { connectError } from './fetch-errors.js';

/** A connection that is looked at. */
export type Wire = {
  /** Breaks it, as the network would. */
  lose(how: 'reset' | 'end'): void;
  /** Leaves it as it was. What is on its way still arrives. */
  readonly restore: Cancel;
};

/** What a wire is given. */
export type WireOptions = {
  readonly attached: AttachedCommands;
  /** A command begins: whose it is. */
  readonly onCommand: (command: Command, wire: Wire) => void;
  readonly onEnd: (wire: Wire) => void;
};

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

/** Rows over this are not kept back: a caller that reads a table row by row may do so for lack of memory. */
const MAX_KEPT = 500_000;

type Send = PostgresConnection[Request];

/** What a command ends with whose connection is lost: its client knows, and told its caller. */
export const LOST = new Error('The connection is lost.');

/** Looks at a connection from now on. */
export function watchConnection(connection: PostgresConnection, { attached, onCommand, onEnd }: WireOptions): Wire {
  const emitPlain = connection.emit.bind(connection);
  const plain = Object.fromEntries(REQUESTS.map((request) => [request, connection[request].bind(connection)])) as Record<Request, Send>;
  const inHand = new Set<{ giveUp(error: unknown): void }>();
  /** What the server works at, first in, first out. */
  const executions: Execution[] = [];
  /** Errors that the server itself answered with, and all that it said with them. */
  const failures = new WeakMap<object, Reply>();
  let collecting: Batch['sends'][number][] | undefined;
  let whenFree: Cancel | undefined;
  let stopListening: Cancel | undefined;
  let status: string | undefined;
  let isLost = false;

  const send = (batch: Batch): boolean => {
    const isAgain = batch.wasSent;
    batch.wasSent = true;
    for (const { request, given } of batch.sends) {
      // A statement with a name can be told to a server once.
      if (isAgain && request === 'parse' && (given[0] as Partial<Statement>).name) continue;
      plain[request](...given);
    }
    return isAgain;
  };
  const start = (execution: Execution): void => void (execution.isRepeat = send(execution.batch));

  const sendPlain = (batch: Batch): void => {
    if (executions.length === 0) void send(batch);
    else whenFree = () => void send(batch);
  };

  const execute = (batch: Batch): Promise<Reply> =>
    new Promise((resolve, reject) => {
      if (isLost) return reject(LOST);
      const execution: Execution = { batch, said: [], error: undefined, isRepeat: false, isOpen: false, resolve, reject };
      executions.push(execution);
      stopListening ??= patchProperty(connection, 'emit', hear);
      if (executions.length === 1) start(execution);
    });

  const hear = (name: string, ...given: unknown[]): boolean => {
    const [execution] = executions;
    if (execution === undefined || (name !== 'readyForQuery' && !ANSWERS.has(name))) return emitPlain(name, ...given);
    if (name !== 'readyForQuery') {
      // Whatever becomes of the rest, the server knows the statement by its name now.
      if (name === 'parseComplete') return execution.isRepeat || emitPlain(name, ...given);
      if (name === 'errorMessage') execution.error = given[0];
      execution.said.push([name, given[0]]);
      if (name.startsWith('copy') || isFatal(execution.error) || execution.said.length > MAX_KEPT) execution.isOpen = true;
      if (execution.isOpen) speak(execution.said.splice(0));
      return true;
    }
    executions.shift();
    status = (given[0] as { status?: string }).status;
    const reply: Reply = { said: execution.said, status };
    if (typeof execution.error === 'object' && execution.error !== null) {
      failures.set(execution.error, reply);
      execution.reject(execution.error);
    } else execution.resolve(reply);
    const next = executions[0];
    if (next !== undefined) start(next);
    else {
      stopListening?.();
      stopListening = undefined;
      const waiting = whenFree;
      whenFree = undefined;
      waiting?.();
    }
    return true;
  };

  const speak = (said: readonly Said[]): void => {
    for (const [name, message] of said) emitPlain(name, message);
  };

  /** All that the client hears of a statement, and that it may send the next one. */
  const deliver = ({ said, status: after }: Reply): void => {
    if (isLost) return;
    speak(said);
    emitPlain('readyForQuery', { name: 'readyForQuery', length: 5, status: after ?? status ?? 'I' });
  };

  /** The server never knew of it: then it knows no statement of that name either, whatever the client was about to think. */
  const forgetName = (batch: Batch, { name }: Statement): void => {
    if (!batch.wasSent && name !== '') delete connection.submittedNamedStatements?.[name];
  };

  const fail = async (error: unknown, batch: Batch, statement: Statement): Promise<void> => {
    if (isLost) return;
    const own = typeof error === 'object' && error !== null ? failures.get(error) : undefined;
    if (own !== undefined) return deliver(own);
    forgetName(batch, statement);
    if (isFatal(error)) {
      emitPlain('errorMessage', error);
      lose('end');
      return;
    }
    // A statement that fails takes its transaction with it, on the server, too: as it would have. Outside of one this is nothing.
    if (status !== 'I' && status !== 'E') {
      const sql = ENDS_TRANSACTION.has(verbOf(statement.text)) ? 'ROLLBACK' : 'SELECT 1/0';
      await execute({ sends: [{ request: 'query', given: [sql] }], wasSent: false }).catch(() => {});
    }
    deliver({ said: [['errorMessage', error]], status });
  };

  const complete = (batch: Batch): void => {
    const statement = statementOf(batch, connection);
    const name = statement === undefined ? '' : verbOf(statement.text);
    // Whoever copies talks to the connection itself, and what is no statement belongs to one.
    if (statement === undefined || name === 'COPY' || !attached.isWatched) return sendPlain(batch);
    const command: Command = { name: name === '' ? 'EMPTY' : name, args: argumentsOf(statement), execute: () => execute(batch) };
    onCommand(command, wire);
    const held = attached.perform(command);
    if (held === undefined) return sendPlain(batch);
    inHand.add(held);
    void held.outcome
      .finally(() => inHand.delete(held))
      .then(
        (reply) => {
          forgetName(batch, statement);
          // Only `execute` and the interceptor's `toReply` make replies.
          deliver(reply as Reply);
        },
        (error: unknown) => fail(error, batch, statement),
      );
  };

  const onReady = ({ status: now }: { status?: string }): void => void (status = now);
  const lost = (): void => {
    if (isLost) return;
    isLost = true;
    for (const { reject } of executions.splice(0)) reject(LOST);
    for (const held of inHand) held.giveUp(LOST);
    onEnd(wire);
  };
  const lose = (how: 'reset' | 'end'): void => {
    if (isLost) return;
    connection.stream.destroy(how === 'reset' ? resetConnection() : undefined);
    lost();
  };

  const patchRequest = (request: Request): Cancel =>
    patchProperty(connection, request, (...given: unknown[]): void => {
      const isFirst = request === 'query' || request === 'parse' || request === 'bind';
      if (collecting === undefined && (!isFirst || (executions.length === 0 && !attached.isWatched))) return plain[request](...given);
      collecting ??= [];
      collecting.push({ request, given });
      const isWhole = request === 'query' || request === 'sync';
      if (!isWhole && request !== 'flush') return;
      const batch: Batch = { sends: collecting, wasSent: false };
      collecting = undefined;
      // Who flushes instead of ending a statement reads it bit by bit: a cursor is never kept back.
      if (isWhole) complete(batch);
      else sendPlain(batch);
    });

  const patchConnect = (): Cancel =>
    patchProperty(connection, 'connect', (port: unknown, host: unknown): unknown => {
      const how = attached.connecting();
      const { stream } = connection;
      if (how === undefined || how === 'reset' || how === 'end') return connectPlain(port, host);
      const error = how === 'refuse' ? refusedConnection(port, host) : (connectError(how, String(host)).cause as Error);
      const restore = patchProperty(stream, 'connect', () => stream.destroy(error));
      try {
        return connectPlain(port, host);
      } finally {
        restore();
      }
    });
  const connectPlain = connection.connect.bind(connection);

  const undos = [...REQUESTS.map(patchRequest), patchConnect()];
  connection.on('readyForQuery', onReady);
  connection.on('end', lost);
  const wire: Wire = {
    lose,
    restore() {
      for (const undo of undos) undo();
      connection.off('readyForQuery', onReady);
      connection.off('end', lost);
    },
  };
  return wire;
}

/** What a failed one of these leaves behind is no transaction. */
const ENDS_TRANSACTION: ReadonlySet<string> = new Set(['COMMIT', 'END', 'ROLLBACK', 'ABORT', 'PREPARE']);

/** What `when: { args }` is held against. */
function argumentsOf({ text, name, values }: Statement): JsonObject {
  return { text, ...(name === '' ? {} : { name }), ...(values === undefined ? {} : { values: values.map(plainValue) }) };
}

/** Whatever JSON cannot say is said as a text. */
function plainValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  return value instanceof Date ? value.toISOString() : typeof value === 'bigint' || typeof value === 'number' ? String(value) : '(data)';
}
