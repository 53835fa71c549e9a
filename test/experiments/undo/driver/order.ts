/** What the driver is told, as JSON in its first argument. */
export type DriverOrder = {
  readonly folder: string;
  readonly runId: string;
  /** Where the folders of runs are, unless in `folder`. */
  readonly runsFolder?: string | undefined;
  /** A number of seconds that no other sleeping process of this host has. */
  readonly mark: string;
  readonly server?: string | undefined;
  /** `wait`: until somebody asks it to stop. `deaf`: does not listen to stop requests. */
  readonly mode?: 'run' | 'wait' | 'deaf' | undefined;
  /** What it changes, in order; `lie` and `fail` are changes whose undo misbehaves. */
  readonly changes?: readonly ('kept' | 'new' | 'child' | 'lie' | 'fail')[] | undefined;
  readonly ttlMs?: number | undefined;
  readonly heartbeatMs?: number | undefined;
  readonly stopGraceMs?: number | undefined;
  /** The warden of the product instead of the driver's own. */
  readonly warden?: string | undefined;
};
