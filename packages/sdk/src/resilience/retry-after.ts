/**
 * `Retry-After` never reaches a caller of the official clients: their errors carry the status and the body alone. So a
 * fetch of ours remembers it, and whoever retries asks here how long the server wants to be left alone.
 */
import type { Clock } from '../core/clock.js';
import { realClock } from '../core/surroundings.js';
import { MAX_WAIT_MS } from './longest-wait.js';

/** The wait that a header asks for: seconds, or a date beside the response's own `Date`. Undefined when it makes no sense. */
export function parseRetryAfter(value: string | null | undefined, date?: string | null): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_WAIT_MS);
  if (!/[A-Za-z]/.test(text) || typeof date !== 'string') return undefined;
  // Compared with the server's own clock, so that ours may be wrong.
  const waitMs = Date.parse(text) - Date.parse(date);
  return Number.isFinite(waitMs) ? Math.min(Math.max(0, waitMs), MAX_WAIT_MS) : undefined;
}

type Headers = { get(name: string): string | null };

/** A fetch that remembers what the server asked for; see the module comment. */
export type RetryAfterWatch<Arguments extends readonly unknown[], Reply> = {
  readonly fetch: (...given: Arguments) => Promise<Reply>;
  /** What is left of the longest wait that was asked for; 0 when nothing was, or it is over. */
  leftMs(): number;
};

/** Watches a fetch. One per server: what one asks for must not hold up another. */
export function watchRetryAfter<Arguments extends readonly unknown[], Reply extends { readonly status: number; readonly headers: Headers }>(
  fetch: (...given: Arguments) => Promise<Reply>,
  { clock = realClock }: { readonly clock?: Clock } = {},
): RetryAfterWatch<Arguments, Reply> {
  let untilMs = Number.NEGATIVE_INFINITY;
  return {
    async fetch(...given) {
      const response = await fetch(...given);
      if (response.status === 429 || response.status === 503) {
        const waitMs = parseRetryAfter(response.headers.get('retry-after'), response.headers.get('date'));
        if (waitMs !== undefined) untilMs = Math.max(untilMs, clock.nowMs() + waitMs);
      }
      return response;
    },
    leftMs: () => Math.max(0, untilMs - clock.nowMs()),
  };
}
