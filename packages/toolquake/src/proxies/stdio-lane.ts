/**
 * One direction of a stdio conversation: keeps lines whole and in a legal order, and never lets one side outrun the
 * other. Relayed bytes, frames of our own and paced slices all leave through here.
 */
import type { Readable, Writable } from 'node:stream';

const NEWLINE = Buffer.from('\n');

/** Lines that wait behind an unfinished one; beyond this the source is paused. */
const MAX_QUEUED_BYTES = 256 * 1024;

/** Up to this size one copied write is cheaper than two writes. */
const MAX_COPIED_BYTES = 64 * 1024;

/** See the module comment. */
export type Lane = {
  /** Relays bytes of the source. */
  pass(bytes: Uint8Array, isLineEnd: boolean): void;
  /** Says a whole line that is not in the source's stream at this point. `token` may have been announced by `expect`. */
  say(bytes: Uint8Array, token: object): void;
  /** Says a part of a line; until the last part everything else waits. */
  slice(bytes: Uint8Array, isLast: boolean, token: object): void;
  /** Announces something that will be said later: the end waits for it. */
  expect(token: object): void;
  /** Nothing more comes from the source: ends the destination once everything due was said. */
  end(): void;
  /** Drops everything, now and from now on. */
  close(): void;
  readonly isClosed: boolean;
  /** Resolves when `end` has done its work, or the lane was closed. */
  readonly ended: Promise<void>;
  /** Keeps the source from being read while another lane is full of what we said because of it. */
  holdWhileFull(other: Lane): void;
  whenNotFull(callback: () => void): boolean;
};

/** What a lane runs between. */
export type LaneOptions = {
  readonly source: Readable;
  readonly destination: Writable;
  /** Passes on what the framer of the source found good so far: whatever we say comes after it. */
  readonly flush: () => void;
  /** Called once, when everything due was said after `end`. */
  readonly finish: () => void;
};

/** Builds a lane. Its errors are those of a peer that went away: they close it and nothing else. */
export function createLane({ source, destination, flush, finish }: LaneOptions): Lane {
  /** Who is in the middle of a line. */
  let owner: object | undefined;
  let queue: { readonly owner: object; readonly bytes: Uint8Array; readonly isLast: boolean }[] = [];
  let queuedBytes = 0;
  let isFull = false;
  let holds = 0;
  let isEnding = false;
  let isClosed = false;
  let lacksNewline = false;
  const expected = new Set<object>();
  let drained: (() => void)[] = [];
  let markEnded: () => void = () => {};
  const ended = new Promise<void>((resolve) => (markEnded = resolve));

  const steer = (): void => {
    const isHeld = isFull || holds > 0 || queuedBytes > MAX_QUEUED_BYTES;
    if (isHeld === source.isPaused()) return;
    if (isHeld) source.pause();
    else source.resume();
  };

  const write = (bytes: Uint8Array): void => {
    if (bytes.length === 0 || destination.write(bytes) || isFull) return;
    isFull = true;
    steer();
  };

  const onDrain = (): void => {
    isFull = false;
    const callbacks = drained;
    drained = [];
    for (const callback of callbacks) callback();
    steer();
  };

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    queue = [];
    queuedBytes = 0;
    expected.clear();
    onDrain();
    markEnded();
  };

  const endIfDone = (): void => {
    if (!isEnding || isClosed || owner !== undefined || expected.size > 0) return;
    finish();
    close();
  };

  /** Takes what may go next: the owner's next part, or the first in the queue when nobody is in the middle of a line. */
  const drainQueue = (): void => {
    while (queue.length > 0) {
      const index = owner === undefined ? 0 : queue.findIndex((item) => item.owner === owner);
      const [item] = index === -1 ? [] : queue.splice(index, 1);
      if (item === undefined) break;
      queuedBytes -= item.bytes.length;
      owner = item.isLast ? undefined : item.owner;
      write(item.bytes);
    }
    steer();
  };

  const put = (by: object, bytes: Uint8Array, isLast: boolean): void => {
    if (isClosed) return;
    if (owner !== undefined && owner !== by) {
      queue.push({ owner: by, bytes, isLast });
      queuedBytes += bytes.length;
      return steer();
    }
    owner = isLast ? undefined : by;
    write(bytes);
    if (isLast && queue.length > 0) drainQueue();
  };

  /** Before bytes of our own: first what came before them, then the newline that an unterminated last line never got. */
  const makeRoom = (): void => {
    flush();
    if (!lacksNewline) return;
    lacksNewline = false;
    put(NEWLINE, NEWLINE, true);
  };

  destination.on('drain', onDrain);
  destination.on('error', () => {
    close();
    // The writer learns that nobody listens, as it would without us.
    source.destroy();
  });

  const lane: Lane = {
    pass: (bytes, isLineEnd) => put(source, bytes, isLineEnd),
    say(bytes, token) {
      makeRoom();
      const isCopied = bytes.length <= MAX_COPIED_BYTES;
      put(token, isCopied ? withNewline(bytes) : bytes, isCopied);
      if (!isCopied) put(token, NEWLINE, true);
      expected.delete(token);
      endIfDone();
    },
    slice(bytes, isLast, token) {
      makeRoom();
      put(token, isLast ? withNewline(bytes) : bytes, isLast);
      if (isLast) expected.delete(token);
      else expected.add(token);
      endIfDone();
    },
    expect: (token) => void expected.add(token),
    end() {
      isEnding = true;
      const tail = queue.findLast((item) => item.owner === source);
      if (tail === undefined ? owner === source : !tail.isLast) {
        // An unterminated last line is over now.
        lacksNewline = true;
        put(source, new Uint8Array(0), true);
      }
      endIfDone();
    },
    close,
    get isClosed() {
      return isClosed;
    },
    ended,
    holdWhileFull(other) {
      const isWaiting = other.whenNotFull(() => {
        holds--;
        steer();
      });
      if (!isWaiting) return;
      holds++;
      steer();
    },
    whenNotFull(callback) {
      if (isFull) drained.push(callback);
      return isFull;
    },
  };
  return lane;
}

function withNewline(bytes: Uint8Array): Uint8Array {
  const line = Buffer.allocUnsafe(bytes.length + 1);
  line.set(bytes);
  line[bytes.length] = 0x0a;
  return line;
}
