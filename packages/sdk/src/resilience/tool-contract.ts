/** What may be done when a call of a tool failed and nobody knows whether it happened. */
import { isObject, type JsonObject } from '../core/message.js';

/** What the caller asks of a tool. Members beyond these pass through untouched. */
export type ToolCall = { readonly name: string; readonly arguments?: JsonObject | undefined; readonly _meta?: JsonObject | undefined };

/** The answer to "did it happen?". Whoever says yes also says what the lost answer would have said. */
export type ReadBack<Result> = { readonly happened: true; readonly result: Result } | { readonly happened: false | 'unknown' };

/** What a read-back is told. */
export type ReadBackQuestion = {
  readonly call: ToolCall;
  /** The operation's idempotency key. */
  readonly key: string;
  readonly signal: AbortSignal;
};

/** How a tool may be called again. */
export type ToolContract<Result> =
  /** Changes nothing: repeated freely. */
  | { readonly kind: 'read' }
  /** Doing it twice is doing it once, because the tool knows the key, or by its nature. Repeated on the same route only. */
  | {
      readonly kind: 'idempotent';
      /** The argument that takes the key. */
      readonly keyArgument?: string | undefined;
      /** The member of `_meta` that takes the key. */
      readonly keyMeta?: string | undefined;
      /** All routes know each other's keys, so another one may be tried too. */
      readonly isSharedByRoutes?: boolean | undefined;
    }
  /** Doing it twice does harm. Repeated only when it surely did not happen: by the error, or by what `readBack` found. */
  | {
      readonly kind: 'write';
      readonly readBack?: ((question: ReadBackQuestion) => Promise<ReadBack<Result>>) | undefined;
      /**
       * A call that nobody answered happens within this time of being sent, or never. Without it a read-back that finds
       * nothing proves nothing: the call may still be on its way.
       */
      readonly landsWithinMs?: number | undefined;
    };

/** Contracts by tool; a tool that is not listed is a `write` with no read-back. */
export type ToolContracts<Result> = Readonly<Record<string, ToolContract<Result>>> | ((tool: string) => ToolContract<Result> | undefined);

/** The contract of one tool. */
export function contractOf<Result>(contracts: ToolContracts<Result>, tool: string): ToolContract<Result> {
  const found = typeof contracts === 'function' ? contracts(tool) : Object.hasOwn(contracts, tool) ? contracts[tool] : undefined;
  return found ?? { kind: 'write' };
}

/** The call with its key where the contract wants it. */
export function withKey<Call extends ToolCall>(call: Call, contract: ToolContract<unknown>, key: string): Call {
  if (contract.kind !== 'idempotent') return call;
  const { keyArgument, keyMeta } = contract;
  return {
    ...call,
    ...(keyArgument === undefined ? {} : { arguments: { ...call.arguments, [keyArgument]: key } }),
    ...(keyMeta === undefined ? {} : { _meta: { ...call._meta, [keyMeta]: key } }),
  };
}

/**
 * Contracts from what a server says of its tools (`annotations` in `tools/list`). They are hints: use them for servers
 * that you trust, because a wrong `readOnlyHint` makes a write be repeated.
 */
export function contractsFromHints(
  tools: readonly { readonly name: string; readonly annotations?: unknown }[],
): Readonly<Record<string, ToolContract<never>>> {
  const contracts: Record<string, ToolContract<never>> = {};
  for (const { name, annotations } of tools) {
    const hints = isObject(annotations) ? annotations : {};
    if (hints['readOnlyHint'] === true) contracts[name] = { kind: 'read' };
    else if (hints['idempotentHint'] === true) contracts[name] = { kind: 'idempotent' };
  }
  return contracts;
}
