/** HTTP headers as they came off the wire: names and values in turn, in their order and spelling. Pure. */

/** Name, value, name, value.. as Node calls `rawHeaders`. */
export type RawHeaders = readonly string[];

/** Headers that concern one connection only (RFC 9110, section 7.6.1). Trailers are passed on, and so is their announcement. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade']);
const HOP_BY_HOP_LENGTHS = new Set([...HOP_BY_HOP].map((name) => name.length));

/** The first value of a header; `name` in lower case. */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    const found = headers[index]!;
    if (found.length === name.length && found.toLowerCase() === name) return headers[index + 1];
  }
  return undefined;
}

/** What goes on to the other side: everything but hop-by-hop headers, and those that `Connection` names as such. */
export function endToEnd(headers: RawHeaders): string[] {
  const kept: string[] = [];
  let named: Set<string> | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    const value = headers[index + 1]!;
    // Most names are settled by their length, without making another string of them.
    const lower = HOP_BY_HOP_LENGTHS.has(name.length) ? name.toLowerCase() : undefined;
    if (lower === undefined || !HOP_BY_HOP.has(lower)) kept.push(name, value);
    else if (lower === 'connection') named = namedIn(value, named);
  }
  return named === undefined ? kept : withoutHeaders(kept, named);
}

function namedIn(connection: string, known: Set<string> | undefined): Set<string> | undefined {
  const lower = connection.toLowerCase();
  if (lower === 'keep-alive' || lower === 'close') return known;
  const names = lower.split(',').map((name) => name.trim());
  return new Set([...(known ?? []), ...names.filter((name) => name !== '' && !HOP_BY_HOP.has(name) && name !== 'close')]);
}

/** The headers without some; names in lower case. The same headers when none of them is there. */
export function withoutHeaders(headers: string[], names: ReadonlySet<string>): string[] {
  let kept: string[] | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    if (names.has(name) || names.has(name.toLowerCase())) kept ??= headers.slice(0, index);
    else kept?.push(name, headers[index + 1]!);
  }
  return kept ?? headers;
}

/** The headers with one set: in its place and spelling where it was, else at the end. */
export function withHeader(headers: RawHeaders, name: string, value: string): string[] {
  const lower = name.toLowerCase();
  const changed: string[] = [];
  let isSet = false;
  for (let index = 0; index < headers.length; index += 2) {
    const isThis = headers[index]!.toLowerCase() === lower;
    if (isThis && isSet) continue;
    changed.push(headers[index]!, isThis ? value : headers[index + 1]!);
    isSet ||= isThis;
  }
  if (!isSet) changed.push(name, value);
  return changed;
}

const OLD_BODY = new Set(['content-encoding', 'transfer-encoding', 'content-md5', 'digest', 'content-digest', 'etag', 'trailer']);

/** The headers for another body than the one that they came with. */
export function withBodyLength(headers: RawHeaders, bytes: number): string[] {
  return withHeader(withoutHeaders([...headers], OLD_BODY), 'Content-Length', String(bytes));
}

/** Headers that belong to one answer; what is left of an answer's headers belongs to the server that gave it. */
const OF_ONE_ANSWER =
  /^(content-.*|date|set-cookie|mcp-session-id|etag|last-modified|location|retry-after|www-authenticate|age|expires|digest|trailer)$/i;

/** What a server says with every answer (CORS, its name..): an answer in its place without them would stand out. */
export function serverHeaders(headers: RawHeaders): string[] {
  return endToEnd(headers).filter((_text, index, all) => !OF_ONE_ANSWER.test(all[index - (index % 2)]!));
}

/** How a body is told from what follows it. */
export type BodyFraming = 'length' | 'chunked' | 'none';

/** How the headers of a request say that its body is framed. */
export function bodyFraming(headers: RawHeaders): BodyFraming {
  let framing: BodyFraming = 'none';
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]!;
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return 'chunked';
    if (name.length === 14 && name.toLowerCase() === 'content-length') framing = 'length';
  }
  return framing;
}

/** True for `text/event-stream`, with or without parameters. */
export function isEventStream(headers: RawHeaders): boolean {
  return headerOf(headers, 'content-type')?.trimStart().toLowerCase().startsWith('text/event-stream') === true;
}

/** True when the body is compressed: its bytes say nothing to us. */
export function isCompressed(headers: RawHeaders): boolean {
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase();
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}
