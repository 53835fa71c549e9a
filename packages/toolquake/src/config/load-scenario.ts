/** From a scenario or topology file to a checked scenario. Errors carry file, line, column and the nearest good word. */
import { isObject, type Catalogue } from '@toolquake/sdk/core';
import { checkScenario, type Scenario } from '../simulator/scenario.js';
import { locateAll, planError } from './load-plan.js';
import { parseText } from './plan-text.js';

/** The scenario in a text, or one error that lists everything that is wrong with it. `path` is for messages. */
export function readScenario(path: string, source: string, catalogue: Catalogue): Scenario {
  const text = parseText(source);
  if (text.problems.length > 0) throw planError(path, text.problems);
  const { scenario, problems } = checkScenario(text.value, catalogue);
  if (scenario === undefined) throw planError(path, locateAll(text, problems));
  return scenario;
}

/** Does a text describe a system, and not a plan of faults? */
export function looksLikeTopology(source: string): boolean {
  const { value } = parseText(source);
  return (
    isObject(value) &&
    !('rules' in value) &&
    ['servers', 'agents', 'variants', 'timeline', 'levels', 'scenario'].some((key) => key in value)
  );
}
