/**
 * Cuts a byte stream into lines without ever changing it: whatever the sink does not claim is passed on as the very
 * slices that came in, neighbours together. Pure; knows nothing of JSON. `\r` belongs to the line, `\n` does not.
 */

const NEWLINE = 0x0a;

/** What the sink says about a line: pass it on with its neighbours, or leave it out because the sink takes care of it. */
export type LineVerdict = 'pass' | 'taken';

/** Where a framer reports to. */
export type LineSink = {
  /**
   * Asked at the start of every line: is it worth looking at? A line that is not is streamed on piece by piece,
   * however long it is, and costs a search for its end.
   */
  wants(): boolean;
  /** A whole line without its delimiter. */
  line(bytes: Uint8Array): LineVerdict;
  /** A line that outgrew the limit, by its first bytes; the verdict goes for all of it. */
  oversized(prefix: Uint8Array): LineVerdict;
  /** Bytes to send on. `isLineEnd` is false while a line is unfinished: nothing else may go in between. */
  pass(bytes: Uint8Array, isLineEnd: boolean): void;
};

/** See the module comment. */
export type LineFramer = {
  push(chunk: Uint8Array): void;
  /** The stream ended: an unterminated last line is a line too. */
  end(): void;
  /** Passes on what was found good so far. Whoever writes to the same destination calls this first. */
  flush(): void;
};

/** How much of an oversized line the sink gets to see. */
const PREFIX_BYTES = 64 * 1024;

/** Builds a framer. Lines over `maxFrameBytes` are never kept in memory as a whole. */
export function createLineFramer(sink: LineSink, maxFrameBytes: number): LineFramer {
  /** Pieces of an unfinished line that the sink wants to see whole. */
  let pieces: Uint8Array[] = [];
  let pieceBytes = 0;
  /** What happens to the rest of a line whose fate is known before its end. */
  let fate: 'undecided' | 'stream' | 'discard' = 'undecided';
  let isAtLineStart = true;
  let chunk: Uint8Array | undefined;
  let runFrom = 0;
  let runTo = 0;

  /** Sends the lines of this chunk that were found good, as one slice. */
  const flush = (): void => {
    if (chunk === undefined || runTo === runFrom) return;
    const run = runFrom === 0 && runTo === chunk.length ? chunk : chunk.subarray(runFrom, runTo);
    runFrom = runTo;
    sink.pass(run, true);
  };

  const passPieces = (isLineEnd: boolean): void => {
    const kept = pieces;
    pieces = [];
    pieceBytes = 0;
    kept.forEach((piece, index) => sink.pass(piece, isLineEnd && index === kept.length - 1));
  };

  /** The line outgrew the limit: its fate is decided by its beginning. */
  const decideByPrefix = (isLineEnd: boolean): void => {
    if (sink.oversized(join(pieces, Math.min(pieceBytes, PREFIX_BYTES))) === 'pass') {
      fate = 'stream';
      passPieces(isLineEnd);
    } else {
      fate = 'discard';
      pieces = [];
      pieceBytes = 0;
    }
  };

  const keep = (piece: Uint8Array): void => {
    pieces.push(piece);
    pieceBytes += piece.length;
  };

  /** The end of a line that began in an earlier chunk. `tail` includes the newline. */
  const finishLine = (tail: Uint8Array): void => {
    if (fate === 'stream') return sink.pass(tail, true);
    if (fate === 'discard') return;
    keep(tail);
    if (pieceBytes - 1 > maxFrameBytes) return decideByPrefix(true);
    if (sink.line(join(pieces, pieceBytes - 1)) === 'pass') passPieces(true);
    pieces = [];
    pieceBytes = 0;
  };

  const continueLine = (piece: Uint8Array): void => {
    if (fate === 'stream') return sink.pass(piece, false);
    if (fate === 'discard') return;
    keep(piece);
    if (pieceBytes > maxFrameBytes) decideByPrefix(false);
  };

  const judge = (line: Uint8Array): LineVerdict =>
    line.length > maxFrameBytes ? sink.oversized(line.subarray(0, PREFIX_BYTES)) : sink.line(line);

  return {
    push(bytes) {
      if (bytes.length === 0) return;
      let from = 0;
      if (!isAtLineStart) {
        const newline = bytes.indexOf(NEWLINE);
        if (newline === -1) return continueLine(bytes);
        finishLine(bytes.subarray(0, newline + 1));
        from = newline + 1;
        isAtLineStart = true;
      }
      chunk = bytes;
      runFrom = runTo = from;
      for (let newline; (newline = bytes.indexOf(NEWLINE, from)) !== -1; from = newline + 1) {
        // The run grows by this line only after the sink let it: what the sink writes meanwhile comes before it.
        const isPassed = !sink.wants() || judge(bytes.subarray(from, newline)) === 'pass';
        if (isPassed) runTo = newline + 1;
        else {
          flush();
          runFrom = runTo = newline + 1;
        }
      }
      isAtLineStart = from === bytes.length;
      if (isAtLineStart || sink.wants()) {
        flush();
        chunk = undefined;
        fate = 'undecided';
        if (!isAtLineStart) continueLine(from === 0 ? bytes : bytes.subarray(from));
      } else {
        chunk = undefined;
        fate = 'stream';
        // The run and the beginning of the next line leave in one write.
        sink.pass(runFrom === 0 ? bytes : bytes.subarray(runFrom), false);
      }
    },
    end() {
      if (!isAtLineStart && fate === 'undecided' && sink.line(join(pieces, pieceBytes)) === 'pass') passPieces(false);
      isAtLineStart = true;
      pieces = [];
    },
    flush,
  };
}

/** The first `length` bytes of the pieces, without copying where there is one piece only. */
function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && first.length >= length) return first.subarray(0, length);
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces) {
    const part = piece.length > length - at ? piece.subarray(0, length - at) : piece;
    whole.set(part, at);
    at += part.length;
    if (at === length) break;
  }
  return whole;
}
