/**
 * The vocabulary of topologies: every key of a server, gateway, registry and agent, as plain data with range, default and
 * description. Checks, types, sweeps, the JSON Schema and the docs are derived from these tables.
 */

type Common = { readonly about: string; /** May change while the simulation runs. */ readonly isLive?: true };
type Numeric = Common & { readonly min: number; readonly max: number; readonly default?: number; readonly isRequired?: true };

/** One key. Without a default and not required, it may be absent. */
export type Field =
  | (Numeric & { readonly kind: 'whole'; /** Also takes the word `unbounded`. */ readonly mayBeUnbounded?: true })
  | (Numeric & { readonly kind: 'number' })
  /** Milliseconds, or text like `20s`. */
  | (Numeric & { readonly kind: 'time' })
  | (Common & { readonly kind: 'flag'; readonly default: boolean })
  | (Common & { readonly kind: 'text'; readonly default?: string; readonly isRequired?: true })
  | (Common & { readonly kind: 'word'; readonly words: readonly string[]; readonly default: string })
  | (Common & { readonly kind: 'names'; readonly default?: readonly string[]; readonly isRequired?: true })
  | (Common & { readonly kind: 'spread' })
  | (Common & { readonly kind: 'steps' })
  | (Common & { readonly kind: 'group'; readonly fields: Fields });

/** Keys by name. */
export type Fields = { readonly [name: string]: Field };

/** How long something takes: always the same, or drawn anew each time. */
export type Spread =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly fromMs: number; readonly toMs: number }
  | { readonly kind: 'exponential'; readonly meanMs: number }
  /** Half of all draws are below the median, 99 % below p99: what service times usually look like. */
  | { readonly kind: 'lognormal'; readonly medianMs: number; readonly p99Ms: number };

/** A step of a task: tools that are called at the same time (often just one). */
export type StepTools = readonly string[];

type MaybeAbsent<F, Value> = F extends { readonly default: unknown } | { readonly isRequired: true } ? Value : Value | undefined;

/** The checked value of a key. */
export type ValueOf<F extends Field> = F extends { kind: 'whole' | 'number' | 'time' }
  ? MaybeAbsent<F, number>
  : F extends { kind: 'flag' }
    ? boolean
    : F extends { kind: 'text' }
      ? MaybeAbsent<F, string>
      : F extends { kind: 'word'; words: readonly (infer Word)[] }
        ? Word
        : F extends { kind: 'names' }
          ? MaybeAbsent<F, readonly string[]>
          : F extends { kind: 'spread' }
            ? Spread
            : F extends { kind: 'steps' }
              ? readonly StepTools[] | undefined
              : F extends { kind: 'group'; fields: infer Inner extends Fields }
                ? ValuesOf<Inner> | undefined
                : never;

/** The checked values of a table of keys. */
export type ValuesOf<Table extends Fields> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

const DAY_MS = 86_400_000;
const MANY = 1_000_000;

/** A server: one or more replicas, each with workers, a queue, and a pool of connections to what it depends on. */
export const SERVER_FIELDS = {
  tools: { kind: 'names', isRequired: true, about: 'Tools that it offers.' },
  replicas: { kind: 'whole', min: 1, max: 1000, default: 1, about: 'Copies; calls go to them in turn.' },
  workers: { kind: 'whole', min: 1, max: MANY, default: 64, isLive: true, about: 'Calls that one replica works on at a time.' },
  queue: { kind: 'whole', min: 0, max: MANY, default: 1000, about: 'Calls that may wait for a worker of one replica.' },
  pool: { kind: 'whole', min: 1, max: MANY, isLive: true, about: 'Connections of one replica to its database; without it none is needed.' },
  poolQueue: { kind: 'whole', min: 0, max: MANY, default: 100, about: 'Calls that may wait for a connection of one replica.' },
  poolWait: { kind: 'time', min: 0, max: DAY_MS, default: 2000, about: 'How long a call waits for a connection before it fails.' },
  service: { kind: 'spread', about: 'How long the work of one call takes.' },
  slowdown: { kind: 'number', min: 0.001, max: MANY, default: 1, isLive: true, about: 'Factor on how long the work takes.' },
  isUp: { kind: 'flag', default: true, isLive: true, about: 'False: crashed; what it was doing is lost.' },
  rateLimit: {
    kind: 'group',
    about: 'Refuses calls beyond a rate.',
    fields: {
      perSecond: { kind: 'number', min: 0.001, max: MANY, isRequired: true, about: 'Calls per second, over all replicas.' },
      burst: { kind: 'whole', min: 1, max: MANY, default: 10, about: 'Calls that may come at once.' },
    },
  },
  coldStart: {
    kind: 'group',
    about: 'A replica that had nothing to do must warm up.',
    fields: {
      afterIdle: { kind: 'time', min: 0, max: DAY_MS, default: 60_000, about: 'Idle time until a replica is cold.' },
      takes: { kind: 'time', min: 0, max: DAY_MS, isRequired: true, about: 'What the first call takes longer.' },
    },
  },
  items: { kind: 'whole', min: 0, max: 1000, default: 0, about: 'Rows in each result, beside their total.' },
  writes: { kind: 'names', default: [], about: 'Tools that change something: done twice, they do harm.' },
  isIdempotent: { kind: 'flag', default: false, about: 'Does an operation once, however often it is asked for.' },
  honoursCancel: { kind: 'flag', default: false, about: 'Drops queued work that nobody waits for any more.' },
  calls: { kind: 'names', default: [], about: 'Other servers that each call needs, one after the other.' },
} as const satisfies Fields;

/** Between the agents and the servers. */
export const GATEWAY_FIELDS = {
  connections: {
    kind: 'whole',
    min: 1,
    max: MANY,
    isRequired: true,
    isLive: true,
    about: 'Calls under way at a time, all servers together.',
  },
  queue: { kind: 'whole', min: 0, max: MANY, default: 1000, about: 'Calls that may wait for a connection.' },
  headOfLine: {
    kind: 'flag',
    default: true,
    about: 'True: one queue for all, so that a slow server blocks the others. False: each server has its share of the connections.',
  },
  retries: { kind: 'whole', min: 0, max: 100, default: 0, about: 'Times that the gateway tries a failed call again.' },
  retryAfter: { kind: 'time', min: 0, max: DAY_MS, default: 50, about: 'Time before it tries again.' },
} as const satisfies Fields;

/** Who knows where the tools are. */
export const REGISTRY_FIELDS = {
  refresh: { kind: 'time', min: 0, max: DAY_MS, default: 0, about: 'How old its knowledge may be; 0: never out of date.' },
} as const satisfies Fields;

const RETRY_FIELDS = {
  max: { kind: 'whole', min: 0, max: MANY, default: 0, mayBeUnbounded: true, about: 'Retries of one operation, or "unbounded".' },
  backoff: { kind: 'time', min: 0, max: DAY_MS, default: 100, about: 'Time before the first retry.' },
  factor: { kind: 'number', min: 1, max: 100, default: 2, about: 'How much longer each further wait is.' },
  maxBackoff: { kind: 'time', min: 0, max: DAY_MS, default: 10_000, about: 'The longest wait.' },
  jitter: { kind: 'number', min: 0, max: 1, default: 0, about: 'Share of each wait that is drawn at random.' },
} as const satisfies Fields;

/** Who makes the calls. */
export const AGENT_FIELDS = {
  tasks: { kind: 'whole', min: 1, max: 100 * MANY, about: 'Tasks in all, begun as others end; or use "perSecond".' },
  perSecond: { kind: 'number', min: 0.001, max: MANY, isLive: true, about: 'Tasks that arrive per second, at random, ready or not.' },
  concurrency: { kind: 'whole', min: 1, max: MANY, default: 1, about: 'Tasks at a time; with "perSecond" more are turned away.' },
  tools: { kind: 'names', about: 'Tools of a task, taken in turn for "fanout" steps.' },
  fanout: { kind: 'whole', min: 1, max: 10_000, about: 'Steps per task, where "tools" is given; one for each tool by default.' },
  isParallel: { kind: 'flag', default: false, about: 'True: all steps of "tools" at the same time.' },
  steps: { kind: 'steps', about: 'Steps one by one: a tool, or a list of tools that are called at the same time.' },
  spareSteps: { kind: 'whole', min: 0, max: 10_000, default: 0, about: 'The last steps, which a task can do without (degradation).' },
  deadline: { kind: 'time', min: 1, max: DAY_MS, default: 1000, about: 'When an answer counts as late.' },
  timeout: { kind: 'time', min: 1, max: DAY_MS, default: 60_000, about: 'When a call is given up.' },
  taskDeadline: { kind: 'time', min: 1, max: DAY_MS, about: 'When a whole task is given up.' },
  retry: { kind: 'group', fields: RETRY_FIELDS, about: 'What the agent does about a failed operation.' },
  clientRetries: { kind: 'whole', min: 0, max: 100, default: 0, about: 'Retries that the client library makes inside each of them.' },
  retryShare: { kind: 'number', min: 0, max: 100, about: 'Retry budget: retries per first attempt, over all traffic.' },
  breaker: {
    kind: 'group',
    about: 'A breaker per tool, on the share of correct answers.',
    fields: {
      threshold: { kind: 'number', min: 0, max: 1, default: 0.5, about: 'Opens below this share.' },
      minCalls: { kind: 'whole', min: 1, max: MANY, default: 4, about: 'Calls to see before it judges.' },
      probeInterval: {
        kind: 'whole',
        min: 1,
        max: MANY,
        about: 'Every Nth call goes through as a probe; without it an open breaker stays open.',
      },
    },
  },
  limiter: {
    kind: 'group',
    about: "The agent's own limit on what it sends.",
    fields: {
      perSecond: { kind: 'number', min: 1, max: MANY, isRequired: true, about: 'Calls per second.' },
      mode: { kind: 'word', words: ['reject', 'breaker'], default: 'reject', about: 'Refuse each call too many, or stop for a while.' },
      openFor: { kind: 'time', min: 1, max: DAY_MS, default: 5000, about: 'How long it stops, as a breaker.' },
      countsRefused: { kind: 'flag', default: false, about: 'Refused calls use the limit up, too.' },
    },
  },
  bulkhead: { kind: 'whole', min: 1, max: MANY, about: 'Calls under way to one server at a time.' },
  deadlineRouting: { kind: 'flag', default: false, about: 'Does not make a call that will not be back before its deadline.' },
  fallback: { kind: 'text', about: 'Tool that is called where a step failed, or was not worth a call.' },
  validates: { kind: 'flag', default: true, about: 'Holds results against their schema, and looks whether they are complete.' },
  verifiesOrigin: { kind: 'flag', default: false, about: 'Notices when another server answered than the one that owns the tool.' },
} as const satisfies Fields;

export type ServerSpec = ValuesOf<typeof SERVER_FIELDS>;
export type GatewaySpec = ValuesOf<typeof GATEWAY_FIELDS>;
export type RegistrySpec = ValuesOf<typeof REGISTRY_FIELDS>;
export type AgentSpec = ValuesOf<typeof AGENT_FIELDS>;
