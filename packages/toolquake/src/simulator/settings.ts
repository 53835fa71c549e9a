/** Settings by path: `servers.payment.pool`, `plan.rules.flaky.probability`. Sweeps and variants are made of them. */
import { isObject, nearestWord, type JsonObject } from '@toolquake/sdk/core';
import { AGENT_FIELDS, GATEWAY_FIELDS, REGISTRY_FIELDS, SERVER_FIELDS, type Fields } from './topology-fields.js';

/** Values by path; anything that the file itself could say at that place. */
export type Settings = Readonly<Record<string, unknown>>;

/** What a path leads to, or what to say about one that leads nowhere. */
export type FoundPath = { readonly steps: readonly (string | number)[] } | { readonly advice: string };

const TIMELINE_KEYS = ['at', 'until', 'to', 'replicas', 'set'];
const RULE_KEYS = ['probability', 'enabled', 'params', 'shape', 'at', 'when', 'phase'];

/** Every path that can be set in a topology, as it is written. */
function settablePaths(topology: JsonObject): readonly string[] {
  const named = (part: string, table: Fields): readonly string[] =>
    Object.keys(objectOf(topology[part])).flatMap((name) => pathsOf(table).map((key) => `${part}.${name}.${key}`));
  const rules = listOf(objectOf(topology['plan'])['rules']);
  return [
    ...named('servers', SERVER_FIELDS),
    ...named('agents', AGENT_FIELDS),
    ...pathsOf(GATEWAY_FIELDS).map((key) => `gateway.${key}`),
    ...pathsOf(REGISTRY_FIELDS).map((key) => `registry.${key}`),
    ...listOf(topology['timeline']).flatMap((_, index) => TIMELINE_KEYS.map((key) => `timeline.${index}.${key}`)),
    ...(topology['levels'] === undefined ? [] : ['set', 'values', 'each', 'replicas'].map((key) => `levels.${key}`)),
    'levels',
    'timeline',
    'gateway',
    'lasts',
    'window',
    'plan',
    ...rules.flatMap((rule, index) => {
      const { id, params } = objectOf(rule);
      const name = typeof id === 'string' ? id : String(index);
      return [...RULE_KEYS, ...Object.keys(objectOf(params)).map((key) => `params.${key}`)].map((key) => `plan.rules.${name}.${key}`);
    }),
  ];
}

function pathsOf(table: Fields): readonly string[] {
  return Object.entries(table).flatMap(([name, field]) =>
    field.kind === 'group' ? [name, ...pathsOf(field.fields).map((inner) => `${name}.${inner}`)] : [name],
  );
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Looks a path up. Rules are found by id or by number; parameters of rules by any name, the plan's own check judges those. */
export function findPath(topology: JsonObject, path: string): FoundPath {
  const known = settablePaths(topology);
  const isRuleParam = /^plan\.rules\.[^.]+\.(params|shape|when|at)\./.test(path) && known.some((one) => path.startsWith(`${one}.`));
  if (!known.includes(path) && !isRuleParam) {
    const nearest = nearestWord(path, known) ?? nearestByEnd(path, known);
    return {
      advice:
        nearest === undefined
          ? `Keys look like ${known
              .slice(0, 3)
              .map((one) => `"${one}"`)
              .join(', ')}.`
          : `Did you mean "${nearest}"?`,
    };
  }
  const steps: (string | number)[] = path.split('.');
  if (steps[0] === 'timeline' && steps.length > 1) steps[1] = Number(steps[1]);
  if (steps[0] === 'plan' && steps.length > 2) {
    const rules = listOf(objectOf(topology['plan'])['rules']);
    const at = rules.findIndex((rule) => objectOf(rule)['id'] === steps[2]);
    steps[2] = at === -1 ? Number(steps[2]) : at;
  }
  return { steps };
}

/** People write the last word of a path and mean the whole. */
function nearestByEnd(path: string, known: readonly string[]): string | undefined {
  const last = path.split('.').at(-1)!;
  const ends = new Map(known.map((one) => [one.split('.').at(-1)!, one]));
  const end = nearestWord(last, ends.keys());
  return end === undefined ? undefined : ends.get(end);
}

/** A copy of the topology with the settings made. Paths must have been found before. */
export function withSettings(topology: JsonObject, settings: Settings): JsonObject {
  const copy = structuredClone(topology);
  for (const [path, value] of Object.entries(settings)) {
    const found = findPath(topology, path);
    if ('steps' in found) setAt(copy, found.steps, value);
  }
  return copy;
}

function setAt(root: JsonObject, steps: readonly (string | number)[], value: unknown): void {
  let place: Record<string | number, unknown> = root;
  for (const step of steps.slice(0, -1)) {
    const next = place[step];
    // A group that the file leaves out is made, so that one key of it can be set.
    if (typeof next !== 'object' || next === null) place[step] = {};
    place = place[step] as Record<string | number, unknown>;
  }
  const last = steps.at(-1)!;
  // Nothing: as if the file did not say it.
  if (value === null) delete place[last];
  // A copy: a later setting may reach into it.
  else place[last] = structuredClone(value);
}
