/** Which plan format a value is written in. */
import { isObject, type JsonObject, type PlanPath } from '@toolquake/sdk/core';

/** `flat`: a seed and a flat list of faults. `configs`: fault configs of mcp-chaos-monkey, alone, in a list or in a scenario. */
export type PlanFormat = 'native' | 'flat' | 'configs';

/** Where the original of a rule stands, and the originals of its members: by their native path (`params.addedMs`). */
export type RuleSource = { readonly path: PlanPath; readonly members: { readonly [native: string]: PlanPath } };

/** A plan translated into the native format, still unchecked. */
export type ImportedPlan = {
  readonly plan: unknown;
  /** One for each rule; undefined when nothing was translated. */
  readonly sources: readonly RuleSource[] | undefined;
  readonly notes: readonly string[];
};

const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key);

/** Tells the formats apart by the keys that only one of them has. When in doubt native, whose errors say the most. */
export function detectFormat(value: unknown): PlanFormat {
  if (Array.isArray(value)) return value.some((one) => isObject(one) && has(one, 'fault')) ? 'native' : 'configs';
  if (!isObject(value) || has(value, 'rules') || has(value, 'version')) return 'native';
  if (has(value, 'faults')) {
    const { faults } = value;
    const hasConfigs = Array.isArray(faults) && faults.some((one) => isObject(one) && (has(one, 'config') || has(one, 'target')));
    return hasConfigs || has(value, 'name') ? 'configs' : 'flat';
  }
  return has(value, 'config') || has(value, 'target') || has(value, 'type') ? 'configs' : 'native';
}
