/**
 * Takes secrets out of a message before it is written down. What counts as a secret is decided in one place, for the
 * journal too (`isSecretName`, `writableValue`); here it is applied to whole messages, which must stay good messages.
 */
import {
  editFrame,
  frameBytes,
  frameFromBytes,
  frameMessage,
  isObject,
  isSecretName,
  REDACTED,
  writableValue,
  type JsonObject,
} from '@toolquake/sdk/core';

/** What ties messages together and only sounds like a secret, by the one place where each does; elsewhere it is data. */
const ENVELOPE_TIES = new Set(['jsonrpc', 'id', 'method']);
const PARAMS_TIES = new Set(['requestId', 'progressToken']);
const META_TIES = new Set(['progressToken', 'io.modelcontextprotocol/subscriptionId']);
/** Inside a schema, members of `properties` are names of arguments, not arguments. */
const SCHEMAS = new Set(['inputSchema', 'outputSchema', 'requestedSchema']);
/** Where a schema carries values after all. */
const SCHEMA_VALUES = new Set(['default', 'const', 'enum', 'example', 'examples']);
/** Deeper than any real message; what lies below is not worth a stack overflow. */
const MAX_DEPTH = 256;
/** The journal's search looks this far into a text, so longer lines are looked at in windows that overlap. */
const WINDOW = 1024;
const STEP = 768;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** How the value at hand is to be read. */
type Place = { readonly isSecret: boolean; readonly isSchema: boolean; readonly depth: number; readonly within: string };

/** A message without its secrets. The very same value when there are none. */
export function redactValue(value: unknown): unknown {
  return redactAt(value, { isSecret: false, isSchema: false, depth: 0, within: '' });
}

/** The text of a JSON message without its secrets: untouched where there are none, numbers spelled as they came. */
export function redactJson(text: string): string {
  const frame = frameFromBytes('to-client', Buffer.from(text));
  const message = frameMessage(frame);
  if (message === undefined) return redactText(text);
  const redacted = redactValue(message);
  return redacted === message ? text : Buffer.from(frameBytes(editFrame(frame, redacted))).toString();
}

/** A text without its secrets: a line that holds one goes as a whole, or the part of it that holds it when it is long. */
export function redactText(text: string): string {
  const lines = text.replaceAll(PRIVATE_KEY, REDACTED).split('\n');
  return lines.map((line) => (line.length <= WINDOW ? redactLine(line) : redactLong(line))).join('\n');
}

const redactLine = (line: string): string => (holdsSecret(line) ? REDACTED : line);

function holdsSecret(text: string): boolean {
  // What was redacted already is no value any more: "token: [redacted]" must not count as one.
  return writableValue(text.replaceAll(REDACTED, ',')) === REDACTED;
}

function redactLong(line: string): string {
  const parts: string[] = [];
  let keptTo = 0;
  for (let from = 0; from < line.length; from += STEP) {
    if (!holdsSecret(line.slice(from, from + WINDOW))) continue;
    if (from > keptTo) parts.push(line.slice(keptTo, from));
    if (parts.at(-1) !== REDACTED) parts.push(REDACTED);
    keptTo = endOfWord(line, from + WINDOW);
  }
  parts.push(line.slice(keptTo));
  return parts.join('');
}

/** A secret may go on beyond the window that it was found in. */
function endOfWord(line: string, from: number): number {
  let at = from;
  while (at < line.length && !/[\s"'\\,;]/.test(line[at]!)) at++;
  return Math.min(at, line.length);
}

function redactAt(value: unknown, place: Place): unknown {
  if (value === null || typeof value === 'boolean' || value === undefined) return value;
  if (place.depth > MAX_DEPTH) return REDACTED;
  // A schema says what may be given; the words in it are nobody's secret, but for the values that it proposes.
  const isSecret = place.isSecret && !place.isSchema;
  if (typeof value === 'number') return isSecret ? 0 : value;
  if (typeof value === 'string') return isSecret ? REDACTED : redactString(value, place);
  if (Array.isArray(value)) {
    const parts: readonly unknown[] = value;
    // The elements of a batch are messages, as deep as a message alone.
    const depth = place.depth === 0 ? 0 : place.depth + 1;
    const changed = parts.map((part) => redactAt(part, { ...place, depth, within: '' }));
    return changed.some((part, index) => part !== parts[index]) ? changed : value;
  }
  return isObject(value) ? redactObject(value, place) : value;
}

function redactObject(object: JsonObject, place: Place): JsonObject {
  let isChanged = false;
  const media = mediaMember(object);
  const members = Object.entries(object).map(([name, value]): [string, unknown] => {
    if (isTie(name, place)) return [name, value];
    // Pictures and sounds are long runs of letters and digits by nature; what is in them is looked at instead.
    if (name === media && !place.isSecret) {
      const data = redactMedia(String(value), place);
      if (data !== value) isChanged = true;
      return [name, data];
    }
    const inside: Place = {
      isSecret: place.isSecret || isSecretName(name),
      isSchema: (place.isSchema || SCHEMAS.has(name)) && !SCHEMA_VALUES.has(name),
      depth: place.depth + 1,
      within: name,
    };
    const changed = redactAt(value, inside);
    const written = writableValue(name) === REDACTED ? REDACTED : name;
    if (changed !== value || written !== name) isChanged = true;
    return [written, changed];
  });
  return isChanged ? Object.fromEntries(members) : object;
}

function isTie(name: string, { depth, within }: Place): boolean {
  if (depth === 0) return ENVELOPE_TIES.has(name);
  if (depth === 1) return (within === 'params' || within === 'result') && PARAMS_TIES.has(name);
  return depth === 2 && within === '_meta' && META_TIES.has(name);
}

function mediaMember({ type, data, blob, uri }: JsonObject): string | undefined {
  if ((type === 'image' || type === 'audio') && typeof data === 'string') return 'data';
  return typeof blob === 'string' && typeof uri === 'string' ? 'blob' : undefined;
}

/**
 * Whatever it says to be, base64 that holds text is searched like text: files travel as blobs too. Bytes that are no text
 * (pictures, sounds, archives) are kept as they are: a search for words would find nothing in them, or spoil them.
 */
function redactMedia(data: string, place: Place): string {
  const bytes = Buffer.from(data, 'base64');
  // Not base64 at all, or with something else between: then it is a text itself.
  if (bytes.toString('base64url') !== plainBase64(data)) return redactString(data, place);
  const text = textIn(bytes);
  if (text === undefined) return data;
  const redacted = redactString(text, place);
  return redacted === text ? data : Buffer.from(redacted).toString('base64');
}

/** One spelling for all: without padding and line ends, in the alphabet for URLs. */
const plainBase64 = (data: string): string =>
  data
    .replace(/\s+|=+\s*$/g, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_');

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function redactString(text: string, place: Place): string {
  // JSON inside a text has names of its own.
  if (/^\s*[[{]/.test(text)) {
    try {
      const inner: unknown = JSON.parse(text);
      const redacted = redactAt(inner, { isSecret: false, isSchema: false, depth: place.depth + 1, within: '' });
      if (redacted !== inner) return JSON.stringify(redacted);
      // Members are joined to their values by quotes and colons: what is left to find stands in words.
      return text;
    } catch {
      // Text after all.
    }
  }
  return redactText(text);
}
