/** One way of carrying messages to a server. The conversation above it knows eras and methods; a wire knows bytes. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { RpcOutcome, Stage, TargetNote, TargetTransport } from '../core/connection.js';

/** A request on its way. */
export type Ask = {
  readonly id: number;
  readonly message: JsonObject;
  readonly step: Stage;
  readonly limitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly onNotification: ((message: JsonObject) => void) | undefined;
};

/** An answer, with what its transport said besides. */
export type WireAnswer = { readonly outcome: RpcOutcome; readonly sessionId?: string | undefined };

/** See the module comment. Every rejection is a `TargetFailure`, or the reason of the signal. */
export type Wire = {
  readonly transport: TargetTransport;
  readonly notes: readonly TargetNote[];
  certificateEndsAtMs(): number | undefined;
  ask(ask: Ask): Promise<WireAnswer>;
  /** Sends what needs no answer. */
  tell(message: JsonObject, headers: Readonly<Record<string, string>>, limitMs: number): Promise<void>;
  /** `headers` go with the farewell, where the transport has one. */
  close(headers: Readonly<Record<string, string>>): Promise<void>;
};
