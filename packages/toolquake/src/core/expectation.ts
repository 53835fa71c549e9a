/** What is asked of a target besides an answer. Plain data, read from toolquake.yaml or made from options. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { Stage } from './connection.js';

/** A value for each path into the data: `items[0].total`, `items[*].id`, `$` for the whole. */
export type ByPath<Value> = Readonly<Record<string, Value>>;

/** Ends of a range; an end that is not there is open. */
export type Ends = { readonly min?: number | undefined; readonly max?: number | undefined };

/** What a good answer looks like: the one vocabulary of canaries, fixtures and smoke tests. A word is explained by its matcher. */
export type Expectation = {
  readonly exact?: unknown;
  readonly data?: unknown;
  readonly ignore?: readonly string[] | undefined;
  readonly types?: ByPath<string> | undefined;
  readonly matches?: ByPath<string> | undefined;
  readonly includes?: ByPath<string> | undefined;
  readonly near?: ByPath<{ readonly value: number; readonly abs?: number | undefined; readonly rel?: number | undefined }> | undefined;
  readonly unordered?: ByPath<readonly unknown[]> | undefined;
  readonly length?: ByPath<Ends> | undefined;
  readonly range?: ByPath<Ends> | undefined;
  readonly least?: ByPath<number> | undefined;
  readonly times?: ByPath<{ readonly pastMs: number; readonly futureMs: number }> | undefined;
  readonly newest?: { readonly path: string; readonly withinMs: number } | undefined;
  readonly order?: ByPath<{ readonly by?: string | undefined; readonly direction?: string | undefined }> | undefined;
  readonly schema?: JsonObject | undefined;
  readonly outputSchema?: boolean | undefined;
  readonly contains?: readonly string[] | undefined;
  readonly notContains?: readonly string[] | undefined;
  readonly without?: readonly string[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly hash?: string | undefined;
  readonly budget?: { readonly bytes?: number | undefined; readonly tokens?: number | undefined } | undefined;
  readonly error?: { readonly code?: number | undefined; readonly contains?: string | undefined } | undefined;
  readonly latencyMs?: number | undefined;
  readonly idempotent?: boolean | undefined;
  readonly pages?: Paging | undefined;
};

/** How a tool hands out its data in pages. */
export type Paging = {
  /** Where the items of a page stand. */
  readonly items: string;
  /** Where the cursor of the next page stands; the last page has none. */
  readonly cursor: string;
  /** The argument that takes it. */
  readonly argument: string;
  /** Pages that are followed at most. */
  readonly max: number;
};

/** A known call with a known answer. */
export type Canary = {
  readonly name: string;
  /** What `tool` names; a tool, unless told otherwise. Resources are named by their URI. */
  readonly asks?: 'tool' | 'prompt' | 'resource' | undefined;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly expect: Expectation;
  /** Without it, only tools that say that they only read are called. */
  readonly mayWrite: boolean;
};

/** A URL that tells how the server thinks it is. */
export type HealthCheck = { readonly url: string; readonly expectStatus: number; readonly reasonField: string };

/** Everything that a probe is to look at. */
export type ProbePlan = {
  readonly tools: readonly string[];
  readonly canaries: readonly Canary[];
  readonly health: HealthCheck | undefined;
  /** Slower than this is slow, though within the budget. */
  readonly slowMs: Partial<Readonly<Record<Stage, number>>>;
};

/** Nothing but an answer. */
export const PLAIN_PROBE: ProbePlan = { tools: [], canaries: [], health: undefined, slowMs: {} };
