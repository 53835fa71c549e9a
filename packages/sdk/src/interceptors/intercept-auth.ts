/** Auth faults before a handler from Request to Response, on any runtime. */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { mayHoldMessage, readRequestBody } from './auth-body.js';
import { createAuthGate, type AuthGate, type InterceptAuthOptions } from './auth-gate.js';
import type { Verdict } from './auth-ends.js';
import { toResponse } from './http-answer.js';

/** A handler under the rules of a run. */
export type InterceptedAuth = {
  /** Answers a request, or lets it go on to the handler: with its body unread, and with the handler's own response. */
  handle(request: Request, next: (request: Request) => Response | Promise<Response>): Promise<Response>;
  /** Requests that are held go on; afterwards every one does. */
  readonly restore: Cancel;
};

/** Stands before a handler. One per target; several stand one behind the other. */
export function interceptAuth(run: Run, options: InterceptAuthOptions = {}): InterceptedAuth {
  const gate = createAuthGate(run, { ...options, canHangUp: false });
  return {
    async handle(request, next) {
      const verdict = gate.isActive ? await askFor(gate, request) : PASS;
      switch (verdict.kind) {
        case 'pass':
          return next(request);
        case 'answer':
          return toResponse(verdict.answer);
        default:
          return nobodyReads();
      }
    },
    restore: gate.restore,
  };
}

const PASS: Verdict = { kind: 'pass' };

/** For a client that is gone: a handler must return something. */
export const nobodyReads = (): Response => new Response(null, { status: 503 });

/** What the gate makes of a Request. `read` finds its body where somebody has read it before. */
export async function askFor(
  gate: AuthGate,
  request: Request,
  read: (request: Request, maxBytes: number) => ReturnType<typeof readRequestBody> = readRequestBody,
): Promise<Verdict> {
  const { method, headers, signal } = request;
  try {
    const body = mayHoldMessage(method, headers) ? await read(request, gate.maxFrameBytes) : undefined;
    const { pathname, search } = new URL(request.url);
    const passage = gate.ask({ method, target: `${pathname}${search}`, headers, body });
    if (passage === undefined) return PASS;
    if (signal.aborted) passage.gone();
    signal.addEventListener('abort', passage.gone, { once: true });
    const verdict = await passage.verdict;
    signal.removeEventListener('abort', passage.gone);
    return verdict;
  } catch (error) {
    gate.problem(error);
    return PASS;
  }
}
