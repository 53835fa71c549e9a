/**
 * The journal: one entry per line (JSONL), one versioned schema for simulator, proxies and in-process use.
 * Every report, plot and exit code is a rendering of it. What an agent sees carries no mark; marks live here only.
 */
import type { MessageId } from './message.js';
import type { Era } from './session.js';
import type { TransportName } from './fault.js';

/** Version of the entries below. */
export const JOURNAL_VERSION = 1;

/** Which exchange an entry is about. */
export type ExchangeRef = {
  readonly session: string;
  /** Number of the request in its session, from 1; 0 for a connection. */
  readonly exchange: number;
  readonly method: string;
  readonly tool?: string;
  readonly id?: MessageId;
};

/** What came of a rule's draw on one exchange. */
export type FaultState = 'delivered' | 'suppressed' | 'not-delivered';

/** What the caller saw of one call. */
export type CallOutcome = 'ok' | 'tool-error' | 'rpc-error' | 'http-error' | 'disconnected' | 'no-answer' | 'cancelled';

/** One line of a journal. `atMs` is time since the start entry, on the transport's own clock. */
export type JournalEntry =
  | {
      readonly v: typeof JOURNAL_VERSION;
      readonly kind: 'start';
      readonly atMs: 0;
      readonly transport: TransportName;
      readonly seed: number;
      readonly rules: readonly { readonly id: string; readonly fault: string }[];
      readonly target?: string;
      /** Wall-clock start as ISO text; absent in the simulator. */
      readonly startedAt?: string;
      /** Why nothing will be injected although there is a plan. */
      readonly guarded?: string;
    }
  | ({
      readonly kind: 'fault';
      readonly atMs: number;
      readonly rule: string;
      readonly fault: string;
      readonly state: FaultState;
      /** Scope and number of the match: with the seed, all that a draw depends on. */
      readonly scope: string;
      readonly match: number;
      /** Kinds of the effects that were performed. */
      readonly effects?: readonly string[];
      /** The rule or limit that suppressed it. */
      readonly by?: string;
      readonly why?: string;
    } & ExchangeRef)
  | ({
      readonly kind: 'call';
      readonly atMs: number;
      readonly outcome: CallOutcome;
      readonly latencyMs: number;
      readonly task?: string;
      readonly era?: Era;
      /** Rules whose faults were delivered on this call. */
      readonly faults?: readonly string[];
      /** A data fault changed what the caller saw. */
      readonly isAltered?: true;
    } & ExchangeRef)
  | { readonly kind: 'problem'; readonly atMs: number; readonly message: string }
  | {
      readonly kind: 'end';
      readonly atMs: number;
      /** Deliveries per rule, rules that never fired included with 0. */
      readonly fired: Readonly<Record<string, number>>;
      readonly calls: number;
    };

/** Where entries go. A sink must not throw. */
export type JournalSink = (entry: JournalEntry) => void;

/** One line of text, newline included. */
export function journalLine(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * The decisions in a journal without what depends on the clock or the transport, in a canonical order:
 * two transports that met the same calls under the same plan have equal decisions.
 */
export function decisionsOf(entries: Iterable<JournalEntry>): readonly string[] {
  const lines: { key: string; order: number; line: string }[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'fault') continue;
    const { session, exchange, method, tool, id, rule, fault, state, scope, match, effects, by, why } = entry;
    lines.push({
      key: session,
      order: exchange,
      line: JSON.stringify({ session, exchange, method, tool, id, rule, fault, state, scope, match, effects, by, why }),
    });
  }
  lines.sort((a, b) => (a.key === b.key ? a.order - b.order || (a.line < b.line ? -1 : 1) : a.key < b.key ? -1 : 1));
  return lines.map((entry) => entry.line);
}
