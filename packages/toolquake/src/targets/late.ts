/** The reason for an answer that did not come in time. Pure. */
import { TargetFailure } from '../core/connection.js';
import type { FailureReason } from '../core/failure-reason.js';
import type { Ask } from './wire.js';

/** Names what was asked, and what was seen of an answer. */
export function timeoutReason({ message, step, limitMs }: Pick<Ask, 'message' | 'step' | 'limitMs'>, seen: string): TargetFailure {
  const method = String(message['method']);
  const detail = `${method} was not answered within ${limitMs} ms: ${seen}`;
  return new TargetFailure({ reason: reasonFor(method), step, detail });
}

function reasonFor(method: string): FailureReason {
  if (method === 'server/discover') return 'discover_timeout';
  if (method === 'initialize') return 'initialize_timeout';
  return method.endsWith('/list') ? 'tools_list_timeout' : 'canary_timeout';
}
