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
  const { threshold, minCalls = 4, probeInterval } = options;
  let total = 0;
  let correct = 0;
  let isOpen = false;
  /** Calls asked for since it opened. */
  let asked = 0;
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
        return;
      }
      // Told after it opened: a call that was already under way. What it says is old news.
      if (isOpen) return;
      total++;
      if (isCorrect) correct++;
      if (total < minCalls || correct / total >= threshold) return;
      isOpen = true;
      asked = 0;
    },
    isOpen: () => isOpen,
  };
}
