/** One way of a byte stream: first in, first out, at the times and in the slices that were asked for. It never loses a byte. */
import type { Cancel, Clock } from './clock.js';

/** How bytes are to travel: put off (`Infinity`: until a release), and in slices that each keep the lane busy for a while. */
export type Travel = {
  readonly afterMs: number;
  readonly sliceBytes?: number;
  readonly everyMs?: number;
  /** The rules that hold them: without these they need not wait. */
  readonly heldBy?: readonly string[];
};

/** See the module comment. */
export type ByteLane = {
  put(bytes: Uint8Array, travel: Travel): void;
  /** Acts behind everything that moves, and no sooner than after a time; nothing leaves the lane from then on. Only the first counts. */
  cut(afterMs: number, act: () => void): void;
  /** Nothing comes after what is in the lane. */
  end(): void;
  /** Sends on everything that waits, now. A cut that has not acted never does. */
  release(): void;
  /** What these rules hold waits no more, in its order. */
  endRules(ruleIds: readonly string[]): void;
  /** Drops what waits. */
  close(): void;
};

/** What a lane works with. */
export type ByteLaneOptions = {
  readonly clock: Clock;
  readonly send: (bytes: Uint8Array) => void;
  /** The last bytes are out, and no more will come. */
  readonly finish: () => void;
  /** Called whenever the number of bytes that wait has changed; many small pieces count for more than their bytes. */
  readonly waiting: (bytes: number) => void;
};

/** What keeping a piece costs besides its bytes: a sender of single bytes must not take more memory than another. */
const PIECE_BYTES = 128;

type Part = {
  bytes: Uint8Array;
  readyAtMs: number;
  readonly heldBy: readonly string[] | undefined;
  readonly sliceBytes: number;
  readonly everyMs: number;
  /** Only a cut has one. */
  readonly act: (() => void) | undefined;
};

const NO_BYTES = new Uint8Array();

/** Builds an empty lane. */
export function createByteLane({ clock, send, finish, waiting }: ByteLaneOptions): ByteLane {
  let parts: Part[] = [];
  let waitingBytes = 0;
  let freeAtMs = -Infinity;
  let timer: Cancel | undefined;
  let isCutting = false;
  let isEnding = false;
  let isOver = false;

  const over = (): void => {
    if (!isEnding || isOver) return;
    isOver = true;
    finish();
  };

  const stop = (): void => {
    timer?.();
    timer = undefined;
    parts = [];
    waitingBytes = 0;
  };

  /** Sends what is due, and comes back for the rest. */
  const advance = (): void => {
    timer = undefined;
    // Behind the loop, because taking parts off the front one by one would cost as much as there are.
    let gone = 0;
    for (let part = parts[0]; part !== undefined && !isOver; part = parts[gone]) {
      const dueMs = Math.max(part.readyAtMs, freeAtMs);
      const nowMs = clock.nowMs();
      if (dueMs > nowMs) {
        if (dueMs !== Infinity) timer = clock.schedule(dueMs - nowMs, advance);
        break;
      }
      if (part.act !== undefined) {
        isOver = true;
        stop();
        return part.act();
      }
      const slice = part.bytes.subarray(0, part.sliceBytes);
      part.bytes = part.bytes.subarray(slice.length);
      // A slice that is not full keeps the lane busy for its share: how fast bytes pass must not depend on how they were read.
      if (part.everyMs > 0) freeAtMs = dueMs + (part.everyMs * slice.length) / part.sliceBytes;
      waitingBytes -= slice.length;
      if (part.bytes.length === 0) {
        gone++;
        waitingBytes -= PIECE_BYTES;
      }
      send(slice);
      waiting(waitingBytes);
    }
    parts.splice(0, gone);
    if (parts.length === 0) over();
  };

  return {
    put(bytes, { afterMs, sliceBytes = Infinity, everyMs = 0, heldBy }) {
      if (isEnding || isOver || bytes.length === 0) return;
      const nowMs = clock.nowMs();
      if (parts.length === 0 && afterMs <= 0 && freeAtMs <= nowMs && bytes.length <= sliceBytes && everyMs === 0) return send(bytes);
      parts.push({ bytes, readyAtMs: nowMs + afterMs, heldBy, sliceBytes: Math.max(1, sliceBytes), everyMs, act: undefined });
      waitingBytes += bytes.length + PIECE_BYTES;
      waiting(waitingBytes);
      if (timer === undefined) advance();
    },
    cut(afterMs, act) {
      if (isCutting || isOver) return;
      isCutting = true;
      // What is held until a release would hold the cut back for ever.
      const held = parts.findIndex(({ readyAtMs }) => readyAtMs === Infinity);
      const part = { bytes: NO_BYTES, readyAtMs: clock.nowMs() + afterMs, heldBy: undefined, sliceBytes: Infinity, everyMs: 0, act };
      parts.splice(held === -1 ? parts.length : held, 0, part);
      if (timer === undefined) advance();
    },
    end() {
      isEnding = true;
      if (parts.length === 0) over();
    },
    release() {
      const all = parts;
      stop();
      isCutting = false;
      freeAtMs = -Infinity;
      for (const { bytes } of all) if (!isOver && bytes.length > 0) send(bytes);
      if (!isOver && all.length > 0) waiting(0);
      over();
    },
    endRules(ruleIds) {
      const held = parts.filter(({ heldBy }) => heldBy?.some((id) => ruleIds.includes(id)) === true);
      if (held.length === 0) return;
      for (const part of held) part.readyAtMs = -Infinity;
      timer?.();
      advance();
    },
    close() {
      isOver = true;
      stop();
    },
  };
}
