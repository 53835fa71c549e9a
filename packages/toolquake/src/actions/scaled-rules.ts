/** Rules of a plan as they are injected: those that are on, each at a share of its dose. Pure. */
import { isObject, type JsonObject, type Plan } from '@toolquake/sdk/core';

/** The rules as they were written, with the ids that the checked plan has, in its order. */
export function scaledRules(written: readonly unknown[], plan: Plan, share: number): readonly JsonObject[] {
  return plan.rules.flatMap((rule, index) => {
    const given = written[index];
    if (!rule.isEnabled || !isObject(given)) return [];
    return [{ ...given, id: rule.id, ...scaledChance(given, share) }];
  });
}

/** A dose is a share of calls, so it is the chance that is scaled. Rules that come in runs say their rate in their shape. */
function scaledChance(rule: JsonObject, share: number): JsonObject {
  if (share === 1) return {};
  const { shape, probability } = rule;
  if (!isObject(shape) || 'iid' in shape) return { probability: (typeof probability === 'number' ? probability : 1) * share };
  const scaled = Object.entries(shape).map(([kind, given]) => {
    const values = isObject(given) ? given : {};
    const chances = Object.entries(values).map(([name, value]) => [
      name,
      ['rate', 'from', 'to'].includes(name) && typeof value === 'number' ? value * share : value,
    ]);
    return [kind, Object.fromEntries(chances)];
  });
  return { shape: Object.fromEntries(scaled) as JsonObject };
}
