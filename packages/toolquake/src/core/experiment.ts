/** An experiment as it was written down and checked: what must stay true, what is broken, how far it may go, when to stop. Plain data. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { SteadyRule, TripRule } from './sample.js';

/** What came of an experiment. The worst one that applies is told. */
export const VERDICTS = ['held', 'violated', 'aborted', 'inconclusive', 'not-injected', 'undo-failed'] as const;

/** One of `VERDICTS`. */
export type Verdict = (typeof VERDICTS)[number];

/** The life of a run, in order. */
export const PHASES = ['preconditions', 'before', 'during', 'undo', 'after'] as const;

/** One of `PHASES`. */
export type Phase = (typeof PHASES)[number];

/** Whom an action hits: single calls, the whole server, or nobody. */
export type Blast = 'calls' | 'server' | 'none';

/** One step. Steps begin in order; each stays for `forMs` before the next begins, and all are undone at the end, last one first. */
export type ActionStep = {
  readonly id: string;
  /** The word of the action: its file in `actions/kinds/`. */
  readonly action: string;
  readonly params: JsonObject;
  readonly forMs: number;
};

/** A workload of ours: what the faults are to hit, and where the signals of calls come from. */
export type LoadSpec = {
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Callers at once; each waits for its answer before it calls again. */
  readonly clients: number;
  /** Calls a second of all callers together. */
  readonly perSecond: number;
  readonly timeoutMs: number;
  /** How often a caller tries again before its operation has failed. */
  readonly retries: number;
  /** From one try to the next; doubled each time. */
  readonly retryDelayMs: number;
  /** A path into the answer (as in canaries) that must hold something: else the call was answered with nothing. */
  readonly notEmpty?: string | undefined;
};

/** The probe outside: a process with its own clock, which alerts by rules of its own. */
export type MonitorSpec = {
  readonly everyMs: number;
  /** Failures in a row before it alerts. */
  readonly failures: number;
  /** It also alerts when the p95 of its probes is above so many times that of the quiet phase. */
  readonly slowFactor: number;
  /** Probes that a p95 is taken over. */
  readonly slowOver: number;
  /** Where alerts go besides the receiver of the run. May hold `${NAME}`. */
  readonly webhooks: readonly string[];
  /** A monitor that somebody else runs, and that posts its alerts to the receiver of the run: then the own one only measures. */
  readonly external?: { readonly port: number; readonly tokenVariable: string } | undefined;
};

/** A number that is read again and again during the run. */
export type ReadingSpec = {
  readonly name: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly path: string;
  readonly everyMs: number;
};

/** What runs the server and starts it again. `none`: nobody does. */
export type ManagerSpec =
  | { readonly kind: 'pm2' | 'systemd' | 'docker'; readonly name: string }
  /** A process by its id, or by a word-by-word command line; who restarts it is not known. */
  | { readonly kind: 'pid'; readonly pid: number }
  | { readonly kind: 'command'; readonly command: readonly string[] }
  /** A stdio server that the run starts itself. */
  | { readonly kind: 'own' };

/** The alert that must come. */
export type AlertExpectation = {
  /** One of these reasons. Empty: any. */
  readonly reasons: readonly string[];
  /** Probe cycles from the fault to the alert. */
  readonly withinCycles: number;
};

/** The most that a run may do. Checked before it starts, and at every tick. */
export type ExperimentLimits = { readonly maxRuntimeMs: number; readonly maxFaultedCalls: number; readonly maxCalls: number };

/** See the module comment. */
export type Experiment = {
  readonly version: 1;
  readonly id: string;
  readonly owner: string | undefined;
  readonly question: string;
  /** The name of the target in toolquake.yaml, or of the one in this file. */
  readonly target: string;
  /** What kind of world the target lives in: `production` is refused. */
  readonly environment: string;
  /** Besides those of the target itself. */
  readonly labels: Readonly<Record<string, string>>;
  readonly manager: ManagerSpec | undefined;
  readonly monitor: MonitorSpec;
  readonly load: LoadSpec | undefined;
  readonly readings: readonly ReadingSpec[];
  /** The run puts a proxy of its own before the target, and load and monitor go through it. */
  readonly front: { readonly port: number } | undefined;
  readonly steady: readonly SteadyRule[];
  readonly actions: readonly ActionStep[];
  readonly dose: {
    /** Percent, ascending. */
    readonly ladder: readonly number[];
    /** A stage with fewer faulted calls than this says nothing. 0 for actions on servers. */
    readonly minFaulted: number;
    readonly seed: number;
  };
  readonly rollbackOn: readonly TripRule[];
  readonly expectAlert: AlertExpectation | undefined;
  /** From the moment the faults are gone (or, where the system must heal itself, from the fault) until all is steady again. */
  readonly recoverWithinMs: number;
  /** The system must recover while the fault is still there: a process that is killed comes back by itself. */
  readonly mustSelfHeal: boolean;
  readonly times: { readonly beforeMs: number; readonly afterMs: number; readonly tickMs: number };
  readonly undo: { readonly deadlineMs: number };
  readonly lease: { readonly ttlMs: number; readonly heartbeatMs: number };
  readonly limits: ExperimentLimits;
  readonly approval: { readonly fromStage: number };
};
