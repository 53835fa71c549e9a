/**
 * Journal entries as they are made, for anybody who listens, as server-sent events. A listener that does not keep up
 * loses entries and is told how many; it never slows the traffic down, and never grows our memory.
 */
import type { Cancel, Clock } from '../core/clock.js';
import type { JournalEntry, JournalSink } from '../core/journal.js';

/** Bounds of a feed; every one has a default. */
export type EventFeedOptions = {
  readonly clock: Clock;
  readonly maxStreams?: number;
  /** What may wait for one listener. */
  readonly maxQueued?: number;
  readonly maxQueuedCharacters?: number;
  /** A comment is sent after so much silence, so that both ends learn of a broken line. */
  readonly heartbeatMs?: number;
};

/** See the module comment. */
export type EventFeed = {
  /** Costs next to nothing while nobody listens. */
  readonly publish: JournalSink;
  /** The text of an event stream, until the feed closes or the reader returns; undefined when too many listen already. */
  open(): AsyncIterableIterator<string> | undefined;
  /** Every stream ends once it was read to its end. */
  close(): void;
  readonly streams: number;
  /** Entries that slow listeners lost, over all streams so far. */
  readonly dropped: number;
};

type Listener = { push(text: string): void; end(): void };

const event = (name: string, data: string): string => `event: ${name}\ndata: ${data}\n\n`;

/** A feed without listeners. */
export function createEventFeed(options: EventFeedOptions): EventFeed {
  const { clock, maxStreams = 16, maxQueued = 1000, maxQueuedCharacters = 1024 * 1024, heartbeatMs = 15_000 } = options;
  const listeners = new Set<Listener>();
  let dropped = 0;
  let isClosed = false;

  const listen = (): AsyncIterableIterator<string> => {
    let queue: string[] = [': open\n\n'];
    let characters = 0;
    let lost = 0;
    let isOver = false;
    let stopHeartbeat: Cancel = () => {};
    /** Readers that wait, the first one first. */
    let waiting: ((result: IteratorResult<string, undefined>) => void)[] = [];

    const take = (): IteratorResult<string, undefined> | undefined => {
      if (queue.length === 0 && lost === 0) return isOver ? { done: true, value: undefined } : undefined;
      const parts = lost === 0 ? queue : [...queue, event('dropped', JSON.stringify({ dropped: lost }))];
      queue = [];
      characters = 0;
      lost = 0;
      return { done: false, value: parts.join('') };
    };
    const serve = (): void => {
      while (waiting.length > 0) {
        const result = take();
        if (result === undefined) return;
        stopHeartbeat();
        waiting.shift()!(result);
      }
    };
    const listener: Listener = {
      push(text) {
        if (queue.length >= maxQueued || characters + text.length > maxQueuedCharacters) {
          lost++;
          dropped++;
          return;
        }
        queue.push(text);
        characters += text.length;
        serve();
      },
      end() {
        isOver = true;
        listeners.delete(listener);
        serve();
      },
    };
    listeners.add(listener);
    return {
      next() {
        const result = take();
        if (result !== undefined) return Promise.resolve(result);
        if (waiting.length === 0) stopHeartbeat = clock.schedule(heartbeatMs, () => listener.push(': still here\n\n'));
        return new Promise((resolve) => waiting.push(resolve));
      },
      return() {
        queue = [];
        lost = 0;
        stopHeartbeat();
        listener.end();
        waiting = [];
        return Promise.resolve({ done: true, value: undefined });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  };

  return {
    publish(entry: JournalEntry) {
      if (listeners.size === 0) return;
      // Written once, whoever listens; JSON has no line breaks of its own.
      const text = event(entry.kind, JSON.stringify(entry));
      for (const listener of listeners) listener.push(text);
    },
    open: () => (isClosed || listeners.size >= maxStreams ? undefined : listen()),
    close() {
      isClosed = true;
      for (const listener of listeners) listener.end();
    },
    get streams() {
      return listeners.size;
    },
    get dropped() {
      return dropped;
    },
  };
}
