/**
 * Legacy HTTP+SSE (2024): the first event of a GET stream names the endpoint that its client posts to. It must lead through
 * the proxy, and it tells which session a POST belongs to. Pure.
 */
import { createEventFramer, encodeEvent, eventData, joinBytes } from '@toolquake/sdk/core';
import { headerOf, isCompressed, isEventStream, type RawHeaders } from './http-headers.js';
import type { BodyEdit } from './http-relay.js';
import type { UpstreamAsk, UpstreamHead, UpstreamPlace } from './http-upstream.js';

/** An endpoint as a stream announced it. */
export type AnnouncedEndpoint = {
  /** What the client will ask the proxy for: path and query. */
  readonly path: string;
  /** The event: the server's own bytes wherever they lead through the proxy already. */
  readonly bytes: Uint8Array;
};

/** Where an announcement is read: the server's place, and the request whose answer it came in. */
export type AnnouncementOf = { readonly upstream: UpstreamPlace; readonly ask: Pick<UpstreamAsk, 'path' | 'headers'> };

/** Stands for a proxy whose client did not say what it calls it. */
const UNNAMED = 'http://unnamed.invalid';

/** The endpoint that an event announces; undefined for every other event, and for endpoints that the proxy is not asked for. */
export function announcedEndpoint(event: Uint8Array, { upstream, ask }: AnnouncementOf): AnnouncedEndpoint | undefined {
  const given = endpointText(event);
  if (given === undefined) return undefined;
  const proxy = upstream.isAskedByName ? upstream.origin : `http://${headerOf(ask.headers, 'host') ?? ''}`;
  const isNamed = URL.canParse(proxy);
  const us = isNamed ? new URL(proxy).origin : UNNAMED;
  const byServer = parsed(given, `${upstream.origin}${upstream.prefix}${ask.path}`);
  const byClient = parsed(given, `${us}${ask.path}`);
  if (byServer === undefined || byClient === undefined || ![upstream.origin, us].includes(byServer.origin)) return undefined;
  if (!byServer.pathname.startsWith(`${upstream.prefix}/`)) return undefined;
  const path = byServer.pathname.slice(upstream.prefix.length) + byServer.search;
  if (byClient.origin === us && byClient.pathname + byClient.search === path) return { path, bytes: event };
  // Two slashes at the start of a relative address name another host.
  const namesHost = path.startsWith('//');
  if (namesHost && !isNamed) return undefined;
  const isAbsolute = (namesHost || URL.canParse(given)) && isNamed;
  return { path, bytes: encodeEvent(new TextEncoder().encode(isAbsolute ? us + path : path), event) };
}

/** Path and query of a request in the form that endpoints are compared in. */
export function endpointPath(path: string): string {
  const url = parsed(UNNAMED + path);
  return url === undefined ? path : url.pathname + url.search;
}

function endpointText(event: Uint8Array): string | undefined {
  const data = eventData(event);
  if (data === undefined) return undefined;
  const lines = new TextDecoder().decode(event).split(/\r\n|\r|\n/);
  return lines.some((line) => /^event: ?endpoint$/.test(line)) ? new TextDecoder().decode(data) : undefined;
}

function parsed(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** No announcement is longer. */
const MAX_ANNOUNCEMENT_BYTES = 16 * 1024;

/** For a proxy without rules: corrects the announcement, if the stream opens with one, and leaves everything else alone. */
export function announcementEdit(head: UpstreamHead, of: AnnouncementOf): BodyEdit | undefined {
  if (!mayAnnounce(head.status, head.headers)) return undefined;
  const framer = createEventFramer(MAX_ANNOUNCEMENT_BYTES);
  let isOver = false;
  const rest = (): readonly Uint8Array[] => {
    const block = framer.end();
    return block === undefined ? [] : [block.bytes];
  };
  return {
    push(bytes) {
      if (isOver) return bytes;
      const blocks = framer.push(bytes).map((block) => {
        const isFirst = !isOver && block.part === 'whole';
        isOver ||= block.part !== 'whole' || eventData(block.bytes) !== undefined;
        return isFirst ? (announcedEndpoint(block.bytes, of)?.bytes ?? block.bytes) : block.bytes;
      });
      return joinBytes(isOver ? [...blocks, ...rest()] : blocks);
    },
    end: () => joinBytes(rest()),
  };
}

/** A stream of a known length is a recording, and its bytes are counted. */
function mayAnnounce(status: number, headers: RawHeaders): boolean {
  return status === 200 && isEventStream(headers) && !isCompressed(headers) && headerOf(headers, 'content-length') === undefined;
}
