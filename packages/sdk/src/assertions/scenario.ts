/** A scenario: faults that are injected together, the work that is done under them, and what must hold then. */
import { createValueReader } from '../core/check-value.js';
import { ToolquakeError } from '../core/errors.js';
import { isObject, type JsonObject } from '../core/message.js';
import type { FaultConfig } from '../controller/parse-fault-config.js';
import { parseFaultConfig, ruleOfFaultConfig } from '../controller/parse-fault-config.js';
import type { Run } from '../controller/run.js';

/** A fault by config and target, or a rule as a plan has it; for a time, or as long as the scenario lasts. */
export type ScenarioFault =
  | { readonly target: string; readonly config: FaultConfig; readonly durationMs?: number }
  | { readonly rule: JsonObject; readonly durationMs?: number };

/** What a check is given. */
export type ScenarioOutcome<Value> = { readonly run: Run; readonly value: Value };

/** A function that throws, or returns false, where it does not hold; or a sentence, which is reported as not evaluated. */
export type ScenarioAssertion<Value> =
  | string
  | ((outcome: ScenarioOutcome<Value>) => unknown)
  | { readonly name: string; readonly check: (outcome: ScenarioOutcome<Value>) => unknown };

/** See the module comment. */
export type Scenario<Value = unknown> = {
  readonly name: string;
  readonly description?: string;
  readonly faults: readonly ScenarioFault[];
  readonly expectedBehavior?: string;
  readonly assertions?: readonly ScenarioAssertion<Value>[];
};

const KEYS = ['name', 'description', 'faults', 'expectedBehavior', 'assertions'];
const FAULT_KEYS = ['target', 'config', 'rule', 'durationMs'];

/** Checks a scenario, and says what is wrong with it by the name of the field. */
export function defineScenario<Value = unknown>(scenario: Scenario<Value>): Scenario<Value> {
  const reader = createValueReader();
  const given: unknown = scenario;
  reader.object(given, ['scenario'], KEYS);
  if (isObject(given)) {
    const { name, faults, assertions = [] } = given;
    if (reader.text(name, ['name']) === '') reader.report(['name'], 'MISSING_KEY', 'name must not be empty.');
    if (!Array.isArray(faults) || faults.length === 0) reader.report(['faults'], 'MISSING_KEY', 'faults must be a list of at least one.');
    else faults.forEach((fault: unknown, index) => checkFault(reader, fault, index));
    if (!Array.isArray(assertions)) reader.report(['assertions'], 'WRONG_TYPE', 'assertions must be a list.');
  }
  const [problem] = reader.problems;
  if (problem !== undefined) throw new ToolquakeError(problem.code, problem);
  return scenario;
}

function checkFault(reader: ReturnType<typeof createValueReader>, value: unknown, index: number): void {
  const path = ['faults', index];
  const fault = reader.object(value, path, FAULT_KEYS);
  if (fault === undefined) return;
  const { target, config, rule, durationMs } = fault;
  if (durationMs !== undefined) reader.number(durationMs, [...path, 'durationMs'], { min: 0, unit: 'ms' });
  if (rule !== undefined) {
    if (target !== undefined || config !== undefined)
      reader.report(path, 'UNKNOWN_KEY', `faults[${index}] has a rule, so target and config have no place in it.`);
    return;
  }
  if (reader.text(target, [...path, 'target']) === '')
    reader.report([...path, 'target'], 'MISSING_KEY', `faults[${index}].target must not be empty.`);
  try {
    parseFaultConfig(config);
  } catch (error) {
    if (!(error instanceof ToolquakeError)) throw error;
    reader.report([...path, 'config'], error.code, `faults[${index}]: ${error.message}`, error.advice);
  }
}

/** The rule that a fault of a scenario stands for. */
export function ruleOfScenarioFault(fault: ScenarioFault): JsonObject {
  return 'rule' in fault ? fault.rule : ruleOfFaultConfig(fault.config, fault.target);
}
