/** What runs the server and starts it again: one file per kind, all behind this type. */
import type { Clock } from '@toolquake/sdk/core';
import type { ManagerSpec } from '../core/experiment.js';
import type { ProcessIdentity } from '../undo/process-identity.js';
import type { RunningProcess } from './process-table.js';

/** What there is now. */
export type ProcessLook = {
  /** Oldest first; several where the manager runs replicas. Empty while nothing runs. */
  readonly processes: readonly RunningProcess[];
  /** How many the manager is meant to run: 0 when it knows nothing of the name (any more). Absent where nobody knows. */
  readonly expected?: number | undefined;
  /** The manager itself says that it will not start it again: it was stopped, or ended too often. */
  readonly isGivenUp?: boolean | undefined;
  /** How often the manager started them again, all together, where it counts. */
  readonly restarts?: number | undefined;
};

/** By which signal it would end: some managers take SIGTERM for a wish to stop. */
export type EndSignal = 'TERM' | 'INT' | 'KILL';

/** Does anything start the server again when it ends? */
export type RestartPolicy = { readonly restarts: boolean; readonly why: string };

/** See the module comment. Everything rejects with a `ToolquakeError` when the manager does not answer. */
export type ProcessManager = {
  /** What an undo needs to open the same manager later, from another process. */
  readonly spec: ManagerSpec;
  /** Variables that lead to it, such as the folder of PM2. No secrets. */
  readonly variables: Readonly<Record<string, string>>;
  /** The process in whose memory the manager is, where that is so: another one that knows nothing of the name may have lost it. */
  readonly keeper?: ProcessIdentity | undefined;
  /** `PM2 "demo-server"`. */
  readonly about: string;
  look(): Promise<ProcessLook>;
  restartPolicy(signal: EndSignal): Promise<RestartPolicy>;
  /** Starts what does not run. */
  start(): Promise<void>;
  restart(): Promise<void>;
};

/** What opening a manager needs. */
export type ManagerWorld = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly clock?: Clock | undefined;
  /** The command of a stdio target, for `own`. */
  readonly ownCommand?: readonly string[] | undefined;
};
