/** The fault configs of mcp-chaos-monkey, in camelCase and snake_case, as native rules. */
import { describeValue, member, type PlanPath, type ValueReader } from '../core/check-value.js';
import { isObject, type JsonObject } from '../core/message.js';
import { suggest } from '../core/nearest-word.js';

/** A rule as a plan writes it, unchecked. */
export type RuleDraft = { readonly [key: string]: unknown };
type FieldKind = 'number' | 'text' | 'flag' | 'names';
type Values = { readonly [field: string]: unknown };

/** One type: its own fields, those that must be there, and the native rule. */
type ConfigType = {
  readonly fields: { readonly [field: string]: FieldKind };
  readonly required: readonly string[];
  /** Fields that the native check has something to say about, with their native places. */
  readonly natives?: { readonly [field: string]: string };
  rule(values: Values): RuleDraft;
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
/** The names in camelCase and in snake_case. */
export const bothCases = (names: readonly string[]): readonly string[] => [...new Set(names.flatMap((name) => [name, snakeCase(name)]))];

/** A member by either spelling, with the key that was used. */
export function eitherCase(object: JsonObject, name: string): { key: string; value: unknown } {
  const key = Object.hasOwn(object, name) ? name : snakeCase(name);
  return { key, value: member(object, key) };
}

/** Fields of a config that the native check has something to say about, with their native places. */
export function nativeFields(config: JsonObject): { readonly [field: string]: string } {
  const type = member(config, 'type');
  return (typeof type === 'string' ? TYPES.get(type)?.natives : undefined) ?? {};
}

/** One config as a native rule; problems go to the reader. */
export function importConfig(reader: ValueReader, value: unknown, path: PlanPath): RuleDraft | undefined {
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
    const { key, value: one } = eitherCase(value, field);
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
