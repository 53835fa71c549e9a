/**
 * Translates the fault configs of mcp-chaos-monkey, in camelCase and snake_case: one config, one inject request
 * (target, config, durationMs), a list of either, or a scenario with `faults`. Its first-match rule is kept: on one
 * target a fault acts only after those before it have expired.
 */
import { describeValue, isObject, member, suggest, type JsonObject, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { ImportedPlan, RuleSource } from './plan-format.js';

type Draft = { readonly [key: string]: unknown };
type FieldKind = 'number' | 'text' | 'flag' | 'names';
type Values = { readonly [field: string]: unknown };

/** One type: its own fields, those that must be there, and the native rule. */
type ConfigType = {
  readonly fields: { readonly [field: string]: FieldKind };
  readonly required: readonly string[];
  /** Fields that the native check has something to say about, with their native places. */
  readonly natives?: { readonly [field: string]: string };
  rule(values: Values): Draft;
};

const TYPES: ReadonlyMap<string, ConfigType> = new Map<string, ConfigType>([
  [
    'latency',
    {
      fields: { delayMs: 'number' },
      required: ['delayMs'],
      natives: { delayMs: 'params.addedMs' },
      rule: (of) => ({ fault: 'latency', phase: 'pre', params: { addedMs: of['delayMs'] } }),
    },
  ],
  [
    'error',
    {
      fields: { statusCode: 'number', message: 'text' },
      required: ['statusCode'],
      natives: { statusCode: 'params.status' },
      rule: (of) => ({
        fault: 'http-status',
        params: { status: of['statusCode'], ...(of['message'] === undefined ? {} : { message: of['message'] }) },
      }),
    },
  ],
  // What a caller sees of a timeout from outside: silence, and then no connection. Its own timer may come first, as it should.
  [
    'timeout',
    {
      fields: { hangMs: 'number' },
      required: ['hangMs'],
      natives: { hangMs: 'params.afterMs' },
      rule: (of) => ({ fault: 'connection-drop', params: { afterMs: of['hangMs'] } }),
    },
  ],
  [
    'malformed',
    {
      fields: { corruptResponse: 'flag' },
      required: [],
      rule: (of) => ({ fault: 'malformed-body', ...(of['corruptResponse'] === false ? { enabled: false } : {}) }),
    },
  ],
  ['connection-refused', { fields: {}, required: [], rule: () => ({ fault: 'connection-refused', params: { forMs: 0 } }) }],
  [
    'connection-drop',
    {
      fields: { afterMs: 'number' },
      required: [],
      natives: { afterMs: 'params.afterMs' },
      rule: (of) => ({ fault: 'connection-drop', params: { afterMs: of['afterMs'] ?? 0 } }),
    },
  ],
  [
    'rate-limit',
    {
      fields: { retryAfterSeconds: 'number' },
      required: ['retryAfterSeconds'],
      natives: { retryAfterSeconds: 'params.retryAfterSeconds' },
      rule: (of) => ({ fault: 'rate-limit', params: { retryAfterSeconds: of['retryAfterSeconds'] } }),
    },
  ],
  [
    'schema-mismatch',
    {
      fields: { missingFields: 'names' },
      required: [],
      rule: (of) => ({ fault: 'schema-drift', params: { op: 'drop', fields: of['missingFields'] ?? [] } }),
    },
  ],
]);

/** The words that `type` may be. */
export const CONFIG_TYPES: readonly string[] = [...TYPES.keys()];

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const bothCases = (names: readonly string[]): readonly string[] => [...new Set(names.flatMap((name) => [name, snakeCase(name)]))];

/** A member by either spelling, with the key that was used. */
function either(object: JsonObject, name: string): { key: string; value: unknown } {
  const key = Object.hasOwn(object, name) ? name : snakeCase(name);
  return { key, value: member(object, key) };
}

/** See the module comment. Problems go to the reader, with the paths of the original. */
export function importFaultConfigs(reader: ValueReader, value: unknown): ImportedPlan | undefined {
  const found = requestsIn(reader, value);
  if (found === undefined) return undefined;
  const notes: string[] = [];
  const expiries = new Map<string, number>();
  const rules = found.map(({ value: one, path }) => importRequest(reader, one, path, { notes, expiries }));
  return { plan: { version: 1, rules }, sources: found.map(sourceOf), notes };
}

function sourceOf({ value, path }: Found): RuleSource {
  const inner = isObject(value) && isObject(member(value, 'config')) ? 'config' : undefined;
  const config = inner === undefined ? value : (value as JsonObject)[inner];
  if (!isObject(config)) return { path, members: {} };
  const type = member(config, 'type');
  const natives = Object.entries((typeof type === 'string' ? TYPES.get(type)?.natives : undefined) ?? {});
  const where = inner === undefined ? path : [...path, inner];
  return { path, members: Object.fromEntries(natives.map(([field, native]) => [native, [...where, either(config, field).key]])) };
}

type Found = { readonly value: unknown; readonly path: PlanPath };

/** The requests and configs in a file, whichever way it wraps them. */
function requestsIn(reader: ValueReader, value: unknown, path: PlanPath = []): readonly Found[] | undefined {
  if (Array.isArray(value)) {
    const lists = value.map((one: unknown, index) =>
      isObject(one) && Object.hasOwn(one, 'faults') ? requestsIn(reader, one, [...path, index]) : [{ value: one, path: [...path, index] }],
    );
    return lists.flatMap((list) => list ?? []);
  }
  if (!isObject(value) || !Object.hasOwn(value, 'faults')) return [{ value, path }];
  reader.object(value, path, bothCases(['name', 'description', 'faults', 'expectedBehavior', 'assertions']));
  const { faults } = value;
  if (Array.isArray(faults)) return faults.map((one: unknown, index) => ({ value: one, path: [...path, 'faults', index] }));
  return reader.report([...path, 'faults'], 'WRONG_TYPE', `faults must be a list, not ${describeValue(faults)}.`);
}

/** About thirty years: what a time in a plan can say. */
const MAX_DURATION_MS = 999_999_999_999;

/** Shorter times cannot be written. */
const SHORTEST_MS = 0.000001;

/** A time as plans write it: no exponents, at most six decimals. */
const timeText = (ms: number): string => `${Number(ms.toFixed(6))}ms`;

type ImportState = { readonly notes: string[]; readonly expiries: Map<string, number> };

function importRequest(reader: ValueReader, value: unknown, path: PlanPath, state: ImportState): Draft | undefined {
  const isRequest = isObject(value) && (Object.hasOwn(value, 'config') || Object.hasOwn(value, 'target'));
  if (!isRequest) return withTiming(importConfig(reader, value, path), { target: undefined, durationMs: undefined }, path, state);
  reader.object(value, path, bothCases(['target', 'config', 'durationMs']));
  const target = member(value, 'target') === undefined ? undefined : reader.text(value['target'], [...path, 'target']);
  const duration = either(value, 'durationMs');
  const durationMs =
    duration.value === undefined || duration.value === null
      ? undefined
      : reader.number(duration.value, [...path, duration.key], { min: 0, max: MAX_DURATION_MS, unit: 'ms' });
  const config = member(value, 'config');
  if (config === undefined)
    return reader.report(
      path,
      'MISSING_KEY',
      'A fault with a target needs "config".',
      'For example: config: { type: latency, delayMs: 2000 }',
    );
  return withTiming(importConfig(reader, config, [...path, 'config']), { target, durationMs }, path, state);
}

/** On one target only the first fault that has not expired acts. */
function withTiming(
  rule: Draft | undefined,
  given: { target: string | undefined; durationMs: number | undefined },
  path: PlanPath,
  state: ImportState,
): Draft | undefined {
  if (rule === undefined) return undefined;
  const { target, durationMs } = given;
  const key = target ?? '';
  const startsMs = state.expiries.get(key) ?? 0;
  state.expiries.set(key, Math.max(startsMs, durationMs ?? Infinity));
  const place =
    path.length === 0
      ? 'The fault'
      : `Fault ${path
          .filter((step) => typeof step === 'number')
          .map((step) => step + 1)
          .join('.')}`;
  const when = target === undefined ? {} : { when: { target } };
  if (durationMs !== undefined && durationMs < SHORTEST_MS) {
    state.notes.push(`${place} (${String(rule['fault'])}) does nothing: it lasts ${durationMs} ms.`);
    return { ...rule, ...when, enabled: false };
  }
  if (startsMs >= (durationMs ?? Infinity)) {
    const where = target === undefined ? 'everything' : `"${target}"`;
    state.notes.push(
      `${place} (${String(rule['fault'])}) does nothing: an earlier fault on ${where} lasts longer, and the first one wins.`,
    );
    return { ...rule, ...when, enabled: false };
  }
  if (rule['enabled'] === false) state.notes.push(`${place} (${String(rule['fault'])}) does nothing: it is switched off in its config.`);
  const at = {
    ...(startsMs > 0 ? { after: timeText(startsMs) } : {}),
    ...(durationMs === undefined ? {} : { until: timeText(durationMs) }),
  };
  return { ...rule, ...when, ...(Object.keys(at).length === 0 ? {} : { at }) };
}

function importConfig(reader: ValueReader, value: unknown, path: PlanPath): Draft | undefined {
  if (!isObject(value)) return reader.report(path, 'WRONG_TYPE', `A fault config must be a mapping, not ${describeValue(value)}.`);
  const type = member(value, 'type');
  if (type === undefined) return reader.report(path, 'MISSING_KEY', 'A fault config needs "type".', `Allowed: ${CONFIG_TYPES.join(', ')}.`);
  const known = typeof type === 'string' ? TYPES.get(type) : undefined;
  if (known === undefined || typeof type !== 'string') {
    const advice = suggest(typeof type === 'string' ? type : '', CONFIG_TYPES);
    return reader.report([...path, 'type'], 'UNKNOWN_FAULT', `A fault config has the unknown type ${describeValue(type)}.`, advice);
  }
  reader.object(value, path, ['type', 'probability', ...bothCases(Object.keys(known.fields))]);
  const values: Record<string, unknown> = {};
  for (const [field, kind] of Object.entries(known.fields)) {
    const { key, value: one } = either(value, field);
    // Python writes fields that were not given as null.
    if (one === undefined || one === null) {
      if (known.required.includes(field)) reader.report(path, 'MISSING_KEY', `A fault config of type "${type}" needs "${field}".`);
    } else values[field] = kind === 'number' ? reader.number(one, [...path, key], { min: 0 }) : reader[kind](one, [...path, key]);
  }
  const rule = known.rule(values);
  const probability = member(value, 'probability');
  if (probability === undefined || probability === null) return rule;
  const share = reader.number(probability, [...path, 'probability'], { min: 0, max: 1 });
  return share === 0 ? { ...rule, enabled: false } : { ...rule, probability: share };
}
