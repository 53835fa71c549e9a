/** What an action is: a step of an experiment that changes the world, with its undo. One file each in `kinds/`. */
import type { Clock, JsonObject } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from '../config/configured-target.js';
import type { Blast, ManagerSpec } from '../core/experiment.js';
import type { Feasibility, PreparedAction } from '../core/prepared-action.js';
import type { Sample, TripRule } from '../core/sample.js';
import type { SettingFields } from '../core/setting-field.js';

/** A child of the run that does nothing before it is told to, and ends when we do: its stdin is its lifeline. */
export type WorkerHandle = {
  readonly pid: number;
  /** Lets it begin. */
  go(): void;
  /** Lines of JSON that it printed, as they come. */
  onMessage(listener: (message: JsonObject) => void): void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  stop(): Promise<void>;
};

/** The proxy of the run before its target, when there is one. */
export type Front = {
  readonly url: string;
  /** The admin routes of the proxy, open on loopback for this run alone. */
  readonly adminUrl: string;
  /** The variable of the environment that holds the token. */
  readonly adminTokenVariable: string;
  /** Calls that passed, and calls that were hit, so far. */
  counts(): { readonly calls: number; readonly delivered: number };
};

/** What an action needs of the world. */
export type ActionWorld = {
  readonly runId: string;
  readonly runDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Milliseconds since the start of the run, on the monotonic clock of the host. */
  readonly nowMs: () => number;
  /** The run is over, or was stopped. */
  readonly signal: AbortSignal;
  /** Where load and probes go: the front of the run when there is one. */
  readonly target: ConfiguredTarget;
  /** The target itself. */
  readonly upstream: ConfiguredTarget;
  readonly manager: ManagerSpec | undefined;
  readonly front: Front | undefined;
  readonly seed: number;
  /** What can end by itself ends after this, even if nobody undoes it: as long as the fault may last, and the lease. */
  readonly lastsMs?: number | undefined;
  /** What the action sees while it works. */
  readonly onSample: (sample: Sample) => void;
  /** Starts a role of the worker program. */
  startWorker(role: string, config: JsonObject): Promise<WorkerHandle>;
  /** One line for people. */
  readonly tell: (line: string) => void;
};

/** What looking whether an action can be done needs. */
export type FeasibilityWorld = Pick<ActionWorld, 'env' | 'manager' | 'upstream' | 'front' | 'signal'>;

/** See the module comment. */
export type Action = {
  readonly type: string;
  readonly summary: string;
  readonly blast: Blast;
  readonly params: SettingFields;
  /** What happens at worst, for the preview. */
  readonly worstCase: string;
  /** What it does with these parameters, where the plain ones among them do not tell. */
  about?(params: JsonObject): string;
  /** Tripwires that come with it, unless the file has one on the same signal. */
  readonly trips: readonly TripRule[];
  /** Sources of samples that it brings itself: rules on their signals then need no load and no reading in the file. */
  readonly brings?: readonly Sample['source'][];
  /**
   * Checks what the table of parameters cannot see, when the experiment is loaded, and reads files in, from the folder of the
   * experiment: what is approved must not be changed behind its digest. Rejects with a `ToolquakeError`.
   */
  settle?(params: JsonObject, folder: string): Promise<JsonObject>;
  /** Parameters of a lower stage: `share` of the full dose, in (0, 1]. */
  scale(params: JsonObject, share: number): JsonObject;
  feasibility(params: JsonObject, world: FeasibilityWorld): Promise<Feasibility>;
  /** Reads the world as it is, and changes nothing. */
  prepare(params: JsonObject, world: ActionWorld): Promise<PreparedAction>;
};

/** Defines an action. */
export const defineAction = (action: Action): Action => action;
