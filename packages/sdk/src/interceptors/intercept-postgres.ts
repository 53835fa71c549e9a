/**
 * Clients and pools of `pg` under the rules of a run: what a service meets when its database is slow, fails, or loses an
 * answer. It works below the client, which queues, times out and fails in its own way.
 */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { ToolquakeError } from '../core/errors.js';
import type { Fault } from '../core/fault.js';
import { attachCommands, type AttachedCommands } from './attach-commands.js';
import type { Command } from './command-ends.js';
import { patchProperty } from '../core/patch-property.js';
import { REQUESTS, type PostgresConnection, type Reply } from './postgres-connection.js';
import { postgresError } from './postgres-error.js';
import { resultFromRows, rowsFromResult } from './postgres-rows.js';
import { LOST } from './postgres-line.js';
import { watchConnection, type Wire } from './postgres-wire.js';

/** How a client or pool is intercepted. */
export type InterceptPostgresOptions = {
  /** Name of the database, for `when: { target }`. */
  readonly target?: string | undefined;
  /** Name of the session in draws and journal; by default the target. */
  readonly label?: string | undefined;
};

/** A `pg.Client`, or a `pg.Pool`. */
export type PostgresClient = { readonly connect: unknown; readonly query: unknown };

type Insides = {
  /** Of a client. */
  readonly connection?: unknown;
  readonly pipeline?: unknown;
  /** Of a pool. */
  Client?: unknown;
  readonly _clients?: unknown;
  readonly options?: { readonly pipeline?: unknown };
};

/** Connections that a run looks at already. */
const watched = new WeakSet<object>();
const pools = new WeakSet<object>();

/** Intercepts a client, or all clients of a pool, those to come as well. Returns its undo. */
export function interceptPostgres(run: Run, client: PostgresClient, { target, label }: InterceptPostgresOptions = {}): Cancel {
  const known = kindOf(client);
  const wires = new Map<Wire, PostgresConnection>();
  const owners = new WeakMap<Command, Wire>();
  let unpatch: Cancel = () => {};

  const attached: AttachedCommands = attachCommands(run, {
    target,
    label,
    whyNot: whyNotInPostgres,
    restore() {
      unpatch();
      for (const wire of wires.keys()) forget(wire);
    },
    client: {
      errorOf({ message }, command) {
        const connection = wires.get(owners.get(command)!);
        return connection === undefined ? LOST : postgresError(connection, String(message));
      },
      lose(how, command) {
        const owner = command === undefined ? undefined : owners.get(command);
        for (const wire of owner === undefined ? wires.keys() : [owner]) wire.lose(how);
        // What the client makes of it, it tells its caller itself.
        throw LOST;
      },
      loseAll() {
        for (const wire of wires.keys()) wire.lose('reset');
      },
      // Replies are made by the wires alone.
      toResult: (reply) => resultFromRows(reply as Reply),
      toReply: (result, like, command) => rowsFromResult(result, like as Reply | undefined, command.name),
    },
  });
  const forget = (wire: Wire): void => {
    const connection = wires.get(wire);
    if (connection === undefined) return;
    wires.delete(wire);
    watched.delete(connection);
    wire.restore();
  };
  const watch = (connection: PostgresConnection): void => {
    if (watched.has(connection)) return;
    watched.add(connection);
    const onCommand = (command: Command, wire: Wire): void => void owners.set(command, wire);
    wires.set(watchConnection(connection, { attached, onCommand, onEnd: forget }), connection);
  };

  if (known.kind === 'client') watch(known.connection);
  else {
    pools.add(client);
    const { Client: PlainClient, connections, pool } = known;
    for (const connection of connections) watch(connection);
    const Client = new Proxy(PlainClient, {
      construct(target, given) {
        const made = Reflect.construct(target, given) as object;
        const { connection } = made as Insides;
        if (isConnection(connection)) watch(connection);
        // The pool is at work: a client that we cannot look at is no reason to keep it from its caller.
        else attached.attachment.problem(refusal('one of its clients has no connection that is known here'));
        return made;
      },
    });
    const undo = patchProperty(pool, 'Client', Client);
    unpatch = () => {
      pools.delete(client);
      undo();
    };
  }
  return attached.attachment.detach;
}

/** What a server of PostgreSQL never does to its clients. */
const NEVER: Readonly<Record<string, string>> = {
  'concurrency-limit': 'PostgreSQL limits connections, not statements: an error-response with the message 53300 says so.',
  'inject-text': 'A row has no place for text that nobody selected.',
  quota: 'PostgreSQL has no quotas.',
  'rate-limit': 'PostgreSQL has no limit on rates.',
  'truncate-text': 'A row is values in columns, and no text that could break off.',
};

const whyNotInPostgres = ({ type }: Fault): string | undefined => (Object.hasOwn(NEVER, type) ? NEVER[type] : undefined);

type Known =
  | { readonly kind: 'client'; readonly connection: PostgresConnection }
  | {
      readonly kind: 'pool';
      readonly pool: { Client: object };
      readonly Client: new (...given: never[]) => object;
      readonly connections: readonly PostgresConnection[];
    };

/** What we know inside out; anything else is refused before it is touched. */
function kindOf(client: PostgresClient): Known {
  // `unknown` members, whatever the types promise: it comes from another package.
  const { connection, pipeline, Client, _clients: clients, options } = (client ?? {}) as unknown as Insides;
  if (pipeline === true || options?.pipeline === true) throw refusal('it sends statements in a pipeline');
  if (isConnection(connection)) {
    if (watched.has(connection)) throw refusal('it is intercepted already');
    return { kind: 'client', connection };
  }
  if (typeof Client !== 'function' || !Array.isArray(clients)) throw refusal('it is none that is known here');
  if (pools.has(client)) throw refusal('it is intercepted already');
  return {
    kind: 'pool',
    pool: client as unknown as { Client: object },
    Client: Client as new (...given: never[]) => object,
    connections: (clients as object[]).map(connectionIn),
  };
}

function connectionIn(client: object): PostgresConnection {
  const { connection } = client as Insides;
  if (!isConnection(connection)) throw refusal('its clients have no connection that is known here');
  return connection;
}

function isConnection(value: unknown): value is PostgresConnection {
  if (typeof value !== 'object' || value === null || !('stream' in value)) return false;
  const members = value as Partial<Record<string, unknown>>;
  return [...REQUESTS, 'connect', 'emit', 'on', 'off', 'attachListeners'].every((name) => typeof members[name] === 'function');
}

const refusal = (why: string): ToolquakeError =>
  new ToolquakeError('WRONG_TYPE', {
    message: `The PostgreSQL client is not intercepted: ${why}.`,
    advice: 'It takes a Client or a Pool of pg 8.16 or later, without native bindings.',
  });
