/** A client's half of the protocol on any wire: numbers requests, adds what the era demands, notes the time of each stage. */
import type { JsonObject } from '@toolquake/sdk/core';
import { rpcFailure, type RequestOptions, type RpcOutcome, type Stage } from '../core/connection.js';
import { headersFor, paramsFor, type Speaker } from './eras.js';
import type { StageLog } from './stage-log.js';
import type { Budgets } from './target.js';
import type { Wire } from './wire.js';

/** What can be said on it. The speaker may change until the hello is done. */
export type Conversation = {
  speaker: Speaker;
  readonly wire: Wire;
  ask(step: Stage, method: string, params?: JsonObject, options?: RequestOptions): Promise<RpcOutcome>;
  /** Like `ask`, where only a result will do. */
  want(step: Stage, method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  tell(method: string, params?: JsonObject): Promise<void>;
};

/** The time that a step may take, by the budgets. */
function limitOf(step: Stage, budgets: Budgets): number {
  switch (step) {
    case 'detect':
      return budgets.detectMs;
    case 'list':
      return budgets.listMs;
    case 'call':
      return budgets.callMs;
    default:
      return budgets.helloMs;
  }
}

/** Starts talking as `speaker`. `signal` ends every request that is under way. */
export function converse(
  wire: Wire,
  speaker: Speaker,
  { budgets, log, signal }: { readonly budgets: Budgets; readonly log: StageLog; readonly signal: AbortSignal | undefined },
): Conversation {
  let nextId = 1;
  const conversation: Conversation = {
    speaker,
    wire,
    async ask(step, method, params, options = {}) {
      const given = paramsFor(conversation.speaker, params);
      const { outcome, sessionId } = await log.time(
        step,
        () =>
          wire.ask({
            id: nextId,
            message: { jsonrpc: '2.0', id: nextId++, method, ...(given === undefined ? {} : { params: given }) },
            step,
            limitMs: options.timeoutMs ?? limitOf(step, budgets),
            signal: joined(signal, options.signal),
            headers: { ...headersFor(conversation.speaker, method, params), ...options.headers },
            onNotification: options.onNotification,
          }),
        method,
      );
      if (method === 'initialize') conversation.speaker = { ...conversation.speaker, sessionId };
      return outcome;
    },
    async want(step, method, params, options) {
      const outcome = await conversation.ask(step, method, params, options);
      if (outcome.kind === 'result') return outcome.result;
      throw rpcFailure(step, outcome.error, method);
    },
    async tell(method, params) {
      const given = paramsFor(conversation.speaker, params);
      const message = { jsonrpc: '2.0', method, ...(given === undefined ? {} : { params: given }) };
      await wire.tell(message, headersFor(conversation.speaker, method, params), budgets.helloMs);
    },
  };
  return conversation;
}

function joined(first: AbortSignal | undefined, second: AbortSignal | undefined): AbortSignal | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return AbortSignal.any([first, second]);
}

/** The step that a method belongs to. */
export function stepOf(method: string): Stage {
  if (method === 'server/discover' || method === 'initialize' || method === 'ping') return 'hello';
  return method.endsWith('/list') ? 'list' : 'call';
}
