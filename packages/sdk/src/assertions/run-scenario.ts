/** Runs a scenario: injects its faults, does the work, evaluates what must hold, and takes the faults out whatever happened. */
import { describeProblem } from '../core/describe-problem.js';
import type { Run } from '../controller/run.js';
import { assertionFailure } from './assertion-failure.js';
import {
  defineScenario,
  ruleOfScenarioFault,
  type Scenario,
  type ScenarioAssertion,
  type ScenarioFault,
  type ScenarioOutcome,
} from './scenario.js';

/** What became of one assertion. */
export type AssertionResult = {
  readonly name: string;
  /** A sentence is not evaluated by anybody. */
  readonly state: 'held' | 'failed' | 'not-evaluated';
  readonly why?: string;
};

/** What became of a scenario. */
export type ScenarioReport<Value> = {
  readonly scenario: string;
  readonly value: Value;
  readonly assertions: readonly AssertionResult[];
  /** How often each of its faults was delivered, in their order. */
  readonly fired: readonly number[];
};

/** What a scenario may leave open. */
export type RunScenarioOptions = {
  /** Passes although a fault of the scenario was never delivered. */
  readonly mayNotFire?: boolean;
};

/**
 * See the module comment. Rejects where the work does, where an assertion does not hold (all of them are evaluated first),
 * and where a fault was never delivered: what did not break proves nothing.
 */
export async function runScenario<Value>(
  run: Run,
  scenario: Scenario<Value>,
  work: (run: Run) => Promise<Value> | Value,
  options: RunScenarioOptions = {},
): Promise<ScenarioReport<Value>> {
  const { name, faults, assertions = [] } = defineScenario(scenario);
  const ids = injectAll(run, faults);
  // A rule that was there before under the same id has been counted already.
  const before = ids.map((id) => run.fired(id));
  try {
    const value = await work(run);
    const results: AssertionResult[] = [];
    for (const [index, assertion] of assertions.entries()) results.push(await evaluate(assertion, index, { run, value }));
    const fired = ids.map((id, index) => run.fired(id) - (before[index] ?? 0));
    const failed = results.filter(({ state }) => state === 'failed').map((one) => `${one.name}: ${one.why ?? 'it does not hold'}`);
    const silent =
      options.mayNotFire === true
        ? []
        : ids.filter((_, index) => fired[index] === 0).map((id) => `${id} never fired: ${whySilent(run, id)}`);
    const lines = [...failed, ...silent];
    if (lines.length === 0) return { scenario: name, value, assertions: results, fired };
    throw assertionFailure(`Scenario "${name}" failed.\n  ${lines.join('\n  ')}`, {
      actual: { assertions: results, fired },
      expected: [],
      operator: 'runScenario',
    });
  } finally {
    for (const id of ids) run.clear(id);
  }
}

/** All or none. The first of the list comes first, so it is injected last. */
function injectAll(run: Run, faults: readonly ScenarioFault[]): readonly string[] {
  const ids: string[] = [];
  try {
    for (const fault of faults.toReversed()) ids.unshift(run.inject(ruleOfScenarioFault(fault), fault.durationMs ?? Infinity));
    return ids;
  } catch (error) {
    for (const id of ids) run.clear(id);
    throw error;
  }
}

async function evaluate<Value>(
  assertion: ScenarioAssertion<Value>,
  index: number,
  outcome: ScenarioOutcome<Value>,
): Promise<AssertionResult> {
  if (typeof assertion === 'string') return { name: assertion, state: 'not-evaluated' };
  const name = assertion.name || `assertion ${index + 1}`;
  const check = typeof assertion === 'function' ? assertion : assertion.check;
  try {
    return (await check(outcome)) === false ? { name, state: 'failed', why: 'it returned false' } : { name, state: 'held' };
  } catch (error) {
    return { name, state: 'failed', why: describeProblem(error) };
  }
}

function whySilent(run: Run, id: string): string {
  if (run.guarded !== undefined) return `nothing is injected here, because ${run.guarded}`;
  return run.whyNever(id) ?? 'no call met it, its time was over, or it lost every draw';
}
