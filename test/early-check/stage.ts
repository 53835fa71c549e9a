/** A stage: one transport with a scripted client in front of it and the scripted server behind it. */
import { isObject, type Era, type JournalEntry, type JsonObject, type MessageId, type TransportName } from '@toolquake/sdk/core';

/** The columns of the coverage table. */
export const STAGES = {
  simulator: 'simulator',
  stdio: 'stdio',
  'http-json': 'http',
  'http-sse': 'http',
  'http-legacy-sse': 'http',
  'fetch-json': 'fetch',
  'fetch-sse': 'fetch',
  'in-process': 'in-process',
} as const satisfies Record<string, TransportName>;

/** A column. */
export type StageName = keyof typeof STAGES;

/** Messages alone, without HTTP around them, and one line for all of them. */
export const isPipe = ({ name }: Pick<Stage, 'name'>): boolean => name === 'stdio' || name === 'in-process';

/** What the client saw. `broken`: the connection was reset, or ended before an answer. */
export type Seen =
  | { readonly what: 'message'; readonly message: JsonObject; readonly pieces?: number }
  | {
      readonly what: 'http';
      readonly id: MessageId | undefined;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Bytes in the place of a message. */
  | { readonly what: 'garbage' }
  | { readonly what: 'heartbeat' }
  /** What the server logged, where a stage can see it as such. */
  | { readonly what: 'stderr'; readonly bytes: number }
  /** `code` where the connection failed for another reason than that nobody listens. */
  | { readonly what: 'refused'; readonly code?: string }
  /** `bytes`: how many of an answer came before. */
  | { readonly what: 'broken'; readonly id: MessageId | undefined; readonly bytes?: number };

/** See the module comment. */
export type Stage = {
  readonly name: StageName;
  /** Opens a connection and introduces the client; false when the connection was refused. */
  hello(): Promise<boolean>;
  /** Sends a message; what comes of it appears in `seen`. */
  send(message: JsonObject): void;
  readonly seen: readonly Seen[];
  /** What reached the server. */
  readonly served: readonly JsonObject[];
  journal(): readonly JournalEntry[];
  /** The stage's own time: real, or the simulator's. */
  nowMs(): number;
  /** Lets so much time pass. */
  pass(ms: number): Promise<void>;
  /** Lets things happen until the test holds; fails with `what` when it never does. */
  until(what: string, holds: () => boolean): Promise<void>;
  /** The client leaves; afterwards the journal is complete. */
  leave(): Promise<void>;
};

const clientInfo = { name: 'agent', version: '1.0.0' };

/** The client's first request in each era. */
export const FIRST_WORDS: Readonly<Record<Era, JsonObject>> = {
  legacy: { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
  modern: { jsonrpc: '2.0', id: 0, method: 'server/discover', params: {} },
};

/** What a legacy client says when it has been answered. */
export const INITIALIZED: JsonObject = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** A client on a pipe says who it is; it is connected already. */
export async function introduce(era: Era, { send, until, seen }: Pick<Stage, 'send' | 'until' | 'seen'>): Promise<true> {
  send(FIRST_WORDS[era]);
  await until('the server introduces itself', () => seen.length > 0);
  if (era === 'legacy') send(INITIALIZED);
  return true;
}

/** A message as a client of the era sends it: modern requests say who asks, every time. */
export function inEra(era: Era, message: JsonObject): JsonObject {
  if (era === 'legacy' || message['id'] === undefined) return message;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': clientInfo,
  };
  return { ...message, params: { ...(message['params'] as JsonObject | undefined), _meta: meta } };
}

/** A tool call. */
export const toolCall = (id: number, name: string, given: JsonObject = {}): JsonObject => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

/** Lets the server answer a call that it was told to wait with. */
export const release = (requestId: number): JsonObject => ({ jsonrpc: '2.0', method: 'notifications/release', params: { requestId } });

/** The messages that a client saw for a request. */
export const answersTo = (stage: Pick<Stage, 'seen'>, id: number): readonly JsonObject[] =>
  stage.seen.flatMap((one) => (one.what === 'message' && one.message['id'] === id ? [one.message] : []));

/** How often the server executed a tool. */
export const executions = (stage: Pick<Stage, 'served'>, name: string): number =>
  stage.served.filter((message) => message['method'] === 'tools/call' && (message['params'] as JsonObject)['name'] === name).length;

/** What the journal says about the calls, without times. */
export const outcomes = (journal: readonly JournalEntry[]): readonly string[] =>
  journal.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []));

/** The fault entries so far. */
export const firings = (stage: Pick<Stage, 'journal'>): readonly (JournalEntry & { kind: 'fault' })[] =>
  stage.journal().flatMap((entry) => (entry.kind === 'fault' ? [entry] : []));

/** What a client makes of bytes in the place of a message. */
export function seenIn(text: string, pieces?: number): Seen {
  try {
    const message: unknown = JSON.parse(text);
    return isObject(message) ? { what: 'message', message, ...(pieces === undefined ? {} : { pieces }) } : { what: 'garbage' };
  } catch {
    return { what: 'garbage' };
  }
}
