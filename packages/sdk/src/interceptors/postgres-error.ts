/** Errors of a PostgreSQL server, read by the very parser of the client's `pg`: its class, its fields, its words. */
import type { PostgresConnection } from './postgres-connection.js';

type ServerError = {
  readonly severity?: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly file: string;
  readonly routine: string;
};

/** What a server says with the codes that services look at, as it words them itself. */
const KNOWN: Readonly<Record<string, ServerError>> = {
  '40P01': {
    message: 'deadlock detected',
    detail:
      'Process 4711 waits for ShareLock on transaction 815; blocked by process 4712.\nProcess 4712 waits for ShareLock on transaction 814; blocked by process 4711.',
    hint: 'See server log for query details.',
    file: 'deadlock.c',
    routine: 'DeadLockReport',
  },
  '40001': { message: 'could not serialize access due to concurrent update', file: 'nodeModifyTable.c', routine: 'ExecUpdate' },
  '53300': { severity: 'FATAL', message: 'sorry, too many clients already', file: 'proc.c', routine: 'InitProcess' },
  '57P01': {
    severity: 'FATAL',
    message: 'terminating connection due to administrator command',
    file: 'postgres.c',
    routine: 'ProcessInterrupts',
  },
  '57P02': {
    severity: 'FATAL',
    message: 'terminating connection because of crash of another server process',
    file: 'postgres.c',
    routine: 'quickdie',
  },
  '57P03': { severity: 'FATAL', message: 'the database system is starting up', file: 'backend_startup.c', routine: 'ProcessStartupPacket' },
  '57014': { message: 'canceling statement due to statement timeout', file: 'postgres.c', routine: 'ProcessInterrupts' },
  '55P03': { message: 'canceling statement due to lock timeout', file: 'postgres.c', routine: 'ProcessInterrupts' },
  '53100': { message: 'could not extend file: No space left on device', hint: 'Check free disk space.', file: 'md.c', routine: 'mdextend' },
  '53200': { message: 'out of memory', file: 'mcxt.c', routine: 'MemoryContextAllocationFailure' },
  '25006': { message: 'cannot execute the statement in a read-only transaction', file: 'utility.c', routine: 'PreventCommandIfReadOnly' },
};

/**
 * The error of a message that begins with an SQLSTATE, as the server writes it where it is verbose: `40P01: words`, or the
 * code alone for the server's own words. Anything else is an internal error with these words.
 */
export function postgresError(connection: PostgresConnection, text: string): Error {
  const [, code, words] = /^([0-9A-Z]{5})(?::\s*(.*))?$/s.exec(text) ?? [];
  const known = code === undefined ? undefined : KNOWN[code];
  const { severity = 'ERROR', message, ...rest } = known ?? { message: text, file: 'elog.c', routine: 'errfinish' };
  const { detail, hint, file, routine } = rest as Partial<ServerError>;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['S', severity],
    ['V', severity],
    ['C', code ?? 'XX000'],
    ['M', words === undefined || words === '' ? message : words],
    ['D', detail],
    ['H', hint],
    ['F', file],
    ['R', routine],
  ];
  return parsed(
    connection,
    fields.map(([field, value]) => (value === undefined ? '' : `${field}${value.replaceAll('\0', '')}\0`)).join(''),
  );
}

/** Does the server end the connection with it? */
export const isFatal = (error: unknown): boolean => (error as { severity?: unknown } | undefined)?.severity === 'FATAL';

/** Lets a second connection object of the same make read the message: it has a parser of its own, and no socket. */
function parsed(connection: PostgresConnection, fields: string): Error {
  const { Buffer } = globalThis as unknown as { Buffer: { from(bytes: Uint8Array): Uint8Array } };
  const body = new TextEncoder().encode(`${fields}\0`);
  const packet = new Uint8Array(5 + body.length);
  packet[0] = 'E'.charCodeAt(0);
  new DataView(packet.buffer).setUint32(1, 4 + body.length);
  packet.set(body, 5);
  let deliver: ((bytes: Uint8Array) => void) | undefined;
  const stream = { on: (name: string, listener: typeof deliver) => void (name === 'data' && (deliver = listener)) };
  // Whatever `pg` this is, its connections are made so.
  const Connection = connection.constructor as new (config: object) => PostgresConnection & { attachListeners(stream: object): unknown };
  const reader = new Connection({ stream });
  let error: unknown;
  reader.on('errorMessage', (said: Error) => void (error = said));
  void reader.attachListeners(stream);
  deliver?.(Buffer.from(packet));
  return error as Error;
}

/** Nobody listens there, in the words of the operating system. */
export function refusedConnection(port: unknown, host: unknown): Error {
  // Over a socket in the file system, pg gives its path for the port.
  const isPath = host === undefined || host === null;
  const address = host === 'localhost' ? '127.0.0.1' : String(host);
  const where = isPath ? { address: String(port) } : { address, port: Number(port) };
  const message = `connect ECONNREFUSED ${isPath ? String(port) : `${address}:${String(port)}`}`;
  return Object.assign(new Error(message), { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', ...where });
}

/** The connection was reset, in the words of the operating system. */
export const resetConnection = (): Error =>
  Object.assign(new Error('read ECONNRESET'), { errno: -104, code: 'ECONNRESET', syscall: 'read' });
