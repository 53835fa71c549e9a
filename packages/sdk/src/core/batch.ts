/**
 * Batches: several messages in one frame, as a JSON array (2025-03-26, and accepted by legacy servers since). Rules meet
 * the elements one by one; what no rule touches keeps its bytes, and so does the batch as a whole where none is touched. Pure.
 */
import { joinBytes } from './event-stream.js';
import { frameBytes, frameFromBytes, frameMessage, type Frame } from './frame.js';
import { elementSpans } from './json-head.js';

/** A larger array is nobody's batch: it passes as it is, so that no peer can make us work for one frame without end. */
export const MAX_BATCH_ELEMENTS = 10_000;

/** What goes on in the place of each element: the element itself, others, or nothing. */
export type BatchPlaces = readonly (readonly Frame[])[];

/** The messages of a batch. */
export type Batch = {
  readonly frame: Frame;
  readonly elements: readonly Frame[];
  /** Offsets of the elements in the bytes of the frame: from, to, from, to.. */
  readonly spans: readonly number[];
};

const COMMA = Uint8Array.of(0x2c);
const OPEN_BRACKET = 0x5b;

/** The batch that a frame is; undefined for every other frame, for an empty array, and for one that is too large to look into. */
export function batchOf(frame: Frame): Batch | undefined {
  const { bytes, isOpaque, direction } = frame;
  // A byte decides for nearly everything that is no batch.
  if (bytes === undefined || isOpaque || !startsLikeArray(bytes) || !Array.isArray(frameMessage(frame))) return undefined;
  const spans = elementSpans(bytes, MAX_BATCH_ELEMENTS);
  if (spans === undefined || spans.length === 0) return undefined;
  const elements: Frame[] = [];
  for (let at = 0; at < spans.length; at += 2) elements.push(frameFromBytes(direction, bytes.subarray(spans[at], spans[at + 1])));
  return { frame, elements, spans };
}

function startsLikeArray(bytes: Uint8Array): boolean {
  let at = 0;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return bytes[at] === OPEN_BRACKET;
}

/** True when every element is where it was. */
export function isUntouchedBatch({ elements }: Batch, places: BatchPlaces): boolean {
  return elements.every((element, index) => places[index]?.length === 1 && places[index][0] === element);
}

/** The batch with these frames in the places of its elements; undefined when nothing is left. What was between elements stays. */
export function rebuildBatch({ frame, spans }: Batch, places: BatchPlaces): Frame | undefined {
  const whole = frameBytes(frame);
  const parts: Uint8Array[] = [whole.subarray(0, spans[0])];
  places.forEach((frames, index) => {
    frames.forEach((one, ordinal) => {
      const isFirst = parts.length === 1;
      // The gap before an element belongs to it, but for the first that is left: it follows the bracket.
      if (!isFirst) parts.push(ordinal > 0 ? COMMA : whole.subarray(spans[2 * index - 1], spans[2 * index]));
      parts.push(frameBytes(one));
    });
  });
  if (parts.length === 1) return undefined;
  parts.push(whole.subarray(spans.at(-1)));
  return frameFromBytes(frame.direction, joinBytes(parts));
}

/** An array of these messages, for a batch that we put together. */
export function batchBytes(frames: readonly Frame[]): Uint8Array {
  const parts = frames.flatMap((frame, index) => (index === 0 ? [frameBytes(frame)] : [COMMA, frameBytes(frame)]));
  return joinBytes([Uint8Array.of(OPEN_BRACKET), ...parts, Uint8Array.of(0x5d)]);
}

/** Gathers what is sent while the elements of a batch are decided on, each in its place. One for each direction of a line. */
export type BatchSieve = {
  /** Takes a frame into the place at hand; false when no batch is being decided on. */
  take(frame: Frame): boolean;
  /** Decides on each element; `passes` says whether it goes on as it is. */
  sift(batch: Batch, passes: (element: Frame) => boolean): BatchPlaces;
};

/** Starts with no batch. */
export function createBatchSieve(): BatchSieve {
  let place: Frame[] | undefined;
  return {
    take(frame) {
      if (place === undefined) return false;
      place.push(frame);
      return true;
    },
    sift(batch, passes) {
      const outer = place;
      try {
        return batch.elements.map((element) => {
          const here: Frame[] = [];
          place = here;
          if (passes(element)) here.push(element);
          return here;
        });
      } finally {
        place = outer;
      }
    },
  };
}
