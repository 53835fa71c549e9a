/**
 * One connection under the rules of a run. It stands between a client of `pg` and its connection: whole statements are kept
 * back, sent, sent twice or answered, and the client does about that what it does about any server. Its queue, its timeouts
 * and its errors are its own.
 */
import type { Cancel } from '../core/clock.js';
import type { JsonObject } from '../core/message.js';
import type { AttachedCommands } from './attach-commands.js';
import type { Command } from './command-ends.js';
import { connectError } from './fetch-errors.js';
import { patchProperty } from '../core/patch-property.js';
import {
  REQUESTS,
  statementOf,
  verbOf,
  type Batch,
  type PostgresConnection,
  type Reply,
  type Request,
  type Statement,
} from './postgres-connection.js';
import { isFatal, refusedConnection } from './postgres-error.js';
import { createPostgresLine, LOST, type PostgresLine } from './postgres-line.js';

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

/** Looks at a connection from now on. */
export function watchConnection(connection: PostgresConnection, { attached, onCommand, onEnd }: WireOptions): Wire {
  const inHand = new Set<{ giveUp(error: unknown): void }>();
  const line = createPostgresLine(connection, () => {
    for (const held of inHand) held.giveUp(LOST);
    onEnd(wire);
  });

  const complete = (batch: Batch): void => {
    const statement = statementOf(batch, connection);
    const name = statement === undefined ? '' : verbOf(statement.text);
    // Whoever copies talks to the connection itself, and what is no statement belongs to one.
    if (statement === undefined || name === 'COPY' || !attached.isWatched) return line.pass(batch);
    const command: Command = { name: name === '' ? 'EMPTY' : name, args: argumentsOf(statement), execute: () => line.execute(batch) };
    onCommand(command, wire);
    const held = attached.perform(command);
    if (held === undefined) return line.pass(batch);
    inHand.add(held);
    const settled = (): void => {
      inHand.delete(held);
      // The server never heard of it: then it knows no statement of that name either, whatever the client was about to think.
      if (!batch.wasSent && statement.name !== '') delete connection.submittedNamedStatements?.[statement.name];
    };
    void held.outcome.finally(settled).then(
      // Only a line and the interceptor's `toReply` make replies.
      (reply) => line.deliver(reply as Reply),
      (error: unknown) => fail(line, error, name),
    );
  };

  const undos = [...watchRequests(connection, line, attached, complete), watchConnect(connection, attached)];
  const wire: Wire = {
    lose: line.lose,
    restore() {
      for (const undo of undos) undo();
      line.restore();
    },
  };
  return wire;
}

/** Puts the messages of a statement together. While there is no rule, each of them is one branch. */
function watchRequests(
  connection: PostgresConnection,
  line: PostgresLine,
  attached: AttachedCommands,
  complete: (batch: Batch) => void,
): readonly Cancel[] {
  let collecting: Batch['sends'][number][] | undefined;
  const patch = (request: Request): Cancel => {
    const isFirst = request === 'query' || request === 'parse' || request === 'bind';
    const isWhole = request === 'query' || request === 'sync';
    const plain = line.plain[request];
    return patchProperty(connection, request, (...given: unknown[]): void => {
      if (collecting === undefined && (!isFirst || !(attached.isWatched || line.isBusy))) return plain(...given);
      collecting ??= [];
      collecting.push({ request, given });
      if (!isWhole && request !== 'flush') return;
      const batch: Batch = { sends: collecting, wasSent: false };
      collecting = undefined;
      // Who flushes instead of ending a statement reads it bit by bit: a cursor is never kept back.
      if (isWhole) complete(batch);
      else line.pass(batch);
    });
  };
  return REQUESTS.map(patch);
}

function watchConnect(connection: PostgresConnection, attached: AttachedCommands): Cancel {
  const plain = connection.connect.bind(connection);
  return patchProperty(connection, 'connect', (port: unknown, host: unknown): unknown => {
    const how = attached.connecting();
    if (how === undefined || how === 'reset' || how === 'end') return plain(port, host);
    const { stream } = connection;
    const error = how === 'refuse' ? refusedConnection(port, host) : (connectError(how, String(host)).cause as Error);
    const restore = patchProperty(stream, 'connect', () => stream.destroy(error));
    try {
      return plain(port, host);
    } finally {
      restore();
    }
  });
}

/** What a failed one of these leaves behind is no transaction. */
const ENDS_TRANSACTION: ReadonlySet<string> = new Set(['COMMIT', 'END', 'ROLLBACK', 'ABORT']);

/** Tells the client of an error: what the server said with it, or all that a server would do about one that it never had. */
async function fail(line: PostgresLine, error: unknown, verb: string): Promise<void> {
  if (line.isLost) return;
  const own = line.saidWith(error);
  if (own !== undefined) return line.deliver(own);
  if (isFatal(error)) {
    line.say('errorMessage', error);
    return line.lose('end');
  }
  // A statement that fails takes its transaction with it, on the server, too: as it would have. Outside of one this is nothing.
  if (line.status !== 'I' && line.status !== 'E') {
    const sql = ENDS_TRANSACTION.has(verb) ? 'ROLLBACK' : 'SELECT 1/0';
    await line.execute({ sends: [{ request: 'query', given: [sql] }], wasSent: false }).catch(() => {});
  }
  line.deliver({ said: [['errorMessage', error]], status: line.status });
}

/** What `when: { args }` is held against. */
function argumentsOf({ text, name, values }: Statement): JsonObject {
  return { text, ...(name === '' ? {} : { name }), ...(values === undefined ? {} : { values: values.map(plainValue) }) };
}

/** Whatever JSON cannot say is said as a text. */
function plainValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  return typeof value === 'bigint' || typeof value === 'number' ? String(value) : '(data)';
}
