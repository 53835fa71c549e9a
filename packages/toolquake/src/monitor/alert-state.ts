/** When to alert, and when to say that it is over: rules over what one probe after the other saw. Pure; no clock but what it is told. */
import { quantileOf, sorted } from '../gates/latency/order-statistics.js';

/** What the rules are set to. */
export type AlertRules = {
  /** Failures in a row that make an alert, and successes in a row that end it. */
  readonly failures: number;
  /** An alert, too, when the p95 of the probes is above so many times that of the quiet phase. */
  readonly slowFactor: number;
  /** Probes that a p95 is taken over. */
  readonly slowOver: number;
  /** What was seen before this moment, while nothing is wrong, is the level that later probes are compared with. */
  readonly quietUntilMs: number;
};

/** What one probe saw. */
export type ProbeNews = {
  readonly atMs: number;
  readonly isUp: boolean;
  readonly reason: string | null;
  readonly totalMs: number;
  /** One that began after it was heard before: how long it took says how it was, and not how it is. */
  readonly isLate?: boolean | undefined;
};

/** The rules by name, as they stand in alerts. */
export type AlertRule = 'consecutive_failures' | 'latency';

/** Something that somebody must be told. */
export type AlertNotice = {
  readonly state: 'firing' | 'resolved';
  readonly rule: AlertRule;
  /** Of the failure that made the alert, also when it is over. */
  readonly reason: string;
  /** When it was noticed. */
  readonly atMs: number;
  /** When the first probe saw it. */
  readonly sinceMs: number;
  /** Counts the incidents of this rule. */
  readonly incident: number;
};

/** Hears of probes in the order of their news, and says what that means. */
export type AlertState = { take(news: ProbeNews): readonly AlertNotice[] };

/** Levels from fewer probes than this are luck. */
const MIN_BASELINE = 3;
/** What is faster than this is not slow, whatever it was before: on a quick server a pause of the garbage collector doubles a probe. */
const SLOW_FLOOR_MS = 50;

/** Nothing is wrong until two rules say so. */
export function createAlertState(rules: AlertRules): AlertState {
  const down = createRule('consecutive_failures', rules.failures);
  const slow = createRule('latency', rules.failures);
  let quiet: readonly number[] = [];
  let bound: number | undefined;
  let latest: number[] = [];

  /** Is this probe slow, and are most of the latest ones? */
  function isSlow(news: ProbeNews): boolean {
    latest = [...latest, news.totalMs].slice(-rules.slowOver);
    if (news.atMs < rules.quietUntilMs) {
      quiet = latest;
      return false;
    }
    if (bound === undefined && quiet.length >= MIN_BASELINE)
      bound = Math.max(quantileOf(sorted(quiet), 0.95) * rules.slowFactor, SLOW_FLOOR_MS);
    return bound !== undefined && news.totalMs > bound && quantileOf(sorted(latest), 0.95) > bound;
  }

  return {
    take(news) {
      const notices = down.take(!news.isUp, news.reason ?? 'unknown', news.atMs);
      // How long a failure takes says nothing about the latency of answers.
      if (!news.isUp || news.isLate === true) return notices;
      return [...notices, ...slow.take(isSlow(news), 'latency_anomaly', news.atMs)];
    },
  };
}

/** So many of the one in a row open an incident, and as many of the other close it. */
function createRule(rule: AlertRule, inARow: number): { take(isBad: boolean, reason: string, atMs: number): readonly AlertNotice[] } {
  let isOpen = false;
  let incident = 0;
  let against = 0;
  let sinceMs = 0;
  let firstAgainstMs = 0;
  let said = '';
  return {
    take(isBad, reason, atMs) {
      if (isBad === isOpen) {
        against = 0;
        return [];
      }
      against += 1;
      if (against === 1) firstAgainstMs = atMs;
      if (against < inARow) return [];
      against = 0;
      isOpen = !isOpen;
      if (isOpen) {
        incident += 1;
        sinceMs = firstAgainstMs;
        said = reason;
      }
      return [{ state: isOpen ? 'firing' : 'resolved', rule, reason: said, atMs, sinceMs, incident }];
    },
  };
}
