/**
 * undici as an in-process transport, and with it Node's own fetch: requests that a dispatcher sends meet the rules of a
 * run. What is no MCP message passes with its own handler, as if nobody was here.
 */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { frameFromBytes, frameHead } from '../core/frame.js';
import { attachFetch } from './attach-fetch.js';
import { collect, headersFor, type OutgoingRequest } from './fetch-request.js';
import { patchProperty } from '../core/patch-property.js';
import { responseOf, tellHandler, type UndiciHandler } from './undici-handler.js';

/** The part of a request that is looked at. */
export type UndiciRequest = {
  readonly origin?: string | URL | undefined;
  readonly path: string;
  readonly method: string;
  readonly body?: unknown;
  readonly headers?: unknown;
  readonly upgrade?: unknown;
};

/** An Agent, Client, Pool or whatever else dispatches. */
export type UndiciDispatcher = { dispatch(options: never, handler: never): boolean };

/** How a dispatcher is intercepted. Without session ids, all its MCP requests are one session. */
export type InterceptDispatcherOptions = {
  /** Name of the server, for `when: { target }`. */
  readonly target?: string | undefined;
  readonly label?: string | undefined;
  readonly maxFrameBytes?: number | undefined;
};

type Dispatch = (options: UndiciRequest, handler: UndiciHandler) => boolean;

/** Intercepts everything that a dispatcher sends from now on. Returns its undo. */
export function interceptDispatcher(run: Run, dispatcher: UndiciDispatcher, options: InterceptDispatcherOptions = {}): Cancel {
  const plain = dispatcher.dispatch as unknown as Dispatch;
  const send: Dispatch = (request, handler) => plain.call(dispatcher, request, handler);
  let unpatch: Cancel = () => {};
  const attached = attachFetch(run, { ...options, fetch: unused, restore: () => unpatch() });
  const { attachment, refuse, carry, maxFrameBytes } = attached;

  const perform = async (given: UndiciRequest, url: string, headers: Headers, handler: UndiciHandler): Promise<void> => {
    const abort = new AbortController();
    const body = given.method === 'POST' ? await collect(given.body, maxFrameBytes) : { bytes: undefined, again: given.body };
    const { bytes } = body;
    const again = { ...given, body: bytes ?? body.again };
    // It may have been restored since: nobody would let go of what a rule held now.
    if (
      !attachment.isActive ||
      (given.method === 'POST' && (bytes === undefined || frameHead(frameFromBytes('to-server', bytes)).kind === 'other'))
    ) {
      send(again, handler);
      return;
    }
    const request: OutgoingRequest = {
      url,
      method: given.method,
      headers,
      signal: abort.signal,
      body: bytes,
      send: (_fetch, change = {}) => {
        const sent = change.body ?? bytes;
        const changed = sent === undefined ? new Headers(headers) : headersFor(headers, bytes, sent);
        // Whatever comes back is looked into, so nobody may pack it.
        changed.set('accept-encoding', 'identity');
        const edited = { ...again, body: sent ?? null, headers: Object.fromEntries(changed) };
        return responseOf((own) => send(edited, own), change.signal ?? abort.signal);
      },
    };
    await tellHandler(handler, { abort, response: () => carry(request) });
  };

  const dispatch: Dispatch = (given, handler) => {
    if (!attachment.isActive || given.upgrade != null || given.method === 'CONNECT') return send(given, handler);
    const url = `${String(given.origin ?? '').replace(/\/$/, '')}${given.path}`;
    const refusal = refuse(url);
    if (refusal !== undefined) {
      void tellHandler(handler, { abort: new AbortController(), response: () => Promise.reject(refusal) });
      return true;
    }
    const headers = readHeaders(given.headers);
    const isListening = given.method === 'GET' && headers.get('accept')?.includes('text/event-stream') === true;
    const isJson = given.method === 'POST' && given.body != null && headers.get('content-type')?.includes('json') === true;
    if (!isJson && !isListening) return send(given, handler);
    perform(given, url, headers, handler).catch(attachment.problem);
    return true;
  };
  unpatch = patchProperty(dispatcher, 'dispatch', dispatch as unknown as UndiciDispatcher['dispatch']);
  return attachment.detach;
}

/** Requests bring their own way to be sent. */
const unused = (): Promise<Response> => Promise.reject(new Error('a dispatched request is never fetched'));

/** undici takes an object, a flat list of names and values, or pairs. */
function readHeaders(given: unknown): Headers {
  const headers = new Headers();
  const add = (name: unknown, value: unknown): void => {
    for (const one of [value].flat()) if (typeof one === 'string' || typeof one === 'number') headers.append(String(name), String(one));
  };
  if (Array.isArray(given) && !Array.isArray(given[0])) {
    for (let index = 0; index + 1 < given.length; index += 2) add(given[index], given[index + 1]);
  } else if (typeof given === 'object' && given !== null) {
    const pairs = Symbol.iterator in given ? (given as Iterable<[unknown, unknown]>) : Object.entries(given);
    for (const [name, value] of pairs) add(name, value);
  }
  return headers;
}
