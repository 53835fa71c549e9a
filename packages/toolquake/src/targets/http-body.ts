/** The body of an answer, held up to a limit. */
import { TargetFailure, type Stage } from '../core/connection.js';
import type { HttpAnswer } from './http-post.js';

/** All bytes of a body. Ends the exchange, also where it fails. */
export async function readBody(answer: HttpAnswer, step: Stage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const whole = (async () => {
      for await (const chunk of answer.response as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxBytes) {
          const detail = `the answer is larger than ${maxBytes} bytes`;
          throw new TargetFailure({ reason: 'answer_too_large', step, detail, httpStatus: answer.status });
        }
        chunks.push(chunk);
      }
    })();
    whole.catch(() => {});
    await Promise.race([whole, answer.failed]);
    answer.finish(true);
    return Buffer.concat(chunks);
  } catch (error) {
    answer.finish(false);
    throw bodyFailure(error, answer, step);
  }
}

/** Why a body broke off, when it was not we who gave up. */
function bodyFailure(error: unknown, { response, status }: HttpAnswer, step: Stage): unknown {
  if (error instanceof TargetFailure || !isCut(error) || response.complete) return error;
  return new TargetFailure({
    reason: 'http_truncated',
    step,
    detail: 'the body ended before it was complete',
    httpStatus: status,
    cause: error,
  });
}

function isCut(error: unknown): boolean {
  // Errors of the system and of the parser have a code, which Error does not declare.
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^(ECONNRESET|ERR_STREAM_PREMATURE_CLOSE|EPIPE|HPE_)/.test(code);
}
