/** A role of the worker program: work that must go on in a process of its own, beside the run and never longer than it. */
import type { JsonObject } from '@toolquake/sdk/core';

/** What a role is given. */
export type WorkerWorld = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the run lets go of us, or is gone. */
  readonly signal: AbortSignal;
  /** Tells the run something, as one line of JSON. Rejects never; what nobody reads any more is dropped. */
  emit(message: JsonObject): void;
  /** The monotonic clock of the host in milliseconds: the same number in every process on it. */
  hostMs(): number;
};

/** One role; one file each in `roles/`. Resolves when its work is done or the signal aborts. */
export type WorkerRole = { readonly role: string; readonly summary: string; run(config: JsonObject, world: WorkerWorld): Promise<void> };

/** Defines a role. */
export const defineWorker = (role: WorkerRole): WorkerRole => role;
