/** The recording: full traffic, one JSON object per line, secrets taken out. What `record` writes and `replay` reads. */
import { isObject, type Direction, type JsonObject, type MessageId } from '@toolquake/sdk/core';

/** Version of the format; a reader refuses what it does not know. */
export const RECORDING_VERSION = 1;

/** Longer lines are refused by readers, so they are never written. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

/** What every line has. `atMs` counts from the start of the run; `session` is one conversation. */
type LineStart = { readonly v: typeof RECORDING_VERSION; readonly atMs: number; readonly session: string };

/** A run begins. A file may hold several. */
export type RecordingStart = LineStart & {
  readonly kind: 'start';
  readonly transport: 'stdio' | 'http';
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
  /** The HTTP request that carried it, or whose answer did; counted within a run. */
  readonly exchange?: number;
};

/** An HTTP answer begins. Messages in it follow as traffic; what holds no message is in `body`. */
export type RecordedHttp = LineStart & {
  readonly kind: 'http';
  readonly exchange: number;
  readonly method: string;
  /** Path and query, without secrets and without the id of a session. */
  readonly path: string;
  readonly status: number;
  /** Names in lower case; only those that tell a client what to do. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `body` is base64: the bytes are no text. */
  readonly isBase64?: boolean;
  /** The server gave the session an id here. */
  readonly opensSession?: boolean;
  /** The body is not here. */
  readonly note?: 'too large';
};

/** HTTP+SSE: the stream of this answer told its client where to post to. */
export type RecordedAnnouncement = LineStart & { readonly kind: 'announcement'; readonly exchange: number };

/** An HTTP answer ended in another way than with its last byte. */
export type RecordedEnd = LineStart & { readonly kind: 'end'; readonly exchange: number; readonly by: 'server' | 'client' };

/** One line. */
export type RecordingLine = RecordingStart | RecordedTraffic | RecordedHttp | RecordedAnnouncement | RecordedEnd;

/** True for the line that a run begins with. */
export const isStart = (line: RecordingLine): line is RecordingStart => 'kind' in line && line.kind === 'start';

/** True for a line that carries a message, or what is left of one. */
export const isTraffic = (line: RecordingLine): line is RecordedTraffic => !('kind' in line);

/** The text of a line, with its end. */
export function recordingText(line: RecordingLine): string {
  const text = `${JSON.stringify(line)}\n`;
  if (text.length <= MAX_LINE_CHARACTERS) return text;
  const { message: _, opaque: __, body: ___, ...rest } = line as RecordedTraffic & RecordedHttp;
  return `${JSON.stringify({ ...rest, note: 'too large' })}\n`;
}

/** Reads a line; the text says what is wrong with it. */
export function parseRecordingLine(text: string): RecordingLine | string {
  const value = parseObjectLine(text);
  if (typeof value === 'string') return value;
  if (value['v'] === undefined) return 'has no version "v"';
  if (value['v'] !== RECORDING_VERSION) return `has version ${JSON.stringify(value['v'])}, and this Toolquake reads version 1`;
  const { atMs, session, kind } = value;
  if (typeof atMs !== 'number' || !(atMs >= 0)) return 'needs "atMs", a number of at least 0';
  if (typeof session !== 'string') return 'needs "session", a text';
  // Every member that is read was checked.
  return whyBad(kind, value) ?? (value as unknown as RecordingLine);
}

/** The object on a line of any of our files; the text says why there is none. */
export function parseObjectLine(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : 'is no JSON object';
  } catch {
    return 'is no JSON';
  }
}

/**
 * True for what a killed run leaves behind: the beginning of a line, and no more. Anything else that cannot be read was
 * damaged in another way, and nobody can tell what is missing.
 */
export function isTornLine(text: string): boolean {
  const isOurs = text.length < LINE_OPENING.length ? LINE_OPENING.startsWith(text) : text.startsWith(LINE_OPENING);
  return isOurs && !isJson(text);
}

const LINE_OPENING = `{"v":${RECORDING_VERSION},`;

function whyBad(kind: unknown, value: Readonly<Record<string, unknown>>): string | undefined {
  switch (kind) {
    case 'start':
      return undefined;
    case 'http':
      return whyNoHttp(value);
    case 'announcement':
      return whyNoExchange(value);
    case 'end':
      return whyNoExchange(value) ?? (value['by'] === 'server' || value['by'] === 'client' ? undefined : 'needs "by": server or client');
    case undefined:
      return whyNoTraffic(value);
    default:
      return `has an unknown "kind": ${JSON.stringify(kind).slice(0, 40)}`;
  }
}

function whyNoTraffic({ direction, message, opaque, note, id, exchange }: Readonly<Record<string, unknown>>): string | undefined {
  if (direction !== 'to-server' && direction !== 'to-client') return 'needs "direction": to-server or to-client';
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') return 'has an "id" that is no text or number';
  if (exchange !== undefined) return whyNoExchange({ exchange }) ?? whyNoTraffic({ direction, message, opaque, note });
  if (![message, opaque].every((text) => text === undefined || typeof text === 'string'))
    return 'has a "message" or "opaque" that is no text';
  if (typeof message === 'string') return isJson(message) ? undefined : 'has a "message" that is no JSON';
  if (typeof opaque === 'string' || note === 'too large') return undefined;
  return 'needs "message", "opaque" or "note"';
}

function whyNoHttp(value: Readonly<Record<string, unknown>>): string | undefined {
  const { method, path, status, headers, body } = value;
  if (typeof method !== 'string' || typeof path !== 'string') return 'needs "method" and "path", two texts';
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return 'needs "status", from 200 to 599';
  const isHeaders = isObject(headers) && Object.entries(headers).every(([name, text]) => isHeader(name, text));
  if (!isHeaders) return 'needs "headers", names with their texts';
  if (body !== undefined && typeof body !== 'string') return 'has a "body" that is no text';
  return whyNoExchange(value);
}

/** What Node would refuse to send must not get that far. */
function isHeader(name: string, text: unknown): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && typeof text === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}

function whyNoExchange({ exchange }: Readonly<Record<string, unknown>>): string | undefined {
  return Number.isSafeInteger(exchange) ? undefined : 'needs "exchange", a whole number';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
