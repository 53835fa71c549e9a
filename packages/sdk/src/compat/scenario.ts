import type { FaultConfig } from '../controller/parse-fault-config.js';
import type { FaultTarget } from './fault.js';

/** Faults to inject together, and what is expected of the system then, in words. */
export type ChaosScenario = {
  name: string;
  description: string;
  faults: readonly { target: FaultTarget; config: FaultConfig; durationMs?: number }[];
  expectedBehavior: string;
  assertions: readonly string[];
};

/** Checks a scenario. To have its assertions evaluated, see `defineScenario` of `@toolquake/sdk/assertions`. */
export function defineScenario(builder: ChaosScenario): ChaosScenario {
  const { name, description, faults, expectedBehavior, assertions } = builder;
  if (!name) throw new Error('Scenario name is required');
  if (faults.length === 0) throw new Error('Scenario must have at least one fault');
  return { name, description, faults, expectedBehavior, assertions };
}
