/** What is asked of a target besides an answer. Plain data, read from toolquake.yaml or made from options. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { Stage } from './connection.js';

/** What a good answer looks like. Paths are those of `parsePath`: `items[0].total`. */
export type Expectation = {
  readonly contains?: readonly string[] | undefined;
  readonly notContains?: readonly string[] | undefined;
  /** Members that are not named are free. */
  readonly data?: unknown;
  /** The least number, or the least length of a list, by path. */
  readonly least?: Readonly<Record<string, number>> | undefined;
  readonly newest?: { readonly path: string; readonly withinMs: number } | undefined;
};

/** A known call with a known answer. */
export type Canary = {
  readonly name: string;
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
