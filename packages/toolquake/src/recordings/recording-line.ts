/** The recording: full traffic, one JSON object per line, secrets taken out. What `record` writes and `replay` reads. */
import { isObject, type Direction, type MessageId } from '@toolquake/sdk/core';

/** Version of the format; a reader refuses what it does not know. */
export const RECORDING_VERSION = 1;

/** Longer lines are refused by readers, so they are never written. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

/** What every line has. `atMs` counts from the start of the run; `session` is one conversation. */
type LineStart = { readonly v: typeof RECORDING_VERSION; readonly atMs: number; readonly session: string };

/** A run begins. A file may hold several. */
export type RecordingStart = LineStart & {
  readonly kind: 'start';
  readonly transport: 'stdio';
  readonly startedAt: string;
};

/** Something went over the wire: a message as JSON text, text that is no message, or a note in place of it. */
export type RecordedTraffic = LineStart & {
  readonly direction: Direction;
  readonly message?: string;
  readonly opaque?: string;
  readonly note?: 'too large';
  /** Of a message that is only noted, when it could be read. */
  readonly id?: MessageId;
};

/** One line. */
export type RecordingLine = RecordingStart | RecordedTraffic;

/** True for the line that a run begins with. */
export const isStart = (line: RecordingLine): line is RecordingStart => 'kind' in line;

/** The text of a line, with its end. */
export function recordingText(line: RecordingLine): string {
  const text = `${JSON.stringify(line)}\n`;
  if (text.length <= MAX_LINE_CHARACTERS || isStart(line)) return text;
  const { message: _, opaque: __, ...rest } = line;
  return `${JSON.stringify({ ...rest, note: 'too large' })}\n`;
}

/** Reads a line; the text says what is wrong with it. */
export function parseRecordingLine(text: string): RecordingLine | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'is no JSON';
  }
  if (!isObject(value)) return 'is no JSON object';
  if (value['v'] === undefined) return 'has no version "v"';
  if (value['v'] !== RECORDING_VERSION) return `has version ${JSON.stringify(value['v'])}, and this Toolquake reads version 1`;
  const { atMs, session } = value;
  if (typeof atMs !== 'number' || !(atMs >= 0)) return 'needs "atMs", a number of at least 0';
  if (typeof session !== 'string') return 'needs "session", a text';
  const why = value['kind'] === 'start' ? undefined : whyNoTraffic(value);
  // Every member that is read was checked.
  return why ?? (value as unknown as RecordingLine);
}

function whyNoTraffic({ direction, message, opaque, note }: Readonly<Record<string, unknown>>): string | undefined {
  if (direction !== 'to-server' && direction !== 'to-client') return 'needs "direction": to-server or to-client';
  if (typeof message === 'string') return isJson(message) ? undefined : 'has a "message" that is no JSON';
  if (typeof opaque === 'string' || note === 'too large') return undefined;
  return 'needs "message", "opaque" or "note"';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
