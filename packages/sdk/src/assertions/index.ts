/** `@toolquake/sdk/assertions`: what a test says about a plan that ran. Plain functions that throw: for any test runner. */
export * from './assertion-failure.js';
export * from './expectations.js';
export * from './gave-up.js';
export { entriesOf, firedCount, type PlanRun } from './plan-run.js';
export * from './run-scenario.js';
export { defineScenario, type Scenario, type ScenarioAssertion, type ScenarioFault, type ScenarioOutcome } from './scenario.js';
export * from './why-not-fired.js';
export * from './with-plan.js';
