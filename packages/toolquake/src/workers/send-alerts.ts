/** Brings alerts to a webhook, in order, again and again until it took them. Never in the way of the probes. */
import { setTimeout as wait } from 'node:timers/promises';
import { backoffMs, parseRetryAfter } from '@toolquake/sdk/resilience';
import type { AlertMessage } from '../monitor/alert-message.js';
import { filledIn, type Variables } from '../targets/credential.js';

/** What came of one message. Never holds more of the URL than its host: the rest is the secret of the channel. */
export type Delivery = {
  readonly to: string;
  readonly message: AlertMessage;
  readonly isDelivered: boolean;
  readonly attempts: number;
  readonly detail: string;
};

/** One webhook, with what it has to take. */
export type AlertChannel = { send(message: AlertMessage): void };

/** How patient a channel is. */
export type ChannelOptions = {
  readonly env: Variables;
  readonly signal: AbortSignal;
  readonly onDelivery: (delivery: Delivery) => void;
  readonly timeoutMs?: number | undefined;
  readonly attempts?: number | undefined;
  readonly firstRetryMs?: number | undefined;
};

/** Opens a channel; nothing is sent yet. `url` may hold `${NAME}`. */
export function openAlertChannel(url: string, options: ChannelOptions): AlertChannel {
  const { env, signal, onDelivery, timeoutMs = 5000, attempts = 6, firstRetryMs = 500 } = options;
  let last: Promise<unknown> = Promise.resolve();

  async function deliver(message: AlertMessage): Promise<void> {
    let to = 'a webhook';
    let detail = '';
    let attempt = 0;
    try {
      const target = new URL(filledIn(url, env));
      to = target.host;
      while (attempt < attempts) {
        attempt += 1;
        const came = await post(target, message, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
        detail = came.detail;
        if (came.isDelivered || !came.isWorthAnother)
          return onDelivery({ to, message, isDelivered: came.isDelivered, attempts: attempt, detail });
        const backoff = backoffMs({ firstMs: firstRetryMs, factor: 2, maxMs: 15_000, jitter: 0.5 }, attempt - 1, Math.random);
        if (attempt < attempts) await wait(Math.max(backoff, came.retryAfterMs), undefined, { signal });
      }
    } catch (error) {
      // A URL that is none is told without its words; so is a variable that is not set, by its name.
      detail = signal.aborted ? 'the run was over before it arrived' : error instanceof TypeError ? 'its URL is none' : String(error);
    }
    onDelivery({ to, message, isDelivered: false, attempts: attempt, detail });
  }

  return {
    send(message) {
      // One after the other: the end of an alert must not overtake the alert.
      last = last.then(() => deliver(message));
    },
  };
}

type Attempt = { readonly isDelivered: boolean; readonly isWorthAnother: boolean; readonly retryAfterMs: number; readonly detail: string };

async function post(url: URL, message: AlertMessage, signal: AbortSignal): Promise<Attempt> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      // Followed nowhere: what a redirect points to was never named as a channel.
      redirect: 'manual',
      headers: { 'content-type': 'application/json', 'idempotency-key': `${message.id}/${message.state}` },
      body: JSON.stringify(message),
      signal,
    });
    await answer.body?.cancel();
    const { status, ok, headers } = answer;
    const retryAfterMs = Math.min(parseRetryAfter(headers.get('retry-after'), headers.get('date')) ?? 0, 60_000);
    return {
      isDelivered: ok,
      isWorthAnother: status >= 500 || status === 408 || status === 429,
      retryAfterMs,
      detail: `HTTP status ${status}`,
    };
  } catch (error) {
    return { isDelivered: false, isWorthAnother: true, retryAfterMs: 0, detail: whyNotSent(error) };
  }
}

/** Codes only: messages of `fetch` may repeat the URL. */
function whyNotSent(error: unknown): string {
  const { name, cause } = error instanceof Error ? error : { name: 'Error', cause: undefined };
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;
  return name === 'TimeoutError' ? 'no answer in time' : (code ?? 'nothing answers there');
}
