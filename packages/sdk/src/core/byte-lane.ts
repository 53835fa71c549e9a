/** One way of a byte stream: first in, first out, at the times and in the slices that were asked for. */
import type { Cancel, Clock } from './clock.js';

/** How bytes are to travel: put off, and in slices that each keep the lane busy for a while. */
export type Travel = { readonly afterMs: number; readonly sliceBytes?: number; readonly everyMs?: number };

/** See the module comment. */
export type ByteLane = {
  put(bytes: Uint8Array, travel: Travel): void;
  /** Nothing comes after what is in the lane. */
  end(): void;
  /** Drops what waits. */
  close(): void;
};

/** What a lane works with. */
export type ByteLaneOptions = {
  readonly clock: Clock;
  readonly send: (bytes: Uint8Array) => void;
  /** The last bytes are out, and no more will come. */
  readonly finish: () => void;
  /** Called whenever the number of bytes that wait has changed. */
  readonly waiting: (bytes: number) => void;
};

type Part = { bytes: Uint8Array; readonly readyAtMs: number; readonly sliceBytes: number; readonly everyMs: number };

/** Builds an empty lane. */
export function createByteLane({ clock, send, finish, waiting }: ByteLaneOptions): ByteLane {
  let parts: Part[] = [];
  let waitingBytes = 0;
  let freeAtMs = -Infinity;
  let timer: Cancel | undefined;
  let isEnding = false;
  let isOver = false;

  const over = (): void => {
    if (!isEnding || isOver) return;
    isOver = true;
    finish();
  };

  /** Sends what is due, and comes back for the rest. */
  const advance = (): void => {
    timer = undefined;
    while (parts.length > 0 && !isOver) {
      const part = parts[0]!;
      const dueMs = Math.max(part.readyAtMs, freeAtMs);
      const nowMs = clock.nowMs();
      if (dueMs > nowMs) {
        timer = clock.schedule(dueMs - nowMs, advance);
        return;
      }
      const slice = part.bytes.subarray(0, part.sliceBytes);
      part.bytes = part.bytes.subarray(slice.length);
      if (part.bytes.length === 0) parts.shift();
      // A slice that is not full keeps the lane busy for its share: how fast bytes pass must not depend on how they were read.
      if (part.everyMs > 0) freeAtMs = dueMs + (part.everyMs * slice.length) / part.sliceBytes;
      waitingBytes -= slice.length;
      send(slice);
      waiting(waitingBytes);
    }
    over();
  };

  return {
    put(bytes, { afterMs, sliceBytes = Infinity, everyMs = 0 }) {
      if (isEnding || bytes.length === 0) return;
      const nowMs = clock.nowMs();
      if (parts.length === 0 && afterMs <= 0 && freeAtMs <= nowMs && bytes.length <= sliceBytes && everyMs === 0) return send(bytes);
      parts.push({ bytes, readyAtMs: nowMs + afterMs, sliceBytes: Math.max(1, sliceBytes), everyMs });
      waitingBytes += bytes.length;
      waiting(waitingBytes);
      if (timer === undefined) advance();
    },
    end() {
      isEnding = true;
      if (parts.length === 0) over();
    },
    close() {
      timer?.();
      isOver = true;
      parts = [];
    },
  };
}
