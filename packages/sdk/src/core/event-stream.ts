/**
 * The event-stream format (Server-Sent Events) as blocks of bytes. Pure: chunks in, blocks out. The blocks of a stream,
 * joined, are the stream again, byte for byte, whatever the chunking and whichever line ends it uses.
 */

/** One event with its closing blank line; comments and priming events are blocks too. */
export type EventBlock = {
  readonly bytes: Uint8Array;
  /** `whole` is a complete event. An event over the limit comes as `start`, `more`.., `end`; `rest` is what a cut stream left. */
  readonly part: 'whole' | 'start' | 'more' | 'end' | 'rest';
};

/** Cuts one stream into blocks. */
export type EventFramer = {
  push(chunk: Uint8Array): readonly EventBlock[];
  /** What came after the last blank line, when the stream ends. */
  end(): EventBlock | undefined;
};

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const NO_BYTES = new Uint8Array(0);
const encoder = new TextEncoder();

/** A framer for one stream. Events over `maxBytes` come in parts, so that no server can grow our memory. */
export function createEventFramer(maxBytes: number): EventFramer {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let isInParts = false;
  let isLineEmpty = true;
  /** The last chunk ended with a CR: a LF that opens the next one belongs to it. */
  let isAfterCr = false;

  const take = (piece: Uint8Array): Uint8Array => {
    if (waiting.length === 0) return piece;
    const bytes = joinBytes([...waiting, piece]);
    waiting = [];
    waitingBytes = 0;
    return bytes;
  };

  const keep = (piece: Uint8Array, blocks: EventBlock[]): void => {
    if (isInParts) {
      blocks.push({ bytes: piece, part: 'more' });
    } else if (waitingBytes + piece.length > maxBytes) {
      isInParts = true;
      blocks.push({ bytes: take(piece), part: 'start' });
    } else {
      waiting.push(piece);
      waitingBytes += piece.length;
    }
  };

  return {
    push(chunk) {
      const blocks: EventBlock[] = [];
      let blockAt = 0;
      let lineAt = isAfterCr && chunk[0] === LF ? 1 : 0;
      if (chunk.length > 0) isAfterCr = false;
      // Searching for both line ends is native; walking byte by byte would be most of a large event's cost.
      let lf = chunk.indexOf(LF, lineAt);
      let cr = chunk.indexOf(CR, lineAt);
      while (lf !== -1 || cr !== -1) {
        const isCr = cr !== -1 && (lf === -1 || cr < lf);
        const lineEnd = isCr ? cr : lf;
        let next = lineEnd + 1;
        if (isCr && chunk[next] === LF) next++;
        else if (isCr && next === chunk.length) isAfterCr = true;
        if (isLineEmpty && lineEnd === lineAt) {
          blocks.push({ bytes: take(chunk.subarray(blockAt, next)), part: isInParts ? 'end' : 'whole' });
          isInParts = false;
          blockAt = next;
        }
        isLineEmpty = true;
        lineAt = next;
        if (lf !== -1 && lf < next) lf = chunk.indexOf(LF, next);
        if (cr !== -1 && cr < next) cr = chunk.indexOf(CR, next);
      }
      if (lineAt < chunk.length) isLineEmpty = false;
      if (blockAt < chunk.length) keep(chunk.subarray(blockAt), blocks);
      return blocks;
    },
    end() {
      return waiting.length === 0 ? undefined : { bytes: take(NO_BYTES), part: 'rest' };
    },
  };
}

/** The payload of a block: its data lines joined by line feeds; undefined for comments and priming events. */
export function eventData(block: Uint8Array): Uint8Array | undefined {
  const lines: Uint8Array[] = [];
  for (const line of linesOf(block)) if (isData(line)) lines.push(dataOf(line));
  if (lines.length === 1) return lines[0]!.length === 0 ? undefined : lines[0];
  return lines.length === 0 ? undefined : joinBytes(lines.flatMap((line, index) => (index === 0 ? [line] : [Uint8Array.of(LF), line])));
}

/** True when the event has an id, which a client can ask for the rest of the stream with. */
export function hasEventId(block: Uint8Array): boolean {
  for (const line of linesOf(block)) if (line[0] === 0x69 && line[1] === 0x64 && (line.length === 2 || line[2] === COLON)) return true;
  return false;
}

/** A whole event with this payload; `like` is the event that it takes the place of. */
export function encodeEvent(payload: Uint8Array, like?: Uint8Array): Uint8Array {
  return joinBytes([eventOpening(like), eventPayload(payload), EVENT_END]);
}

/** What goes before the payload: id, event and retry lines of `like`, the event that this one takes the place of. */
export function eventOpening(like: Uint8Array | undefined): Uint8Array {
  if (like === undefined) return encoder.encode('event: message\ndata: ');
  const kept = [...linesOf(like)].filter((line) => line.length > 0 && !isData(line));
  return joinBytes([...kept.flatMap((line) => [line, Uint8Array.of(LF)]), encoder.encode('data: ')]);
}

/** Some bytes of a payload as they stand in a stream: a line feed opens another data line. */
export function eventPayload(slice: Uint8Array): Uint8Array {
  if (!slice.includes(LF)) return slice;
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = slice.indexOf(LF); at !== -1; at = slice.indexOf(LF, from)) {
    parts.push(slice.subarray(from, at), encoder.encode('\ndata: '));
    from = at + 1;
  }
  return joinBytes([...parts, slice.subarray(from)]);
}

/** What goes after the payload. */
export const EVENT_END: Uint8Array = encoder.encode('\n\n');

/** A comment that keeps a stream alive and says nothing. */
export const HEARTBEAT: Uint8Array = encoder.encode(': keepalive\n\n');

/** One array from several. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function* linesOf(block: Uint8Array): Generator<Uint8Array> {
  // The second half of a CR LF whose first half closed the block before.
  let from = block[0] === LF ? 1 : 0;
  // A byte order mark may open the stream.
  if (block[from] === 0xef && block[from + 1] === 0xbb && block[from + 2] === 0xbf) from += 3;
  for (let at = from; at < block.length; at++) {
    if (block[at] !== LF && block[at] !== CR) continue;
    yield block.subarray(from, at);
    if (block[at] === CR && block[at + 1] === LF) at++;
    from = at + 1;
  }
  // The start of an oversize block ends inside a line.
  if (from < block.length) yield block.subarray(from);
}

function isData(line: Uint8Array): boolean {
  const isNamed = line[0] === 0x64 && line[1] === 0x61 && line[2] === 0x74 && line[3] === 0x61;
  return isNamed && (line.length === 4 || line[4] === COLON);
}

function dataOf(line: Uint8Array): Uint8Array {
  return line.subarray(line[5] === SPACE ? 6 : 5);
}
