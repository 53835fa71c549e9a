/** What is seen from outside while an experiment runs, and the signals that are computed from it. Plain data, no I/O. */
import type { Stage } from './connection.js';
import type { FailureReason } from './failure-reason.js';

/** Calls that we touched, and those that we did not. */
export type Lane = 'control' | 'faulted';

/** How one call ended, as its caller saw it. `empty` is a success with nothing in it where something was expected. */
export type CallEnd = 'ok' | 'error' | 'rejected' | 'timeout' | 'empty' | 'wrong' | 'broken';

/** One thing that was seen. `atMs` counts from the start of the run, on the monotonic clock of the host. */
export type Sample =
  /** One round of the external probe. `step` is where it failed. */
  | {
      readonly source: 'probe';
      readonly atMs: number;
      readonly isUp: boolean;
      readonly reason: FailureReason | null;
      readonly step: Stage | null;
      readonly totalMs: number;
      readonly healthStatus?: number | undefined;
      readonly healthReason?: string | undefined;
      /** How the canary of the probe ended, where there is one. */
      readonly canary?: CallEnd | undefined;
    }
  /** One call of a workload. */
  | {
      readonly source: 'call';
      readonly atMs: number;
      readonly lane: Lane;
      readonly tool: string;
      readonly end: CallEnd;
      readonly ms: number;
      readonly detail?: string | undefined;
    }
  /** One operation as its caller wanted it, after the caller's own retries. */
  | { readonly source: 'task'; readonly atMs: number; readonly isDone: boolean; readonly attempts: number; readonly ms: number }
  /** The server's process. `pid` is 0 while there is none. */
  | {
      readonly source: 'process';
      readonly atMs: number;
      readonly pid: number;
      readonly uptimeMs: number;
      readonly restarts?: number | undefined;
      /** How many there are, where the manager runs several. */
      readonly processes?: number | undefined;
    }
  /** This host, as shares from 0 to 1. */
  | { readonly source: 'host'; readonly atMs: number; readonly memory: number; readonly cpu: number }
  /** A number that somebody was asked for: a tool, or a pool. */
  | { readonly source: 'reading'; readonly atMs: number; readonly name: string; readonly value: number }
  /** So many calls passed the proxy of the run so far, and so many of them were hit; and how often each rule of an action did. */
  | {
      readonly source: 'faults';
      readonly atMs: number;
      readonly calls: number;
      readonly delivered: number;
      readonly hits?: Readonly<Record<string, number>> | undefined;
    };

/** Every signal, with its unit and the source it is computed from. One table, so that files, docs and reports agree. */
export const SIGNALS = {
  probe_success: { source: 'probe', unit: 'share', about: 'Share of probes that found the target up.' },
  probe_p95_ms: { source: 'probe', unit: 'ms', about: 'The 95th percentile of the time of a whole probe.' },
  consecutive_failures: { source: 'probe', unit: 'count', about: 'Probes that failed in a row, up to the last one.' },
  outage_seconds: { source: 'probe', unit: 'seconds', about: 'How long the probes have been failing without a break.' },
  protocol_failures: { source: 'probe', unit: 'count', about: 'Probes that failed before any tool was called.' },
  health_status: { source: 'probe', unit: 'status', about: 'The HTTP status of the last look at the health URL.' },
  call_success: { source: 'call', unit: 'share', about: 'Share of calls that ended well.' },
  error_rate: { source: 'call', unit: 'share', about: 'Share of calls that did not end well.' },
  call_p95_ms: { source: 'call', unit: 'ms', about: 'The 95th percentile of the time of a call.' },
  call_p99_ms: { source: 'call', unit: 'ms', about: 'The 99th percentile of the time of a call.' },
  empty_rate: { source: 'call', unit: 'share', about: 'Share of calls that were answered with nothing and no error.' },
  timeout_rate: { source: 'call', unit: 'share', about: 'Share of calls that were given up for time.' },
  rejected_rate: { source: 'call', unit: 'share', about: 'Share of calls that the server refused at once, and said so.' },
  task_failure_rate: { source: 'task', unit: 'share', about: 'Share of operations that failed after their own retries.' },
  attempts_per_task: { source: 'task', unit: 'count', about: 'Calls for each operation: 1 without retries.' },
  uptime_seconds: { source: 'process', unit: 'seconds', about: 'How long the process of the server has been running.' },
  restarts: { source: 'process', unit: 'count', about: 'Restarts that the process manager counted since the run began.' },
  host_memory: {
    source: 'host',
    unit: 'share',
    about: 'Share of the memory of this host that is in use, or of that of the container of the run.',
  },
  host_cpu: { source: 'host', unit: 'share', about: 'Share of the processors of this host that is in use.' },
  reading: { source: 'reading', unit: 'count', about: 'The last number that was read, under the name of its reading.' },
} as const satisfies Readonly<
  Record<
    string,
    { readonly source: Sample['source']; readonly unit: 'share' | 'ms' | 'seconds' | 'count' | 'status'; readonly about: string }
  >
>;

/** The name of a signal. */
export type SignalName = keyof typeof SIGNALS;

/** Which samples a signal is computed from. Without a lane it takes the calls of both. */
export type SignalQuery = {
  readonly signal: SignalName;
  readonly lane?: Lane | undefined;
  /** For `reading`: the name of the reading. */
  readonly name?: string | undefined;
  /** Samples that are older say nothing any more. */
  readonly windowMs: number;
  readonly minSamples: number;
};

/** When a rule of the steady state is looked at. An uptime of an hour can only be asked for before a process is killed. */
export type SteadyPhase = 'before' | 'during' | 'after';

/** What must stay true. Exactly one bound is there. */
export type SteadyRule = SignalQuery & {
  readonly phases: readonly SteadyPhase[];
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
  readonly equals?: number | undefined;
};

/** When the engine stops by itself. Exactly one bound is there. */
export type TripRule = SignalQuery & {
  readonly above?: number | undefined;
  readonly below?: number | undefined;
  /** For so long without a break; 0 means at once. */
  readonly forMs: number;
  /** Where the rule comes from: the file, or the defaults of an action. */
  readonly origin: string;
};
