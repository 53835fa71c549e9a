// Time for the agent: it stands still while work is under way, so a slow machine is never too late, and it jumps over
// waits when there is nothing else to do. A hang is neither: whoever injects one says when time goes on (`toNext`).

/** A clock as the SDK wants one, counted from 0. */
export function createStoryClock() {
  const due = new Map();
  let nowMs = 0;
  let scheduled = 0;
  let underWay = 0;

  const toNext = () => {
    const [first] = [...due].sort(([one, a], [other, b]) => a.atMs - b.atMs || one - other);
    if (first === undefined) return;
    const [key, { atMs, action }] = first;
    due.delete(key);
    nowMs = Math.max(nowMs, atMs);
    action();
  };
  const jumpWhenIdle = () => setImmediate(() => underWay === 0 && toNext());

  return {
    nowMs: () => nowMs,
    schedule(afterMs, action) {
      const key = scheduled++;
      due.set(key, { atMs: nowMs + afterMs, action });
      jumpWhenIdle();
      return () => void due.delete(key);
    },
    /** Work that takes no time here. */
    async during(work) {
      underWay++;
      try {
        return await work;
      } finally {
        underWay--;
        jumpWhenIdle();
      }
    },
    toNext,
    /** Time goes by while nobody does anything. */
    pass(ms) {
      nowMs += ms;
    },
  };
}
