/** A target as probes and gates see it: requests and what came of them, with the time that each stage took. Types and errors only. */
import { isObject, type Cancel, type Clock, type JsonObject } from '@toolquake/sdk/core';
import { FAILURE_REASONS, type FailureReason } from './failure-reason.js';

/** Before and after 2026-07-28. */
export type Era = 'legacy' | 'modern';

/** How messages travel; `http-sse` is the deprecated transport of 2024. */
export type TargetTransport = 'stdio' | 'http' | 'http-sse';

/** What a client waits for, in order. `spawn` takes the place of resolve, tcp and tls on stdio. */
export const STAGES = ['resolve', 'tcp', 'tls', 'spawn', 'token', 'detect', 'request', 'hello', 'list', 'call', 'health'] as const;

/** One of `STAGES`. */
export type Stage = (typeof STAGES)[number];

/** When a stage began, counted from the start of the dial, and how long it took. */
export type StageTiming = { readonly stage: Stage; readonly startMs: number; readonly durationMs: number; readonly detail?: string };

/** An error object of JSON-RPC; `httpStatus` is that of the answer that carried it. */
export type RpcErrorObject = {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly httpStatus?: number | undefined;
};

/** What came of a request. Both are answers; whatever prevents one is a `TargetFailure`. */
export type RpcOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: RpcErrorObject };

/** What may differ for one request. */
export type RequestOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Called for each notification that comes while the request runs (progress, logs). */
  readonly onNotification?: ((message: JsonObject) => void) | undefined;
  /** Further HTTP headers: `Mcp-Param-*` of annotated arguments, for example. No meaning on stdio. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** What can be listed. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** All pages of a list. */
export type Listing = {
  readonly items: readonly JsonObject[];
  readonly pages: number;
  /** The first page as it came, without its items: `ttlMs`, `cacheScope`, `_meta`. */
  readonly envelope: JsonObject;
};

/** Something worth knowing that did not prevent the answer. */
export type TargetNote = { readonly reason: FailureReason; readonly step: Stage; readonly detail: string };

/** A server that said hello. */
export type Connection = {
  readonly target: string;
  readonly transport: TargetTransport;
  readonly era: Era;
  readonly protocolVersion: string;
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** The whole answer to the hello. */
  readonly hello: JsonObject;
  /** The stages so far; grows with every list and call. */
  readonly stages: readonly StageTiming[];
  /** Warnings so far; grows. */
  readonly notes: readonly TargetNote[];
  /** When the certificate ends, in milliseconds since 1970; undefined without TLS. */
  readonly certificateEndsAtMs: number | undefined;
  /** When our own token ends, where it says so. */
  readonly credentialEndsAtMs: number | undefined;
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<RpcOutcome>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Follows all pages, within the budgets. Throws a `TargetFailure` for an error, too. */
  listAll(kind: ListKind, options?: RequestOptions): Promise<Listing>;
  close(): Promise<void>;
};

/** What is known about a failure. */
export type FailureFacts = {
  readonly reason: FailureReason;
  readonly step: Stage;
  readonly detail: string;
  readonly httpStatus?: number | undefined;
  readonly rpcCode?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
};

/** Why a target gave no answer. An unhealthy target is a result: whoever asked turns it into one with `factsOf`. */
export class TargetFailure extends Error {
  readonly facts: FailureFacts;

  constructor(facts: FailureFacts) {
    super(`${facts.reason} at ${facts.step}: ${facts.detail}`, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'TargetFailure';
    this.facts = facts;
  }

  get reason(): FailureReason {
    return this.facts.reason;
  }

  get step(): Stage {
    return this.facts.step;
  }

  /** What the reader should do. */
  get advice(): string {
    return FAILURE_REASONS[this.facts.reason].act;
  }
}

/** The reason of an error object, where codes have one of their own. */
export function reasonOfRpcError({ code }: Pick<RpcErrorObject, 'code'>): FailureReason {
  switch (code) {
    case -32601:
      return 'method_not_found';
    case -32602:
      return 'invalid_params';
    case -32603:
      return 'internal_error';
    case -32020:
      return 'header_mismatch';
    case -32021:
      return 'missing_client_capability';
    case -32022:
      return 'protocol_version_mismatch';
    default:
      return 'jsonrpc_error';
  }
}

/** An error object as a failure of a step. */
export function rpcFailure(step: Stage, error: RpcErrorObject, what: string): TargetFailure {
  return new TargetFailure({
    reason: reasonOfRpcError(error),
    step,
    detail: `${what} was answered with error ${error.code}: ${error.message}`,
    rpcCode: error.code,
    httpStatus: error.httpStatus,
  });
}

/** The object in a member of another; empty when there is none. */
export function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

/** Waits for work with a limit in time. What is abandoned must stop by the signal; its late failure is nobody's. */
export async function within<Result>(
  { clock, limitMs, signal }: { readonly clock: Clock; readonly limitMs: number; readonly signal?: AbortSignal | undefined },
  onTimeout: () => Error,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let cancel: Cancel = () => {};
  let onAbort = (): void => {};
  const limit = new Promise<never>((_, reject) => {
    const stop = (error: unknown): void => {
      // Refused before it is stopped: the reason must be ours, not that of what breaks because we stop it.
      // eslint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of a signal is whatever its owner chose
      reject(error);
      controller.abort(error);
    };
    cancel = clock.schedule(limitMs, () => stop(onTimeout()));
    onAbort = () => stop(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  const working = work(controller.signal);
  working.catch(() => {});
  try {
    return await Promise.race([working, limit]);
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
