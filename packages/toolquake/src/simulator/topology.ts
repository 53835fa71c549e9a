/** A topology: who calls whom, with what capacity, what happens to them when, and which ways of defending are compared. */
import type { Plan } from '@toolquake/sdk/core';
import type { AgentSpec, GatewaySpec, RegistrySpec, ServerSpec } from './topology-fields.js';

/** What a key may be set to. */
export type SettingValue = number | string | boolean;

/** The world changes at a time, and back at another. */
export type Change = {
  readonly atMs: number;
  readonly untilMs: number | undefined;
  /** Path of a live key, for example `servers.payment.pool`. */
  readonly set: string;
  readonly to: number | boolean;
  /** Only so many replicas are touched; all by default. */
  readonly replicas: number | undefined;
};

/** The value of a live key now, of a server's replica with this index. */
export type ValueAt = (replica: number) => number | boolean;

/** A walk through values of one live key and back, within one run: is the way back the same as the way there? */
export type Levels = {
  readonly set: string;
  readonly values: readonly number[];
  readonly eachMs: number;
  readonly replicas: number | undefined;
};

/** A tool changes its server; the old one still answers calls for it. */
export type Move = { readonly tool: string; readonly to: string; readonly atMs: number };

/** A bound on one figure of a run. */
export type Gate = { readonly figure: string; readonly max: number | undefined; readonly min: number | undefined };

/** Everything about one simulated system. */
export type Topology = {
  readonly scenario: string;
  readonly seed: number;
  /** When arrivals end; agents with a number of tasks end by themselves. */
  readonly lastsMs: number | undefined;
  readonly windowMs: number;
  readonly servers: Readonly<Record<string, ServerSpec>>;
  readonly gateway: GatewaySpec | undefined;
  readonly registry: RegistrySpec;
  readonly moves: readonly Move[];
  readonly agents: Readonly<Record<string, AgentSpec>>;
  readonly plan: Plan;
  readonly timeline: readonly Change[];
  readonly levels: Levels | undefined;
};
