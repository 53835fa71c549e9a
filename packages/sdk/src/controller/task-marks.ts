/** Where tasks begin and end, as somebody outside says: a harness that runs one task after the other. One at a time. */
import type { Clock } from '../core/clock.js';
import type { BoundaryOutcome } from '../core/control-entry.js';
import { ToolquakeError } from '../core/errors.js';
import type { JournalSink } from '../core/journal.js';

/** See the module comment. What is refused throws a `ToolquakeError` and changes nothing. */
export type TaskMarks = {
  /** Returns the name of the task; one that nobody named gets `task-1` and so on. */
  start(name?: string): string;
  /** Ends the task that is going on; a name that is given must be its own. */
  end(name?: string, outcome?: BoundaryOutcome): string;
  /** The task that is going on. */
  readonly current: string | undefined;
};

const MAX_NAME_LENGTH = 200;

/** Nothing is going on yet. */
export function createTaskMarks(options: {
  readonly journal?: JournalSink | undefined;
  readonly clock: Clock;
  readonly startedAtMs: number;
}): TaskMarks {
  let current: string | undefined;
  let started = 0;
  const atMs = (): number => options.clock.nowMs() - options.startedAtMs;
  return {
    start(given) {
      if (current !== undefined)
        throw new ToolquakeError('IMPOSSIBLE', {
          message: `The task "${current}" is still going on, and calls of two tasks at once cannot be told apart.`,
          advice: 'End it first, or let calls name their task in the X-Chaos-Task header.',
        });
      const name = given ?? `task-${started + 1}`;
      if (name.trim() === '' || name.length > MAX_NAME_LENGTH || /\p{Cc}/u.test(name))
        throw new ToolquakeError('OUT_OF_RANGE', { message: `A task's name has 1 to ${MAX_NAME_LENGTH} printable characters.` });
      started++;
      current = name;
      options.journal?.({ kind: 'boundary', atMs: atMs(), task: name, state: 'started' });
      return name;
    },
    end(given, outcome) {
      if (current === undefined) throw new ToolquakeError('IMPOSSIBLE', { message: 'No task is going on.', advice: 'Start one first.' });
      if (given !== undefined && given !== current)
        throw new ToolquakeError('IMPOSSIBLE', { message: `The task that is going on is "${current}", not "${given}".` });
      const name = current;
      current = undefined;
      options.journal?.({ kind: 'boundary', atMs: atMs(), task: name, state: 'ended', ...(outcome === undefined ? {} : { outcome }) });
      return name;
    },
    get current() {
      return current;
    },
  };
}
