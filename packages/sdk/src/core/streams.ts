/** Rules on byte streams: a stream is one long exchange, drawn for when it opens and held against the clock while it lives. */
import type { ActiveRule, Engagement } from './engagement.js';
import { frameFromMessage } from './frame.js';
import { compileConnect } from './match.js';
import { mayFire, splitByTime } from './schedule.js';
import { openExchange, scopeKey, startSession, type Exchange } from './session.js';

/** What journals call the exchange that a byte stream is. */
export const STREAM_METHOD = 'stream';

/**
 * A stream as the rules see it. All streams share one label, so that their number counts in one scope (`at: { nth: 2 }`
 * is the second connection); each has a session of its own, so that faults remember them apart.
 */
export function openStream(options: { ordinal: number; target: string | undefined; nowMs: number }): Exchange {
  const session = startSession({ target: options.target });
  session.requests['to-server'] = options.ordinal;
  return openExchange(session, frameFromMessage('to-server', { jsonrpc: '2.0', method: STREAM_METHOD }), options.nowMs);
}

/** The rules of a plan as byte streams meet them. */
export type Streams = {
  /** Counts the stream and draws, for every rule. */
  open(stream: Exchange, nowMs: number): readonly Engagement[];
  /** Those whose time it is. */
  awake(engagements: readonly Engagement[], nowMs: number): readonly Engagement[];
};

/** Compiles the rules once. */
export function createStreams(rules: readonly ActiveRule[], startedAtMs: number): Streams {
  const compiled = rules.map((active) => ({ active, matches: compileConnect(active.rule), ...splitByTime(active.rule.at) }));
  const timedOf = new Map(compiled.map(({ active, timed }) => [active.rule, timed]));
  return {
    open({ session, request }, nowMs) {
      const match = { session, scopeKey: scopeKey(session, STREAM_METHOD), tool: undefined, frame: request, task: session.label, nowMs };
      return compiled.flatMap(({ active, matches, counted }) => {
        if (!matches(session)) return [];
        active.advanceWideShape(session, session.label);
        return active.draw(match, counted) ?? [];
      });
    },
    awake: (engagements, nowMs) =>
      engagements.filter((engagement) => {
        const { rule, context, match, suppressedBy } = engagement;
        const timed = timedOf.get(rule);
        if (suppressedBy !== undefined || timed === undefined || !mayFire(timed, match, nowMs - startedAtMs, false)) return false;
        // The context was made when the stream opened, and faults ask it for the time of the bytes.
        (context as { nowMs: number }).nowMs = nowMs;
        // What a fault said of earlier bytes is not its last word.
        if (!engagement.isSettled) engagement.why = undefined;
        return true;
      }),
  };
}
