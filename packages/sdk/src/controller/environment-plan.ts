/** A plan from two environment variables, for a server that somebody wants to shake without writing one. */
import { ToolquakeError } from '../core/errors.js';
import type { JsonObject } from '../core/message.js';
import { processEnvironment, type GuardEnvironment } from '../interceptors/guard.js';

/** The longest delay that makes sense: a day. */
const MAX_DELAY_MS = 86_400_000;

/**
 * The plan that `CHAOS_DELAY_MS` (every tool call takes so much longer) and `CHAOS_ERROR_RATE` (this share of them then
 * fails) ask for; one without rules when neither is set. The guard is asked all the same. Where a run has several
 * interceptors, name the target that is meant: a call that passes two of them would meet the rules twice.
 */
export function planFromEnvironment(
  env: GuardEnvironment = processEnvironment(),
  { target }: { readonly target?: string | undefined } = {},
): JsonObject {
  const when = target === undefined ? {} : { when: { target } };
  const delayMs = read(env, 'CHAOS_DELAY_MS', {
    max: MAX_DELAY_MS,
    allowed: `a whole number of milliseconds from 0 to ${MAX_DELAY_MS}`,
    form: /^\d+$/,
  });
  const rate = read(env, 'CHAOS_ERROR_RATE', { max: 1, allowed: 'a number from 0 to 1', form: /^(\d+\.?\d*|\.\d+)$/ });
  return {
    version: 1,
    rules: [
      ...(delayMs > 0 ? [{ id: 'delay', fault: 'latency', params: { addedMs: delayMs, jitterMs: 0 }, phase: 'pre', ...when }] : []),
      ...(rate > 0 ? [{ id: 'errors', fault: 'error-response', probability: rate, ...when }] : []),
    ],
  };
}

function read(env: GuardEnvironment, name: string, { max, allowed, form }: { max: number; allowed: string; form: RegExp }): number {
  const text = env[name]?.trim() ?? '';
  if (text === '') return 0;
  const value = Number(text);
  if (form.test(text) && value <= max) return value;
  throw new ToolquakeError('OUT_OF_RANGE', {
    message: `${name} is ${JSON.stringify(text)}, and must be ${allowed}.`,
    advice: `Correct it, or unset ${name}.`,
  });
}
