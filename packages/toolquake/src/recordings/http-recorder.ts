/**
 * Turns HTTP requests and their answers into lines of a recording. Pure: bytes are handed in as they pass, and the clock
 * and the sink too. Ids of sessions become labels; requests leave their messages, and nothing of any other body.
 */
import {
  createEventFramer,
  eventData,
  frameFromBytes,
  frameHead,
  frameMessage,
  isObject,
  joinBytes,
  kindOfMessage,
  MAX_FRAME_BYTES,
  type Direction,
} from '@toolquake/sdk/core';
import { contentOf, createLineStamp, type RecorderOptions } from './recorder.js';
import { redactHeaders, redactPath } from './redact-http.js';
import { redactJson, redactText } from './redact.js';
import type { RecordedHttp } from './recording-line.js';

/** A client that makes up session ids must not grow our memory. */
const MAX_SESSIONS = 4096;

/** What is known of a request when it begins. Headers by name in lower case. */
export type AskedHttp = { readonly method: string; readonly path: string; readonly sessionId: string | undefined };

/** How an answer begins. */
export type AnsweredHttp = { readonly status: number; readonly headers: readonly string[] };

/** One request. Bytes are plain: whoever hands them in has undone their compression. */
export type ExchangeRecorder = {
  /** Bytes of the request's body; without bytes it is over. */
  ask(bytes?: Uint8Array): void;
  begin(head: AnsweredHttp): void;
  answer(bytes: Uint8Array): void;
  /** The answer is over; `by` names the side that broke it off. */
  end(by?: 'server' | 'client'): void;
};

/** Reads where a stream tells its client to post to (HTTP+SSE); undefined for every other event. */
export type EndpointReader = (event: Uint8Array, path: string) => string | undefined;

type Head = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly opensSession: boolean };

/** Builds a recorder for a proxy; every request gets one of its own. */
export function createHttpRecorder(
  options: RecorderOptions & { readonly endpointOf: EndpointReader },
): (asked: AskedHttp) => ExchangeRecorder {
  const { append, run, endpointOf } = options;
  const stamp = createLineStamp(options);
  const bySessionId = new Map<string, string>();
  const byEndpoint = new Map<string, string>();
  let sessions = 0;
  let exchanges = 0;

  const nextLabel = (): string => `${run}/${++sessions}`;
  const remember = (map: Map<string, string>, key: string, label: string): string => {
    map.set(key, label);
    if (map.size > MAX_SESSIONS) map.delete(map.keys().next().value!);
    return label;
  };

  return ({ method, path, sessionId }) => {
    const exchange = ++exchanges;
    const endpoint = byEndpoint.get(path);
    let session = endpoint ?? run;
    if (sessionId !== undefined) session = bySessionId.get(sessionId) ?? remember(bySessionId, sessionId, nextLabel());
    const shownPath = endpoint === undefined ? redactPath(path) : redactPath(path.split('?')[0]!);
    const asked = createGathering();
    const answered = createGathering();
    let hasMessage = false;
    let head: Head | undefined;
    let events: ReturnType<typeof createEventFramer> | undefined;

    const takeMessage = (direction: Direction, bytes: Uint8Array, isTooLarge: boolean): void => {
      const content = contentOf(direction, bytes, isTooLarge);
      if (content !== undefined) append({ ...stamp(session), direction, ...content, exchange });
    };
    const appendHead = ({ status, headers, opensSession }: Head, more: Partial<RecordedHttp> = {}): void =>
      append({
        ...stamp(session),
        kind: 'http',
        exchange,
        method,
        path: shownPath,
        status,
        headers,
        ...(opensSession ? { opensSession } : {}),
        ...more,
      });
    const takeEvent = (bytes: Uint8Array, part: string): void => {
      const data = part === 'whole' || part === 'start' ? eventData(bytes) : undefined;
      if (data === undefined) return;
      const posted = part === 'whole' && method === 'GET' ? endpointOf(bytes, path) : undefined;
      if (posted === undefined) return takeMessage('to-client', data, part === 'start');
      // The stream is a session of its own from here on.
      session = remember(byEndpoint, posted, nextLabel());
      append({ ...stamp(session), kind: 'announcement', exchange });
    };

    return {
      ask(bytes) {
        if (bytes !== undefined) return asked.push(bytes);
        if (method !== 'POST' || asked.isEmpty()) return;
        const whole = asked.take();
        const frame = frameFromBytes('to-server', whole.bytes, whole.isTooLarge);
        hasMessage = whole.isTooLarge ? frameHead(frame).method !== undefined : isConversation(frameMessage(frame));
        if (!hasMessage) return;
        if (sessionId === undefined && endpoint === undefined && frameHead(frame).method === 'initialize') session = nextLabel();
        takeMessage('to-server', whole.bytes, whole.isTooLarge);
      },
      begin({ status, headers }) {
        const given = rawValue(headers, 'mcp-session-id');
        const opensSession = given !== undefined && hasMessage && !bySessionId.has(given);
        if (opensSession) remember(bySessionId, given, session);
        head = { status, headers: redactHeaders(headers), opensSession };
        const type = head.headers['content-type']?.trimStart().toLowerCase() ?? '';
        if (type.startsWith('text/event-stream')) events = createEventFramer(MAX_FRAME_BYTES);
        if (events !== undefined) appendHead(head);
      },
      answer(bytes) {
        if (events === undefined) answered.push(bytes);
        else for (const block of events.push(bytes)) takeEvent(block.bytes, block.part);
      },
      end(by) {
        if (head !== undefined && events === undefined && by === undefined) {
          const { bytes, isTooLarge } = answered.take();
          // With HTTP+SSE a message is only acknowledged; the stream says the rest.
          if (endpoint !== undefined && head.status < 300) return;
          const isMessage = hasMessage && head.status === 200 && bytes.length > 0 && isJson(head, bytes);
          appendHead(head, isMessage ? {} : bodyOf(bytes, isTooLarge));
          if (isMessage) takeMessage('to-client', bytes, isTooLarge);
        }
        if (by !== undefined) append({ ...stamp(session), kind: 'end', exchange, by });
      },
    };
  };
}

/** Bytes up to the limit, and whether there were more. */
function createGathering() {
  let parts: Uint8Array[] = [];
  let total = 0;
  return {
    push(bytes: Uint8Array): void {
      if (total <= MAX_FRAME_BYTES) parts.push(bytes);
      total += bytes.length;
    },
    isEmpty: () => total === 0,
    take() {
      const bytes = joinBytes(parts);
      parts = [];
      return { bytes, isTooLarge: total > MAX_FRAME_BYTES };
    },
  };
}

function isConversation(value: unknown): boolean {
  const messages: unknown[] = Array.isArray(value) ? value : [value];
  return messages.some((message) => isObject(message) && kindOfMessage(message) !== 'other');
}

function isJson({ headers }: Head, bytes: Uint8Array): boolean {
  return /json/i.test(headers['content-type'] ?? '') || bytes[0] === 0x7b || bytes[0] === 0x5b;
}

function bodyOf(bytes: Uint8Array, isTooLarge: boolean): Partial<RecordedHttp> {
  if (isTooLarge) return { note: 'too large' };
  if (bytes.length === 0) return {};
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { body: /^\s*[[{]/.test(text) ? redactJson(text) : redactText(text) };
  } catch {
    return { body: Buffer.from(bytes).toString('base64'), isBase64: true };
  }
}

function rawValue(headers: readonly string[], name: string): string | undefined {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === name);
  return at === -1 ? undefined : headers[at + 1];
}
