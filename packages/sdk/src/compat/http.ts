/** A fetch that meets the faults of its target: the answers, errors and texts are those of mcp-chaos-monkey. */
import type { FaultConfig } from '../controller/parse-fault-config.js';
import { backgroundClock } from '../core/surroundings.js';
import { isObject } from '../core/message.js';
import { abortReason, refusedError } from '../interceptors/fetch-errors.js';
import { currentController } from './controller.js';
import type { FaultTarget } from './fault.js';
import { loggerFor } from './logger.js';
import { withoutMembers } from './schema-mismatch.js';
import type { Waits } from './waits.js';

type Fetch = typeof globalThis.fetch;
type FetchInput = Parameters<Fetch>[0];

/** One call that a fault was found for. */
type FaultyCall = {
  readonly input: FetchInput;
  readonly init: RequestInit | undefined;
  readonly signal: AbortSignal | undefined;
  readonly fetch: Fetch;
  readonly waits: Waits;
};

/** `corruptResponse: false` says that nothing is to be corrupted. */
const performs = (config: FaultConfig): boolean => config.type !== 'malformed' || config.corruptResponse;

/** Wraps a fetch. Without an active fault for the target, calls go straight on, with the very arguments. */
export function createChaosAwareFetch(target: FaultTarget, originalFetch: Fetch = globalThis.fetch): Fetch {
  return (input, init) => {
    const controller = currentController();
    const fault = controller?.getFault(target, performs) ?? undefined;
    if (controller === undefined || fault === undefined) return originalFetch(input, init);
    loggerFor('chaos-http').debug({ target, faultType: fault.type }, 'Chaos fault triggered');
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    return perform(fault, { input, init, signal, fetch: originalFetch, waits: controller.waits });
  };
}

async function perform(fault: FaultConfig, call: FaultyCall): Promise<Response> {
  const { input, init, signal, fetch, waits } = call;
  if (signal?.aborted === true) throw abortReason(signal);
  switch (fault.type) {
    case 'latency':
      await waits.wait(fault.delayMs, signal);
      return fetch(input, init);
    case 'error':
      return json(fault.statusCode, { error: fault.message ?? 'Chaos injected error' });
    case 'timeout':
      await waits.wait(fault.hangMs, signal);
      throw new DOMException('The operation was aborted', 'AbortError');
    case 'connection-refused':
      throw new TypeError('fetch failed (chaos: connection refused)', { cause: refusedError(urlOf(input)).cause });
    case 'rate-limit':
      return json(429, { error: 'Too Many Requests' }, { 'Retry-After': String(fault.retryAfterSeconds) });
    case 'malformed':
      return new Response('<<<CORRUPTED_RESPONSE>>>{{{{not json', { status: 200, headers: JSON_TYPE });
    case 'schema-mismatch':
      return mismatched(call, fault.missingFields);
    case 'connection-drop':
      return dropped(call, fault.afterMs ?? 0);
    default:
      throw new Error(`Unhandled fault type: ${(fault satisfies never as FaultConfig).type}`);
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_TYPE, ...headers } });
}

function urlOf(input: FetchInput): string {
  return input instanceof Request ? input.url : String(input);
}

/** The connection is cut some time after the call began, whether or not the answer has begun by then. */
async function dropped({ input, init, signal, fetch }: FaultyCall, afterMs: number): Promise<Response> {
  const cut = new AbortController();
  const stop = backgroundClock.schedule(afterMs, () => cut.abort());
  try {
    return await fetch(input, { ...init, signal: signal === undefined ? cut.signal : AbortSignal.any([cut.signal, signal]) });
  } catch (error) {
    stop();
    throw error;
  }
}

/** Members are taken out of tool results inside MCP answers (JSON and event streams), else from the top of a JSON object. */
async function mismatched({ input, init, fetch }: FaultyCall, fields: readonly string[]): Promise<Response> {
  const response = await withoutMembers(fetch, fields)(input, init);
  const target = urlOf(input);
  if (response.headers.get('content-type')?.includes('text/event-stream') === true) return response;
  const asIs = (why: string): Response => {
    loggerFor('chaos-http').warn({ target }, `schema-mismatch: ${why}, returning as-is`);
    return response;
  };
  let body: unknown;
  try {
    body = await response.clone().json();
  } catch {
    return asIs('upstream response is not valid JSON');
  }
  if (!isObject(body)) return asIs('upstream JSON is not an object');
  if (body['jsonrpc'] === '2.0') return response;
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => !fields.includes(name)));
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify(kept), { status, statusText, headers });
}
