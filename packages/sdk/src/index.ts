/**
 * `@toolquake/sdk`: what it takes to write faults and plans. Pure and free of Node built-ins.
 * What it takes to write a transport (decider, performer, draws, measures) is in `@toolquake/sdk/core`.
 */
export { ERROR_CODES, ToolquakeError, type ErrorCode } from './core/errors.js';
export * from './core/message.js';
export * from './core/frame.js';
export type { JsonHead } from './core/json-head.js';
export type { Era, Exchange, Session } from './core/session.js';
export * from './core/tool-result.js';
export * from './core/effect.js';
export * from './core/event.js';
export * from './core/changed-answer.js';
export * from './core/params.js';
export * from './core/fault.js';
export type { KnownTool } from './core/tool-book.js';
export * from './core/plan.js';
export { checkPlan, requirePlan, type CheckedPlan, type CheckOptions } from './core/check-plan.js';
export type { PlanPath, PlanProblem } from './core/check-value.js';
export type { CallOutcome } from './core/call-outcome.js';
export * from './core/journal.js';
export * from './core/clock.js';
