/** A plan: rules + seed. These are the checked shapes; `checkPlan` makes them from unknown input. */
import type { Fault, Phase } from './fault.js';
import type { Direction } from './message.js';
import type { Era } from './session.js';

/** What traffic a rule looks at. Absent members match everything. */
export type When = {
  readonly tool?: readonly string[];
  readonly method?: readonly string[];
  readonly direction?: Direction;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly session?: readonly string[];
  readonly era?: Era;
  readonly target?: readonly string[];
};

/** A point in a rule's life: after so many matches in the scope, or so long after the plan started. */
export type Point = { readonly matches: number } | { readonly ms: number };

/** Which matches may fire. Matches are counted per scope (session label + tool), from 1. */
export type At = {
  readonly nth?: readonly number[];
  readonly every?: number;
  readonly first?: number;
  readonly after?: Point;
  readonly window?: { readonly from: Point; readonly to: Point };
  /** `recovered`: stop in a scope once an untouched, successful answer followed a firing. */
  readonly until?: Point | 'recovered';
  /** Fire at most once for the same arguments in a scope, for a session, or for a tool in a session. */
  readonly oncePer?: 'args' | 'session' | 'tool';
};

/** What a shape's state belongs to. `session` and `plan` advance on every call there, selected by the rule or not. */
export type ShapeScope = 'call' | 'tool' | 'session' | 'plan';

/** How firings are spread. */
export type Shape =
  | { readonly kind: 'iid' }
  | { readonly kind: 'burst'; readonly rate: number; readonly meanLength: number; readonly scope: ShapeScope }
  | { readonly kind: 'episode'; readonly rate: number; readonly meanLength: number; readonly scope: ShapeScope }
  | { readonly kind: 'ramp'; readonly from: number; readonly to: number; readonly over: Point };

/** One rule: when a fault fires. */
export type Rule = {
  readonly id: string;
  readonly fault: Fault;
  readonly params: Readonly<Record<string, unknown>>;
  readonly when: When;
  readonly at: At;
  readonly probability: number;
  readonly shape: Shape;
  readonly phase: Phase;
  readonly isEnabled: boolean;
};

/** Limits over all rules. */
export type Limits = { readonly maxFaults: number | undefined; readonly maxMinutes: number | undefined };

/** Bounds on a measure, for `expect`. */
export type Bounds = { readonly min?: number; readonly max?: number };

/** A checked plan. */
export type Plan = {
  readonly version: 1;
  readonly seed: number;
  readonly rules: readonly Rule[];
  readonly limits: Limits;
  /** How calls are grouped into tasks, and when a live call is too late where its client does not show. */
  readonly task: { readonly by: 'session' | 'header'; readonly header?: string; readonly deadlineMs?: number };
  readonly expect: { readonly fired: readonly string[]; readonly measures: Readonly<Record<string, Bounds>> };
};

/** A plan with no rules: everything passes. */
export const EMPTY_PLAN: Plan = {
  version: 1,
  seed: 0,
  rules: [],
  limits: { maxFaults: undefined, maxMinutes: undefined },
  task: { by: 'session' },
  expect: { fired: [], measures: {} },
};
