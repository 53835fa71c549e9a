/** What is known about a server before the first byte: where it is, who we are there, and how long we wait. */

/** How long each stage may take, and how much of a server's answer we are ready to hold. */
export type Budgets = {
  readonly resolveMs: number;
  readonly tcpMs: number;
  readonly tlsMs: number;
  /** A process to start, and its silence on `server/discover` before it counts as a server of the older era. */
  readonly detectMs: number;
  readonly helloMs: number;
  /** Each page of a list. */
  readonly listMs: number;
  readonly callMs: number;
  readonly healthMs: number;
  /** The whole probe. */
  readonly totalMs: number;
  readonly maxAnswerBytes: number;
  readonly maxDepth: number;
  readonly maxPages: number;
  readonly maxItems: number;
};

/** From long experience: a probe with these ends before the next one starts a minute later. */
const DEFAULT_BUDGETS: Budgets = {
  resolveMs: 2000,
  tcpMs: 3000,
  tlsMs: 3000,
  detectMs: 3000,
  helloMs: 5000,
  listMs: 5000,
  callMs: 10_000,
  healthMs: 3000,
  totalMs: 25_000,
  maxAnswerBytes: 8 * 1024 * 1024,
  maxDepth: 100,
  maxPages: 100,
  maxItems: 10_000,
};

/** Credentials. Secrets are names of environment variables, never the secrets themselves. */
export type TargetAuth =
  | { readonly kind: 'bearer'; readonly tokenVariable: string }
  | {
      readonly kind: 'client-credentials';
      readonly tokenUrl: string;
      readonly clientIdVariable: string;
      readonly clientSecretVariable: string;
      readonly scope?: string | undefined;
      readonly resource?: string | undefined;
    };

type Common = {
  /** How it is called in tables and reports. */
  readonly name: string;
  readonly era?: 'auto' | 'legacy' | 'modern' | undefined;
  readonly budgets?: Partial<Budgets> | undefined;
};

/** A server behind a URL. */
export type UrlTarget = Common & {
  readonly kind: 'url';
  readonly url: string;
  /** Values may hold `${NAME}`, which is read from the environment when the connection is opened. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly auth?: TargetAuth | undefined;
  /** A file with certificates to trust besides the usual ones. */
  readonly caFile?: string | undefined;
  /** Refuses addresses that are not reachable from the internet: for those who probe what strangers ask them to. */
  readonly publicOnly?: boolean | undefined;
};

/** A server that is started for the purpose, and spoken to over its stdin and stdout. */
export type CommandTarget = Common & {
  readonly kind: 'command';
  readonly command: readonly string[];
  /** Besides our own environment; values may hold `${NAME}`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
};

/** Where a server is, and how to get in. */
export type TargetDefinition = UrlTarget | CommandTarget;

/** The target's own budgets over the caller's over the defaults. */
export function budgetsOf(target: TargetDefinition, given: Partial<Budgets> = {}): Budgets {
  return { ...DEFAULT_BUDGETS, ...given, ...target.budgets };
}
