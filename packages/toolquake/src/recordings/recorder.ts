/** Turns frames into lines of a recording. Pure: the clock and the sink are handed in. */
import { frameFromBytes, frameHead, frameMessage, MAX_FRAME_BYTES, type Clock, type Direction } from '@toolquake/sdk/core';
import { RECORDING_VERSION, type RecordedTraffic, type RecordingLine } from './recording-line.js';
import { redactJson, redactText } from './redact.js';

/** What is no message is kept for the reader, not for replay. */
const MAX_OPAQUE_CHARACTERS = 16 * 1024;

/** What a recorder is made from. */
export type RecorderOptions = {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly transport: 'stdio' | 'http';
  /** Tells this run from others that append to the same file. */
  readonly run: string;
  readonly startedAt: string;
  readonly append: (line: RecordingLine) => void;
};

/** One frame that went by. */
export type SeenFrame = {
  readonly direction: Direction;
  readonly bytes: Uint8Array;
  /** Only its first bytes are here. */
  readonly isTooLarge?: boolean;
};

/** Takes note of frames. Never throws because of what is in them. */
export type Recorder = (frame: SeenFrame) => void;

/** Builds a recorder; the start of the run is written with the first frame. */
export function createRecorder(options: RecorderOptions): Recorder {
  const stamp = createLineStamp(options);
  return ({ direction, bytes, isTooLarge }) => {
    const line = stamp(options.run);
    const content = contentOf(direction, bytes, isTooLarge === true || bytes.length > MAX_FRAME_BYTES);
    if (content !== undefined) options.append({ ...line, direction, ...content });
  };
}

/** What every line begins with. The first one is preceded by the start of the run. */
export function createLineStamp({ clock, transport, run, startedAt, append }: RecorderOptions) {
  const startedAtMs = clock.nowMs();
  let hasStarted = false;
  return (session: string) => {
    if (!hasStarted) append({ v: RECORDING_VERSION, kind: 'start', atMs: 0, session: run, transport, startedAt });
    hasStarted = true;
    // A tenth of a millisecond is finer than any timer that will replay it.
    const atMs = Math.max(0, Math.round((clock.nowMs() - startedAtMs) * 10) / 10);
    return { v: RECORDING_VERSION, atMs, session } as const;
  };
}

type Content = Pick<RecordedTraffic, 'message' | 'opaque' | 'note' | 'id'>;

/** What a line says of a frame: undefined for an empty one. */
export function contentOf(direction: Direction, bytes: Uint8Array, isTooLarge: boolean): Content | undefined {
  const frame = frameFromBytes(direction, bytes, isTooLarge);
  const { id } = frameHead(frame);
  if (isTooLarge) return { note: 'too large', ...(id === undefined ? {} : { id }) };
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  if (frameMessage(frame) !== undefined) return { message: redactJson(text) };
  return text.trim() === '' ? undefined : { opaque: redactText(text.slice(0, MAX_OPAQUE_CHARACTERS)) };
}
