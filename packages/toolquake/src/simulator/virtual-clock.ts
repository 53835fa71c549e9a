/** Time that moves only when events happen. A binary heap; events of the same moment happen in the order they were scheduled. */
import type { Cancel, Clock } from '@toolquake/sdk/core';
import { createFifo, type Fifo } from './fifo.js';

type Action = (first?: never, second?: never) => unknown;
type Event = {
  readonly atMs: number;
  readonly sequence: number;
  readonly action: Action;
  readonly first: unknown;
  readonly second: unknown;
  isCancelled: boolean;
  readonly lane: Lane | undefined;
};

/** Events that all wait equally long come in the order they were scheduled: only the first of them has to be in the heap. */
type Lane = { isInHeap: boolean; readonly behind: Fifo<Event> };

/** Schedules one event of a lane. */
export type LaneDelivery<First, Second> = (first: First, second: Second) => void;

/** A clock that its owner moves. It starts at 0. */
export type VirtualClock = Clock & {
  /** Like `schedule`, for events that nobody takes back: it makes no undo. */
  enqueue(afterMs: number, action: () => unknown): void;
  /** Calls `action` with its two arguments later: an event without a closure, for what happens millions of times. */
  deliver<First, Second>(afterMs: number, action: (first: First, second: Second) => unknown, first: First, second: Second): void;
  /**
   * Like `deliver` for events that always wait equally long, timeouts for example: each costs the same, however many wait.
   * `isMoot`: the event need not happen any more, and may be forgotten before its time.
   */
  lane<First, Second>(
    afterMs: number,
    action: (first: First, second: Second) => unknown,
    isMoot?: (first: First) => boolean,
  ): LaneDelivery<First, Second>;
  /** Lets the next event happen; false when there is none. */
  step(): boolean;
  /** Lets events happen until there are none, or until `maxEvents` happened; tells how many. */
  run(maxEvents?: number): number;
  /** Moves time by `ms`, letting happen what is due. */
  advance(ms: number): void;
  /** Events still to come, cancelled ones included until their time; of a lane only the first. */
  pending(): number;
};

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence);

/** Fewer events than this may wait in a lane for nothing. */
const MIN_TIDY = 4096;

/** Starts a virtual clock. No getters here, nor anywhere else on the simulator's hot path: every object with one has a shape of its own. */
export function createVirtualClock(): VirtualClock {
  const heap: Event[] = [];
  let nowMs = 0;
  let sequence = 0;

  const push = (event: Event): void => {
    let index = heap.length;
    heap[index] = event;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent]!;
      if (!isBefore(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  };

  const pop = (): Event | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  };

  const make = (afterMs: number, action: Action, first: unknown, second: unknown, lane: Lane | undefined): Event =>
    // NaN and negative waits would put an event into the past, and time would run backwards.
    ({ atMs: nowMs + (afterMs > 0 ? afterMs : 0), sequence: sequence++, action, first, second, isCancelled: false, lane });

  const add = (afterMs: number, action: Action, first?: unknown, second?: unknown): Event => {
    const event = make(afterMs, action, first, second, undefined);
    push(event);
    return event;
  };

  /** The next event of a lane takes the place of the one that has left the heap. */
  const follow = (lane: Lane): void => {
    const next = lane.behind.shift();
    if (next === undefined) lane.isInHeap = false;
    else push(next);
  };

  const step = (): boolean => {
    for (;;) {
      const event = pop();
      if (event === undefined) return false;
      if (event.lane !== undefined) follow(event.lane);
      // A cancelled event does not even move the time.
      if (event.isCancelled) continue;
      nowMs = event.atMs;
      // `deliver` took the arguments together with the action that takes them.
      event.action(event.first as never, event.second as never);
      return true;
    }
  };

  return {
    nowMs: () => nowMs,
    schedule(afterMs, action): Cancel {
      const event = add(afterMs, action);
      return () => {
        event.isCancelled = true;
      };
    },
    enqueue(afterMs, action) {
      add(afterMs, action);
    },
    deliver(afterMs, action, first, second) {
      add(afterMs, action as Action, first, second);
    },
    lane<First, Second>(
      afterMs: number,
      action: (first: First, second: Second) => unknown,
      isMoot?: (first: First) => boolean,
    ): LaneDelivery<First, Second> {
      const lane: Lane = { isInHeap: false, behind: createFifo() };
      let tidyAt = MIN_TIDY;
      const tidy = (isMootOf: (first: First) => boolean): void => {
        // Everything in a lane came with arguments of its own kind.
        lane.behind.keep((event) => !isMootOf(event.first as First));
        tidyAt = Math.max(MIN_TIDY, 2 * lane.behind.size());
      };
      return (first, second) => {
        const event = make(afterMs, action as Action, first, second, lane);
        if (isMoot !== undefined && lane.behind.size() >= tidyAt) tidy(isMoot);
        if (lane.isInHeap) return lane.behind.push(event);
        lane.isInHeap = true;
        push(event);
      };
    },
    step,
    run(maxEvents = Number.POSITIVE_INFINITY) {
      let happened = 0;
      while (happened < maxEvents && step()) happened++;
      return happened;
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      while (heap.length > 0 && heap[0]!.atMs <= untilMs) {
        if (heap[0]!.isCancelled) pop();
        else step();
      }
      nowMs = untilMs;
    },
    pending: () => heap.length,
  };
}
