/**
 * A frame: one unit off the wire. It keeps its original bytes until somebody edits it, and it reads and parses
 * them only when asked: live transports hand over bytes, the simulator hands over messages and never serialises.
 */
import { readJsonHead, type JsonHead } from './json-head.js';
import { numberSpelling, stringifyLike, type NumberSpelling } from './number-spelling.js';
import { kindOfMessage, isObject, toolOf, type Direction, type JsonObject, type MessageId } from './message.js';

/** Frames over this size are opaque: streamed on, never parsed. */
export const MAX_FRAME_BYTES: number = 8 * 1024 * 1024;

/** Use the functions of this module to look inside: the members beyond `direction` fill in lazily. */
export type Frame = {
  readonly direction: Direction;
  /** True for a frame over the size limit: its bytes are a prefix and it cannot be edited. */
  readonly isOpaque: boolean;
  bytes: Uint8Array | undefined;
  message: unknown;
  isParsed: boolean;
  head: JsonHead | undefined;
  /** What it was edited from: its numbers are written as they were spelled there. */
  readonly editedFrom: Uint8Array | undefined;
};

const encoder = new TextEncoder();
// A byte order mark stays visible, so that JSON.parse refuses it as both peers would.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A frame as it came off a wire, without its delimiter. */
export function frameFromBytes(direction: Direction, bytes: Uint8Array, isOpaque = false): Frame {
  return { direction, isOpaque, bytes, message: undefined, isParsed: false, head: undefined, editedFrom: undefined };
}

/** A frame that we made, or that the simulator passes around. */
export function frameFromMessage(direction: Direction, message: unknown, head?: JsonHead): Frame {
  return { direction, isOpaque: false, bytes: undefined, message, isParsed: true, head, editedFrom: undefined };
}

/** A new frame in the same direction with another message. The original frame stays as it is. */
export function editFrame(frame: Frame, message: unknown): Frame {
  return { ...frameFromMessage(frame.direction, message), editedFrom: frame.editedFrom ?? frame.bytes };
}

/** The bytes to send: the original ones, or those of the message for a frame that we made. No delimiter. */
export function frameBytes(frame: Frame): Uint8Array {
  frame.bytes ??= encoder.encode(stringifyLike(frame.message, spellingOf(frame)));
  return frame.bytes;
}

function spellingOf({ editedFrom }: Frame): NumberSpelling | undefined {
  if (editedFrom === undefined) return undefined;
  try {
    return numberSpelling(decoder.decode(editedFrom));
  } catch {
    // No text, so there were no numbers in it.
    return undefined;
  }
}

/** The parsed message; undefined when the bytes are not JSON (or not UTF-8, or too large to parse). */
export function frameMessage(frame: Frame): unknown {
  if (!frame.isParsed) {
    frame.isParsed = true;
    if (!frame.isOpaque && frame.bytes !== undefined) {
      try {
        frame.message = JSON.parse(decoder.decode(frame.bytes));
      } catch {
        frame.message = undefined;
      }
    }
  }
  return frame.message;
}

/** The parsed message when it is an object. */
export function frameObject(frame: Frame): JsonObject | undefined {
  const message = frameMessage(frame);
  return isObject(message) ? message : undefined;
}

/** Kind, id, method and tool, by the cheapest way there is. */
export function frameHead(frame: Frame): JsonHead {
  // Bytes decide where there are any, parsed or not: the head must not depend on who looked first.
  frame.head ??= frame.bytes === undefined ? headOfMessage(frame.message) : headOfBytes(frame.bytes, frame.isOpaque);
  return frame.head;
}

function headOfBytes(bytes: Uint8Array, isOpaque: boolean): JsonHead {
  const head = readJsonHead(bytes);
  // A prefix of something large tells what it can; a whole frame that breaks off is no message to anybody.
  return head.isComplete || isOpaque ? head : { kind: 'other', id: undefined, method: undefined, tool: undefined, isComplete: false };
}

function headOfMessage(message: unknown): JsonHead {
  const kind = kindOfMessage(message);
  const object = isObject(message) ? message : undefined;
  const method = object?.['method'];
  return {
    kind,
    id: object !== undefined && 'id' in object ? idOf(object['id']) : undefined,
    method: typeof method === 'string' ? method : undefined,
    tool: kind === 'request' || kind === 'notification' ? toolOf(object) : undefined,
    isComplete: true,
  };
}

function idOf(value: unknown): MessageId | undefined {
  return typeof value === 'string' || typeof value === 'number' || value === null ? value : undefined;
}
