/** Streamable HTTP: every request is a POST, its answer JSON or an event stream. */
import { kindOfMessage, type Clock, type JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, type Stage, type TargetNote } from '../core/connection.js';
import type { Credential } from './credential.js';
import { readBody } from './http-body.js';
import { createEventReader } from './http-events.js';
import type { HttpAnswer, HttpOrigin } from './http-post.js';
import { headerText, statusFailure } from './http-status.js';
import { timeoutReason } from './late.js';
import { excerpt, outcomeOf, parseMessages, politeAnswer } from './rpc-message.js';
import type { StageLog } from './stage-log.js';
import type { Budgets } from './target.js';
import type { Ask, Wire, WireAnswer } from './wire.js';

/** What a wire over HTTP is made of. */
export type HttpWireParts = {
  readonly origin: HttpOrigin;
  readonly url: URL;
  readonly budgets: Budgets;
  readonly clock: Clock;
  readonly wallClockMs: () => number;
  readonly log: StageLog;
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: Credential | undefined;
};

const ACCEPT = 'application/json, text/event-stream';

/** The headers of a POST with a message in it. */
export function postHeaders(parts: HttpWireParts, more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    accept: ACCEPT,
    // What cannot be read byte by byte cannot be bounded byte by byte.
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    ...parts.headers,
    ...parts.credential?.headers,
    ...more,
  };
}

/** Judges a status with what is known about the credential. */
export function refusalOf(parts: HttpWireParts, answer: HttpAnswer, step: Stage, hasSession: boolean): TargetFailure | undefined {
  return statusFailure({
    status: answer.status,
    headers: answer.response.headers,
    step,
    hasCredential: parts.credential !== undefined,
    credentialEndsAtMs: parts.credential?.endsAtMs,
    wallClockMs: parts.wallClockMs(),
    hasSession,
  });
}

/** How many bytes of a page that nobody expected are read, to say what it is. */
const PEEK_BYTES = 256 * 1024;
/** Server errors and refusals of identity are what the gateway says, whatever the body. */
const BODY_COUNTS = (status: number): boolean => status >= 400 && status < 500 && ![401, 403, 429].includes(status);

/** Opens the wire; nothing is sent yet. */
export function createHttpWire(parts: HttpWireParts): Wire {
  const { origin, url, budgets, log } = parts;
  const notes: TargetNote[] = [];
  let isFirst = true;

  const ask = async (asked: Ask): Promise<WireAnswer> => {
    const { step } = asked;
    const isFirstAsk = isFirst;
    isFirst = false;
    let hasEvents = false;
    const startMs = log.nowMs();
    const answer = await origin.send({
      method: 'POST',
      url,
      headers: postHeaders(parts, asked.headers),
      body: Buffer.from(JSON.stringify(asked.message)),
      step,
      limitMs: asked.limitMs,
      signal: asked.signal,
      onLate: (hasHeaders) => {
        if (hasEvents) {
          const detail = `the stream of ${asked.message['method'] as string} is open, but no answer came within ${asked.limitMs} ms`;
          return new TargetFailure({ reason: 'sse_no_final_response', step, detail, httpStatus: 200 });
        }
        return timeoutReason(asked, hasHeaders ? 'headers came, the body did not end' : 'no headers came');
      },
    });
    if (isFirstAsk) log.add('request', startMs, `HTTP ${answer.status}`);
    const type = (headerText(answer.response.headers, 'content-type') ?? '').toLowerCase();
    const sessionId = headerText(answer.response.headers, 'mcp-session-id');
    const refusal = refusalOf(parts, answer, step, asked.headers['mcp-session-id'] !== undefined);
    if (refusal !== undefined) {
      const body = await readBody(answer, step, PEEK_BYTES).catch((error: unknown) => {
        if (error instanceof TargetFailure && error.reason === 'answer_too_large') return Buffer.alloc(0);
        throw error;
      });
      const inBody =
        BODY_COUNTS(answer.status) && refusal.reason !== 'session_lost' ? errorIn(body, type, asked, budgets, answer.status) : undefined;
      if (inBody !== undefined) return inBody;
      throw refusal;
    }
    if (type.startsWith('text/event-stream')) {
      hasEvents = true;
      return { ...(await readEvents(asked, answer)), sessionId };
    }
    const body = await readBody(answer, step, budgets.maxAnswerBytes);
    if (!type.startsWith('application/json')) {
      const what =
        answer.status === 202 || answer.status === 204
          ? `HTTP ${answer.status} without an answer`
          : `${type === '' ? 'content without a type' : type}: ${excerpt(body)}`;
      throw new TargetFailure({
        reason: 'http_unexpected_content',
        step,
        detail: `a request was answered with ${what}`,
        httpStatus: answer.status,
      });
    }
    const messages = parseMessages(body, step, budgets.maxDepth);
    const response = messages.find((message) => message['id'] === asked.id) ?? messages[0]!;
    if (response['id'] !== asked.id) {
      const detail = `the answer has the id ${JSON.stringify(response['id']) ?? '(none)'}, the request had ${asked.id}`;
      throw new TargetFailure({ reason: 'jsonrpc_invalid', step, detail, httpStatus: answer.status });
    }
    return { outcome: outcomeOf(response, step, answer.status), sessionId };
  };

  const readEvents = async (asked: Ask, answer: HttpAnswer): Promise<WireAnswer> => {
    const { step } = asked;
    const sentMs = log.nowMs();
    let found: JsonObject | undefined;
    let events = 0;
    let firstMs = 0;
    const reader = createEventReader({ step, maxBytes: budgets.maxAnswerBytes, maxDepth: budgets.maxDepth }, (message) => {
      if (events++ === 0) firstMs = log.nowMs();
      const kind = kindOfMessage(message);
      if (kind === 'response') {
        if (message['id'] === asked.id) found ??= message;
        else {
          const detail = `the stream carries an answer with the id ${JSON.stringify(message['id'])}, the request had ${asked.id}`;
          throw new TargetFailure({ reason: 'jsonrpc_invalid', step, detail });
        }
      } else if (kind === 'notification') asked.onNotification?.(message);
      else if (kind === 'request') answerServer(message, asked.headers);
      else throw new TargetFailure({ reason: 'jsonrpc_invalid', step, detail: 'the stream carries JSON that is no message' });
    });
    const read = (async () => {
      for await (const chunk of answer.response as AsyncIterable<Buffer>) {
        reader.push(chunk);
        if (found !== undefined) return;
      }
    })();
    read.catch(() => {});
    try {
      await Promise.race([read, answer.failed]);
    } catch (error) {
      answer.finish(false);
      if (error instanceof TargetFailure || asked.signal?.aborted === true) throw error;
      throw new TargetFailure({ reason: 'sse_broken', step, detail: 'the stream broke off before the answer', cause: error });
    }
    // The rest of a stream is nobody's: a server may keep it open for ever.
    answer.finish(answer.response.complete);
    if (found === undefined)
      throw new TargetFailure({ reason: 'sse_broken', step, detail: `the stream ended after ${events} events without the answer` });
    noteBuffering(step, events, firstMs - sentMs, log.nowMs() - firstMs, sentMs);
    return { outcome: outcomeOf(found, step, answer.status) };
  };

  /** Progress that arrives together with the answer told nobody of progress: something held it back. */
  const noteBuffering = (step: Stage, events: number, waitedMs: number, spreadMs: number, _sentMs: number): void => {
    if (step !== 'call' || events < 3 || waitedMs < BUFFERED_WAIT_MS || spreadMs > waitedMs * BUFFERED_SHARE) return;
    if (notes.some(({ reason }) => reason === 'sse_buffered')) return;
    notes.push({
      reason: 'sse_buffered',
      step,
      detail: `${events} events came within ${Math.round(spreadMs)} ms, after ${Math.round(waitedMs)} ms of silence`,
    });
  };

  const answerServer = (message: JsonObject, headers: Ask['headers']): void => {
    // It has no part in our own request: what goes wrong with it shows there.
    tell(politeAnswer(message), headers, budgets.helloMs).catch(() => {});
  };

  const tell = async (message: JsonObject, headers: Ask['headers'], limitMs: number): Promise<void> => {
    const step: Stage = 'hello';
    const answer = await origin.send({
      method: 'POST',
      url,
      headers: postHeaders(parts, headers),
      body: Buffer.from(JSON.stringify(message)),
      step,
      limitMs,
      signal: undefined,
      onLate: () =>
        new TargetFailure({ reason: 'initialize_timeout', step, detail: `a notification was not accepted within ${limitMs} ms` }),
    });
    const refusal = refusalOf(parts, answer, step, headers['mcp-session-id'] !== undefined);
    answer.finish(answer.status === 202 || answer.status === 204);
    if (refusal !== undefined) throw refusal;
  };

  return {
    transport: 'http',
    notes,
    certificateEndsAtMs: origin.certificateEndsAtMs,
    ask,
    tell,
    async close(headers) {
      if (headers['mcp-session-id'] !== undefined) {
        // A courtesy: the server may refuse it, and nobody waits for long.
        const onLate = (): TargetFailure => new TargetFailure({ reason: 'unknown', step: 'hello', detail: 'no answer to the farewell' });
        const answer = await origin
          .send({
            method: 'DELETE',
            url,
            headers: postHeaders(parts, headers),
            step: 'hello',
            limitMs: FAREWELL_MS,
            onLate,
            signal: undefined,
          })
          .catch(() => undefined);
        answer?.finish(false);
      }
      origin.close();
    },
  };
}

const FAREWELL_MS = 1000;
const BUFFERED_WAIT_MS = 100;
const BUFFERED_SHARE = 0.05;

/** An error object in the body of a refusal: then the server understood us, and has more to say than its status. */
function errorIn(body: Uint8Array, type: string, asked: Ask, budgets: Budgets, status: number): WireAnswer | undefined {
  if (!type.startsWith('application/json')) return undefined;
  try {
    const [message] = parseMessages(body, asked.step, budgets.maxDepth);
    if (message === undefined || (message['id'] !== asked.id && message['id'] !== null && message['id'] !== undefined)) return undefined;
    const outcome = outcomeOf(message, asked.step, status);
    return outcome.kind === 'error' ? { outcome } : undefined;
  } catch (error) {
    if (error instanceof TargetFailure) return undefined;
    throw error;
  }
}
