/** HTTP+SSE, the deprecated transport of 2024: one stream for all answers, a POST for each message. */
import { kindOfMessage, type JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, within, type Stage } from '../core/connection.js';
import { createEventReader } from './http-events.js';
import type { HttpAnswer } from './http-post.js';
import { headerText } from './http-status.js';
import { postHeaders, refusalOf, type HttpWireParts } from './http-wire.js';
import { timeoutReason } from './late.js';
import { outcomeOf, politeAnswer } from './rpc-message.js';
import type { Ask, Wire, WireAnswer } from './wire.js';

type Pending = { readonly ask: Ask; readonly resolve: (answer: WireAnswer) => void; readonly reject: (error: unknown) => void };

/** A stream stays open as long as the connection does; its own timer only guards its opening. */
const STREAM_LIMIT_MS = 24 * 3_600_000;

/** Opens the stream; undefined when the server has none, and so is no server of 2024. */
export async function openSseWire(parts: HttpWireParts, signal: AbortSignal | undefined): Promise<Wire | undefined> {
  const { origin, url, budgets, clock } = parts;
  const step: Stage = 'hello';
  const silent = (): TargetFailure =>
    new TargetFailure({ reason: 'initialize_timeout', step, detail: `the stream named no endpoint within ${budgets.helloMs} ms` });
  const stop = new AbortController();
  const endOn = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const pending = new Map<number, Pending>();
  let over: TargetFailure | undefined;
  const failAll = (failure: TargetFailure): void => {
    over = failure;
    for (const { ask, reject } of pending.values()) reject(new TargetFailure({ ...failure.facts, step: ask.step }));
    pending.clear();
  };

  const stream = await within({ clock, limitMs: budgets.helloMs, signal }, silent, async (late) => {
    const answer = await origin
      .send({
        method: 'GET',
        url,
        headers: { ...postHeaders(parts, {}), accept: 'text/event-stream' },
        step,
        limitMs: STREAM_LIMIT_MS,
        onLate: silent,
        signal: AbortSignal.any([endOn, late]),
      })
      .catch((error: unknown) => {
        if (error instanceof TargetFailure) return undefined;
        throw error;
      });
    if (answer === undefined) return undefined;
    const isStream = answer.status === 200 && (headerText(answer.response.headers, 'content-type') ?? '').startsWith('text/event-stream');
    if (!isStream) {
      answer.finish(false);
      return undefined;
    }
    const endpoint = await readStream(answer);
    return endpoint === undefined ? undefined : { answer, endpoint };
  });
  if (stream === undefined) return undefined;
  const { endpoint } = stream;

  function receive(message: JsonObject): void {
    const kind = kindOfMessage(message);
    if (kind === 'request') return void tell(politeAnswer(message)).catch(() => {});
    if (kind === 'notification') return pending.forEach(({ ask }) => ask.onNotification?.(message));
    const waiting = typeof message['id'] === 'number' ? pending.get(message['id']) : undefined;
    if (waiting === undefined) return;
    pending.delete(waiting.ask.id);
    try {
      waiting.resolve({ outcome: outcomeOf(message, waiting.ask.step, 200) });
    } catch (error) {
      waiting.reject(error);
    }
  }

  /** Resolves to the endpoint, and goes on reading for as long as the stream lasts. */
  function readStream(answer: HttpAnswer): Promise<URL | undefined> {
    return new Promise((resolve) => {
      const reader = createEventReader({ step, maxBytes: budgets.maxAnswerBytes, maxDepth: budgets.maxDepth }, receive, (name, data) => {
        // Messages go where the stream came from: a server must not send our credentials to somebody else.
        const named = name === 'endpoint' && URL.canParse(data, url.href) ? new URL(data, url) : undefined;
        if (name === 'endpoint') resolve(named?.origin === url.origin ? named : undefined);
      });
      void (async () => {
        try {
          for await (const chunk of answer.response as AsyncIterable<Buffer>) reader.push(chunk);
          failAll(new TargetFailure({ reason: 'sse_broken', step, detail: 'the server ended the stream' }));
        } catch (error) {
          const detail = 'the stream broke off';
          failAll(error instanceof TargetFailure ? error : new TargetFailure({ reason: 'sse_broken', step, detail, cause: error }));
        }
        answer.finish(false);
        resolve(undefined);
      })();
    });
  }

  async function post(
    message: JsonObject,
    at: Stage,
    limitMs: number,
    onLate: () => TargetFailure,
    by: AbortSignal | undefined,
  ): Promise<void> {
    const body = Buffer.from(JSON.stringify(message));
    const answer = await origin.send({
      method: 'POST',
      url: endpoint,
      headers: postHeaders(parts, {}),
      body,
      step: at,
      limitMs,
      onLate,
      signal: by,
    });
    const refusal = refusalOf(parts, answer, at, false);
    answer.finish(refusal === undefined && answer.status === 202);
    if (refusal !== undefined) throw refusal;
  }

  const tell = (message: JsonObject, limitMs: number = budgets.helloMs): Promise<void> =>
    post(message, 'hello', limitMs, () => timeoutReason({ message, step: 'hello', limitMs }, 'no headers came'), undefined);

  return {
    transport: 'http-sse',
    notes: [],
    certificateEndsAtMs: origin.certificateEndsAtMs,
    ask(asked) {
      const onLate = (): TargetFailure => timeoutReason(asked, 'the message was accepted, the stream brought no answer');
      return within({ clock, limitMs: asked.limitMs, signal: asked.signal }, onLate, (late) => {
        if (over !== undefined) return Promise.reject(new TargetFailure({ ...over.facts, step: asked.step }));
        return new Promise<WireAnswer>((resolve, reject) => {
          pending.set(asked.id, { ask: asked, resolve, reject });
          late.addEventListener('abort', () => pending.delete(asked.id));
          post(asked.message, asked.step, asked.limitMs, onLate, late).catch(reject);
        });
      });
    },
    tell: (message, _headers, limitMs) => tell(message, limitMs),
    close() {
      stop.abort(new DOMException('The connection was closed.', 'AbortError'));
      origin.close();
      return Promise.resolve();
    },
  };
}
