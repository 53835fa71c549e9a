/** A connection of `pg`, as far as it is known here: what a client asks of it, and what it says. All of it since pg 8.16. */

/** What a client sends to its server. */
export const REQUESTS = ['query', 'parse', 'bind', 'describe', 'execute', 'close', 'flush', 'sync'] as const;

/** One of `REQUESTS`. */
export type Request = (typeof REQUESTS)[number];

/** What a server says of a statement, up to the `readyForQuery` that ends it. Anything else may come at any time. */
export const ANSWERS: ReadonlySet<string> = new Set([
  'parseComplete',
  'bindComplete',
  'closeComplete',
  'parameterDescription',
  'noData',
  'rowDescription',
  'dataRow',
  'portalSuspended',
  'emptyQuery',
  'commandComplete',
  'errorMessage',
  'copyInResponse',
  'copyOutResponse',
  'copyData',
  'copyDone',
]);

type Listener = (...given: never[]) => void;

/** The `connection` of a client. */
export type PostgresConnection = Record<Request, (...given: unknown[]) => void> & {
  connect(port: unknown, host: unknown): unknown;
  emit(name: string, ...given: unknown[]): boolean;
  on(name: string, listener: Listener): unknown;
  off(name: string, listener: Listener): unknown;
  readonly stream: { connect(...given: unknown[]): unknown; destroy(error?: Error): unknown };
  /** Text of the statements that the server knows by a name, and of those that it was told of. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements?: Record<string, string>;
};

/** A column, as the server describes it. */
export type Field = { readonly name: string; readonly dataTypeID: number; readonly format: string };

/** An event of a connection. */
export type Said = readonly [name: string, message: unknown];

/** All that a server said of one statement. */
export type Reply = {
  readonly said: readonly Said[];
  /** `I` idle, `T` in a transaction, `E` in one that failed. Undefined: what it was before. */
  readonly status: string | undefined;
};

/** The messages of one statement, as its client sends them. */
export type Batch = {
  readonly sends: readonly { readonly request: Request; readonly given: readonly unknown[] }[];
  /** The server was given it at least once. */
  wasSent: boolean;
};

/** What a statement says. */
export type Statement = { readonly text: string; readonly name: string; readonly values: readonly unknown[] | undefined };

/** Reads the statement of a batch; undefined for a batch that is none. */
export function statementOf({ sends }: Batch, connection: PostgresConnection): Statement | undefined {
  const given = (wanted: Request): unknown => sends.find(({ request }) => request === wanted)?.given[0];
  const simple = given('query');
  if (typeof simple === 'string') return { text: simple, name: '', values: undefined };
  const [parse, bind] = [given('parse'), given('bind')] as [Partial<Statement>?, { statement?: string; values?: unknown[] }?];
  if (bind === undefined) return undefined;
  const name = bind.statement ?? '';
  return { text: parse?.text ?? connection.parsedStatements[name] ?? '', name, values: bind.values ?? [] };
}

/** The first word of a statement in capitals, behind comments and brackets. */
export function verbOf(text: string): string {
  let rest = text;
  for (;;) {
    rest = rest.trimStart();
    if (rest.startsWith('--')) rest = rest.slice(lineEnd(rest));
    else if (rest.startsWith('/*')) rest = rest.slice(commentEnd(rest));
    else if (rest.startsWith('(') || rest.startsWith(';')) rest = rest.slice(1);
    else return /^[a-z_]{1,40}/i.exec(rest)?.[0].toUpperCase() ?? '';
  }
}

const lineEnd = (text: string): number => (text.includes('\n') ? text.indexOf('\n') : text.length);

/** Comments nest in PostgreSQL; nobody nests them in front of a statement. */
const commentEnd = (text: string): number => (text.includes('*/') ? text.indexOf('*/') + 2 : text.length);
