/**
 * What a call says about the task and the operation that it belongs to. A live transport only writes it down; which
 * calls make up a task is worked out from the journal, so that every report works it out the same way.
 */
import { canonicalJson } from './call-key.js';
import { frameObject, type Frame } from './frame.js';
import { keyedHash } from './keyed-hash.js';
import { isObject, paramsOf } from './message.js';

/** The member of `_meta` that names the task of a request. */
export const TASK_META_KEY = 'toolquake/task';
/** The member of W3C baggage (in `_meta` or in an HTTP header) that names it. */
export const TASK_BAGGAGE_KEY = 'toolquake.task';
/** The HTTP header that names it where the plan names no other. */
export const TASK_HEADER = 'x-chaos-task';

/** See the module comment. What a call does not say is absent. */
export type CallHints = {
  /** An explicit id. */
  readonly task?: string;
  /** The trace that the request belongs to. */
  readonly trace?: string;
  /** Equal for calls of the same tool with the same arguments under one key. Without the key it confirms no guess. */
  readonly operation?: string;
};

const MAX_ID_LENGTH = 200;
/** Longer arguments are not looked at twice: what they ask for stays unknown. */
const MAX_ARGUMENT_BYTES = 256 * 1024;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;
const NO_TRACE = '0'.repeat(32);

/**
 * Reads the hints of a `tools/call` request; `given` is a task id that came beside it, for example in a header. Without
 * a key nobody can tell which calls ask for the same.
 */
export function callHints(request: Frame, given: string | undefined, operationKey: Uint8Array | undefined): CallHints {
  const params = paramsOf(frameObject(request));
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const task = idOf(given) ?? idOf(meta[TASK_META_KEY]) ?? baggageTask(meta['baggage']);
  const trace = traceOf(meta['traceparent']);
  const operation = operationKey === undefined ? undefined : operationOf(request, params, operationKey);
  return {
    ...(task === undefined ? {} : { task }),
    ...(trace === undefined ? {} : { trace }),
    ...(operation === undefined ? {} : { operation }),
  };
}

/** The task that a baggage list names. */
export function baggageTask(baggage: unknown): string | undefined {
  if (typeof baggage !== 'string') return undefined;
  for (const member of baggage.split(',')) {
    const [name = '', ...value] = (member.split(';')[0] ?? '').split('=');
    if (name.trim() !== TASK_BAGGAGE_KEY) continue;
    try {
      return idOf(decodeURIComponent(value.join('=').trim()));
    } catch {
      // Not what baggage looks like: nobody can tell what was meant.
      return undefined;
    }
  }
  return undefined;
}

const idOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_ID_LENGTH) : undefined;

function traceOf(parent: unknown): string | undefined {
  const trace = typeof parent === 'string' ? TRACE_PARENT.exec(parent)?.[1] : undefined;
  return trace === NO_TRACE ? undefined : trace;
}

function operationOf(request: Frame, params: Readonly<Record<string, unknown>>, key: Uint8Array): string | undefined {
  if (typeof params['name'] !== 'string' || (request.bytes?.length ?? 0) > MAX_ARGUMENT_BYTES) return undefined;
  return keyedHash(key, `${params['name']} ${canonicalJson(params['arguments'] ?? {})}`);
}
