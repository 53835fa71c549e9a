/**
 * Finds named sequences of marks: failures that heal themselves before anybody looks leave marks in an order that gives
 * them away. Pure and streaming: a journal, a simulation or a monitor can feed it.
 */

/** An order of marks that has a name. */
export type MarkSequence = {
  readonly name: string;
  readonly marks: readonly string[];
  /** From the first mark to the last. */
  readonly withinMs: number;
};

/** One occurrence. */
export type FoundSequence = {
  readonly sequence: string;
  readonly marks: readonly string[];
  readonly sinceMs: number;
  readonly atMs: number;
};

/** A caller that is kept down by its own limiter: the pool runs dry, retries jump, and the limiter refuses the retries. */
export const SELF_DENIAL: MarkSequence = {
  name: 'self-denial-of-service',
  marks: ['pool-exhausted', 'retry-spike', 'limiter-rejects-retries'],
  withinMs: 60_000,
};

/** Sequences that are looked for unless told otherwise. */
export const KNOWN_SEQUENCES: readonly MarkSequence[] = [SELF_DENIAL];

/** Hears of marks in the order of their time; the answer is what is complete now. */
export type SequenceWatch = { hear(mark: string, atMs: number): FoundSequence | undefined };

/**
 * Watches for one sequence. The latest chance of each step is what counts, so an early mark without sequel does not hide
 * a later one. After a find it waits until none of its marks was heard for `withinMs`: one outage is one find.
 */
export function watchSequence({ name, marks, withinMs }: MarkSequence): SequenceWatch {
  /** For each step: when the chain that has come this far began. */
  const began: (number | undefined)[] = marks.map(() => undefined);
  let lastHeardMs = Number.NEGATIVE_INFINITY;
  let isFound = false;
  return {
    hear(mark, atMs) {
      const isOurs = marks.includes(mark);
      if (isOurs && atMs - lastHeardMs > withinMs) isFound = false;
      if (isOurs) lastHeardMs = atMs;
      if (!isOurs || isFound) return undefined;
      // From the end, so that one mark moves a chain by one step only.
      for (let step = marks.length - 1; step >= 0; step--) {
        if (marks[step] !== mark) continue;
        const since = step === 0 ? atMs : began[step - 1];
        if (since === undefined || atMs - since > withinMs) continue;
        began[step] = since;
      }
      const sinceMs = began[marks.length - 1];
      if (sinceMs === undefined) return undefined;
      isFound = true;
      began.fill(undefined);
      return { sequence: name, marks, sinceMs, atMs };
    },
  };
}
