/**
 * A circuit breaker on effective tool availability: it counts answers that were correct, not answers that arrived.
 * A tool that is up and wrong opens it. One breaker per tool; no clock inside, so it behaves the same on virtual time.
 */

/** When a breaker opens, and how it finds out that the tool is well again. */
export type EtaBreakerOptions = {
  /** Opens when the share of correct calls falls below this. */
  readonly threshold: number;
  /** Calls to see before it judges. */
  readonly minCalls?: number | undefined;
  /**
   * Judges by so many of the last calls. Without it, by all since it last closed: a tool that was well for a day would
   * have to fail for a day before it opens.
   */
  readonly window?: number | undefined;
  /**
   * While open, every Nth call goes through as a probe; a correct one closes the breaker and clears its memory.
   * Without it an open breaker stays open for good, which turns a bad minute into an outage.
   */
  readonly probeInterval?: number | undefined;
};

/** What to do with a call: make it, make it as a probe, or do without. */
export type Admission = 'call' | 'probe' | 'refuse';

/** The state of one breaker. */
export type EtaBreaker = {
  /** Asked once per operation, before its first attempt. */
  admit(): Admission;
  /** Told once per admitted operation, after its last retry, with what `admit` said. */
  record(admission: Admission, isCorrect: boolean): void;
  isOpen(): boolean;
};

/** Starts a closed breaker. */
export function createEtaBreaker(options: EtaBreakerOptions): EtaBreaker {
  const { threshold, minCalls = 4, window = Number.POSITIVE_INFINITY, probeInterval } = options;
  /** The calls of the window, oldest overwritten first; unused when it has no end. */
  const seen: boolean[] = [];
  let next = 0;
  let total = 0;
  let correct = 0;
  let isOpen = false;
  /** Calls asked for since it opened. */
  let asked = 0;
  const count = (isCorrect: boolean): void => {
    if (isCorrect) correct++;
    if (total < window) total++;
    else if (seen[next] === true) correct--;
    if (window === Number.POSITIVE_INFINITY) return;
    seen[next] = isCorrect;
    next = (next + 1) % window;
  };
  return {
    admit() {
      if (!isOpen) return 'call';
      asked++;
      return probeInterval !== undefined && asked % probeInterval === 0 ? 'probe' : 'refuse';
    },
    record(admission, isCorrect) {
      if (admission === 'refuse') return;
      if (admission === 'probe') {
        if (!isOpen || !isCorrect) return;
        isOpen = false;
        total = 0;
        correct = 0;
        seen.length = 0;
        next = 0;
        return;
      }
      // Told after it opened: a call that was already under way. What it says is old news.
      if (isOpen) return;
      count(isCorrect);
      if (total < minCalls || correct / total >= threshold) return;
      isOpen = true;
      asked = 0;
    },
    isOpen: () => isOpen,
  };
}
