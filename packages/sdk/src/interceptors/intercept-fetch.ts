/**
 * Fetch as an in-process transport: MCP requests and answers that pass through it meet the rules of a run. What no rule
 * looks at comes back as the very Response that the wrapped fetch gave.
 */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { attachFetch, type AttachFetchOptions } from './attach-fetch.js';
import { readRequest, type FetchFunction } from './fetch-request.js';
import { patchProperty } from '../core/patch-property.js';

/** How a fetch is intercepted. Without session ids, all its requests are one session: use one per client. */
export type InterceptFetchOptions = {
  /** The fetch below; by default the global one. */
  readonly fetch?: FetchFunction | undefined;
  /** Name of the server, for `when: { target }`. */
  readonly target?: string | undefined;
  /** Name of the session in draws and journal; by default the client's own name and an ordinal. */
  readonly label?: string | undefined;
  readonly maxFrameBytes?: number | undefined;
};

/** A fetch under the rules of a run. */
export type InterceptedFetch = {
  readonly fetch: FetchFunction;
  /** What is held goes on; afterwards fetch is the plain one. */
  readonly restore: Cancel;
};

/** Intercepts one fetch: hand it to a client in place of the plain one. */
export function interceptFetch(run: Run, options: InterceptFetchOptions = {}): InterceptedFetch {
  const { fetch = globalThis.fetch } = options;
  return wrap(run, { ...options, fetch, restore: () => {} });
}

/** Intercepts the global fetch, for all who call it from now on. Returns its undo. */
export function interceptGlobalFetch(run: Run, options: Omit<InterceptFetchOptions, 'fetch'> = {}): Cancel {
  const plain = globalThis.fetch;
  let unpatch: Cancel = () => {};
  const intercepted = wrap(run, { ...options, fetch: (input, init) => plain(input, init), restore: () => unpatch() });
  unpatch = patchProperty(globalThis, 'fetch', intercepted.fetch as typeof globalThis.fetch);
  return intercepted.restore;
}

function wrap(run: Run, options: AttachFetchOptions): InterceptedFetch {
  const { fetch } = options;
  const { attachment, maxFrameBytes, refuse, carry } = attachFetch(run, options);
  const perform: FetchFunction = async (input, init) => {
    const request = await readRequest(input, init, maxFrameBytes);
    // It may have been restored since: nobody would let go of what a rule held now.
    if (request.signal?.aborted === true || !attachment.isActive) return request.send(fetch);
    const refusal = refuse(request.url);
    if (refusal !== undefined) throw refusal;
    return carry(request);
  };
  return {
    fetch: (input, init) => (attachment.isActive ? perform(input, init) : fetch(input, init)),
    restore: attachment.detach,
  };
}
