/** The auth gate on Node: middleware of Express, Connect and plain `node:http`, and a hook of Fastify. */
import type { Run } from '../controller/run.js';
import type { Cancel } from '../core/clock.js';
import { bodyFrame, mayHoldMessage, parsedFrame } from './auth-body.js';
import type { Verdict } from './auth-ends.js';
import { createAuthGate, type AuthGate, type InterceptAuthOptions } from './auth-gate.js';
import { breakConnection, nodeHeaders, peekBody, sendAnswer, type NodeRequest, type NodeResponse } from './node-http.js';

/** Middleware, and its undo. */
export type InterceptedNodeAuth = {
  handle(request: NodeRequest, response: NodeResponse, next: () => void): void;
  readonly restore: Cancel;
};

/**
 * Stands before what is mounted after it: `app.use(interceptNodeAuth(run, { target }).handle)`, before or after a body
 * parser. With `node:http` alone, `next` is a call of the handler.
 */
export function interceptNodeAuth(run: Run, options: InterceptAuthOptions = {}): InterceptedNodeAuth {
  const gate = createAuthGate(run, { ...options, canHangUp: true });
  return {
    handle(request, response, next) {
      if (!gate.isActive) return next();
      const settle = (verdict: Verdict): void => {
        if (verdict.kind === 'pass') next();
        else if (verdict.kind === 'answer') sendAnswer(response, verdict.answer);
        else if (verdict.kind === 'cut') breakConnection(request.socket, verdict.how);
      };
      void askFor(gate, request, response, request.body).then(settle);
    },
    restore: gate.restore,
  };
}

/** What is used of Fastify's request and reply. */
export type FastifyRequest = { readonly raw: NodeRequest; readonly body?: unknown };
/** See FastifyRequest. */
export type FastifyReply = {
  readonly raw: NodeResponse;
  code(status: number): unknown;
  headers(headers: Readonly<Record<string, string>>): unknown;
  send(body?: string): unknown;
  hijack(): unknown;
};

/** A hook, and its undo. */
export type InterceptedFastifyAuth = {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  readonly restore: Cancel;
};

/** Stands before the handlers of a Fastify server: `app.addHook('preHandler', interceptFastifyAuth(run, { target }).handle)`. */
export function interceptFastifyAuth(run: Run, options: InterceptAuthOptions = {}): InterceptedFastifyAuth {
  const gate = createAuthGate(run, { ...options, canHangUp: true });
  return {
    async handle(request, reply) {
      if (!gate.isActive) return undefined;
      const verdict = await askFor(gate, request.raw, reply.raw, request.body);
      if (verdict.kind === 'pass') return undefined;
      if (verdict.kind === 'answer') {
        const { status, headers, body } = verdict.answer;
        reply.code(status);
        reply.headers(headers);
        reply.send(body === '' ? undefined : body);
        return reply;
      }
      reply.hijack();
      if (verdict.kind === 'cut') breakConnection(request.raw.socket, verdict.how);
      return reply;
    },
    restore: gate.restore,
  };
}

async function askFor(gate: AuthGate, request: NodeRequest, response: NodeResponse, parsed: unknown): Promise<Verdict> {
  try {
    const { method = 'GET', originalUrl, url = '/' } = request;
    const headers = nodeHeaders(request);
    const body = mayHoldMessage(method, headers) ? await readBody(request, parsed, gate.maxFrameBytes) : undefined;
    const passage = gate.ask({ method, target: originalUrl ?? url, headers, body });
    if (passage === undefined) return { kind: 'pass' };
    if (response.destroyed) passage.gone();
    response.on('close', passage.gone);
    const verdict = await passage.verdict;
    response.removeListener('close', passage.gone);
    return verdict;
  } catch (error) {
    gate.problem(error);
    return { kind: 'pass' };
  }
}

async function readBody(request: NodeRequest, parsed: unknown, maxBytes: number): Promise<ReturnType<typeof parsedFrame> | undefined> {
  if (typeof parsed === 'object' && parsed !== null) return parsedFrame(parsed);
  const peeked = await peekBody(request, maxBytes);
  return peeked === undefined ? undefined : bodyFrame(peeked.bytes, peeked.isWhole);
}
