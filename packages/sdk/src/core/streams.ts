/** Rules on byte streams: a stream is one long exchange, drawn for when it opens and held against the clock while it lives. */
import type { ActiveRule, Engagement } from './engagement.js';
import { frameFromMessage } from './frame.js';
import { compileConnect } from './match.js';
import type { Rule } from './plan.js';
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

/** The rules as byte streams meet them. Streams live long, and rules come and go in the meantime. */
export type Streams = {
  /** Takes these rules from now on; what a stream drew before stands for those that stay. */
  use(rules: readonly ActiveRule[]): void;
  /** Every stream is as good as new: what it drew is let go, and it draws anew. */
  startAnew(): void;
  /** Counts the stream and draws, for every rule that it has not met. Asked again and again, it costs next to nothing. */
  meet(stream: Exchange, engagements: readonly Engagement[], nowMs: number): readonly Engagement[];
  /** Those that may still act, or have not been told of yet: a stream outlives any number of rules. */
  worthKeeping(engagements: readonly Engagement[]): readonly Engagement[];
  /** Those whose time it is. */
  awake(engagements: readonly Engagement[], nowMs: number): readonly Engagement[];
};

const NOBODY: readonly Engagement[] = [];

/** Starts without rules. */
export function createStreams(): Streams {
  let compiled: readonly CompiledRule[] = [];
  let byRule: ReadonlyMap<Rule, CompiledRule> = new Map();
  let upToDate = new WeakSet<Exchange>();
  let met = new WeakMap<Exchange, ReadonlySet<Rule>>();
  const letGo = new WeakSet<Engagement>();

  return {
    use(rules) {
      compiled = rules.map((active) => ({ active, matches: compileConnect(active.rule), ...splitByTime(active.rule.at) }));
      byRule = new Map(compiled.map((one) => [one.active.rule, one]));
      upToDate = new WeakSet();
    },
    startAnew() {
      met = new WeakMap();
      upToDate = new WeakSet();
    },
    meet(stream, engagements, nowMs) {
      if (upToDate.has(stream)) return NOBODY;
      upToDate.add(stream);
      const known = met.get(stream);
      met.set(stream, new Set(compiled.map(({ active }) => active.rule)));
      for (const engagement of engagements) {
        if (known === undefined) engagement.why ??= 'everything was suspended';
        // A rule that went and comes back is met anew.
        if (known === undefined || !byRule.has(engagement.rule)) letGo.add(engagement);
      }
      const { session, request } = stream;
      const match = { session, scopeKey: scopeKey(session, STREAM_METHOD), tool: undefined, frame: request, task: session.label, nowMs };
      return compiled.flatMap(({ active, matches, counted }) => {
        if (known?.has(active.rule) === true || !matches(session)) return [];
        active.advanceWideShape(session, session.label);
        return active.draw(match, counted) ?? [];
      });
    },
    worthKeeping: (engagements) => engagements.filter((engagement) => !engagement.isSettled || !letGo.has(engagement)),
    awake: (engagements, nowMs) =>
      engagements.filter((engagement) => {
        const { rule, context, match, suppressedBy } = engagement;
        const compiledRule = byRule.get(rule);
        if (suppressedBy !== undefined || compiledRule === undefined || letGo.has(engagement)) return false;
        if (!mayFire(compiledRule.timed, match, nowMs - compiledRule.active.startedAtMs, false)) return false;
        // The context was made when the stream opened, and faults ask it for the time of the bytes.
        (context as { nowMs: number }).nowMs = nowMs;
        // What a fault said of earlier bytes is not its last word.
        if (!engagement.isSettled) engagement.why = undefined;
        return true;
      }),
  };
}

type CompiledRule = ReturnType<typeof splitByTime> & {
  readonly active: ActiveRule;
  readonly matches: ReturnType<typeof compileConnect>;
};
