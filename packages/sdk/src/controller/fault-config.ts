/** The fault configs of mcp-chaos-monkey, in camelCase and snake_case, as native rules. */
import { describeValue, member, type NumberRange, type PlanPath, type ValueReader } from '../core/check-value.js';
import { isObject, type JsonObject } from '../core/message.js';
import { suggest } from '../core/nearest-word.js';

/** A rule as a plan writes it, unchecked. */
export type RuleDraft = { readonly [key: string]: unknown };
type Values = { readonly [field: string]: unknown };

/** What a field may hold. */
export type ConfigField =
  | { readonly kind: 'number'; readonly range: NumberRange; readonly about: string }
  | { readonly kind: 'text' | 'flag' | 'names'; readonly about: string };

/** One type: its own fields, those that must be there, and the native rule. */
export type ConfigType = {
  readonly fields: { readonly [field: string]: ConfigField };
  readonly required: readonly string[];
  /** Fields that the native check has something to say about, with their native places. */
  readonly natives?: { readonly [field: string]: string };
  rule(values: Values): RuleDraft;
};

/** 24 hours, as for the times of native faults. */
const TIME: NumberRange = { min: 0, max: 86_400_000, unit: 'ms' };
const time = (about: string): ConfigField => ({ kind: 'number', range: TIME, about });

/** Every type. Parsing, the native rules and the published JSON Schemas come from this table. */
export const CONFIG_SHAPES: ReadonlyMap<string, ConfigType> = new Map<string, ConfigType>([
  [
    'latency',
    {
      fields: { delayMs: time('Time added before the call goes on.') },
      required: ['delayMs'],
      natives: { delayMs: 'params.addedMs' },
      rule: (of) => ({ fault: 'latency', phase: 'pre', params: { addedMs: of['delayMs'] } }),
    },
  ],
  [
    'error',
    {
      fields: {
        statusCode: { kind: 'number', range: { min: 400, max: 599, isWhole: true }, about: 'HTTP status of the answer.' },
        message: { kind: 'text', about: 'What the answer says.' },
      },
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
      fields: { hangMs: time('How long the call hangs before it fails.') },
      required: ['hangMs'],
      natives: { hangMs: 'params.afterMs' },
      rule: (of) => ({ fault: 'connection-drop', params: { afterMs: of['hangMs'] } }),
    },
  ],
  [
    'malformed',
    {
      fields: { corruptResponse: { kind: 'flag', about: 'False switches the fault off.' } },
      required: [],
      rule: (of) => ({ fault: 'malformed-body', ...(of['corruptResponse'] === false ? { enabled: false } : {}) }),
    },
  ],
  ['connection-refused', { fields: {}, required: [], rule: () => ({ fault: 'connection-refused', params: { forMs: 0 } }) }],
  [
    'connection-drop',
    {
      fields: { afterMs: time('How long the call goes on before its connection breaks; 0 unless told otherwise.') },
      required: [],
      natives: { afterMs: 'params.afterMs' },
      rule: (of) => ({ fault: 'connection-drop', params: { afterMs: of['afterMs'] ?? 0 } }),
    },
  ],
  [
    'rate-limit',
    {
      fields: {
        retryAfterSeconds: {
          kind: 'number',
          range: { min: 0, max: 86_400, isWhole: true },
          about: 'What Retry-After says.',
        },
      },
      required: ['retryAfterSeconds'],
      natives: { retryAfterSeconds: 'params.retryAfterSeconds' },
      rule: (of) => ({ fault: 'rate-limit', params: { retryAfterSeconds: of['retryAfterSeconds'] } }),
    },
  ],
  [
    'schema-mismatch',
    {
      fields: { missingFields: { kind: 'names', about: 'Members that answers then lack; none unless told otherwise.' } },
      required: [],
      rule: (of) => ({ fault: 'schema-drift', params: { op: 'drop', fields: of['missingFields'] ?? [] } }),
    },
  ],
]);

/** The words that `type` may be. */
export const CONFIG_TYPES: readonly string[] = [...CONFIG_SHAPES.keys()];

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
  return (typeof type === 'string' ? CONFIG_SHAPES.get(type)?.natives : undefined) ?? {};
}

/** What a config says, in camelCase. */
export type ReadConfig = { readonly type: string; readonly values: Values; readonly probability: number | undefined };

/** Reads one config; problems go to the reader, which then has more than before. */
export function readConfig(reader: ValueReader, value: unknown, path: PlanPath): ReadConfig | undefined {
  if (!isObject(value)) return reader.report(path, 'WRONG_TYPE', `A fault config must be a mapping, not ${describeValue(value)}.`);
  const type = member(value, 'type');
  if (type === undefined) return reader.report(path, 'MISSING_KEY', 'A fault config needs "type".', `Allowed: ${CONFIG_TYPES.join(', ')}.`);
  const known = typeof type === 'string' ? CONFIG_SHAPES.get(type) : undefined;
  if (known === undefined || typeof type !== 'string') {
    const advice = suggest(typeof type === 'string' ? type : '', CONFIG_TYPES);
    return reader.report([...path, 'type'], 'UNKNOWN_FAULT', `A fault config has the unknown type ${describeValue(type)}.`, advice);
  }
  reader.object(value, path, ['type', 'probability', ...bothCases(Object.keys(known.fields))]);
  const isSnake = Object.keys(value).some((key) => key.includes('_'));
  const values: Record<string, unknown> = {};
  for (const [field, spec] of Object.entries(known.fields)) {
    const { key, value: one } = eitherCase(value, field);
    const other = snakeCase(field);
    if (other !== field && Object.hasOwn(value, field) && Object.hasOwn(value, other))
      reader.report([...path, other], 'UNKNOWN_KEY', `A fault config says both "${field}" and "${other}".`, 'Keep one of them.');
    // Python writes fields that were not given as null.
    if (one === undefined || one === null) {
      if (known.required.includes(field))
        reader.report(path, 'MISSING_KEY', `A fault config of type "${type}" needs "${isSnake ? other : field}".`);
      continue;
    }
    const where = [...path, key];
    values[field] = spec.kind === 'number' ? reader.number(one, where, spec.range) : reader[spec.kind](one, where);
  }
  const share = member(value, 'probability');
  const isCertain = share === undefined || share === null;
  return { type, values, probability: isCertain ? undefined : reader.number(share, [...path, 'probability'], { min: 0, max: 1 }) };
}

/** One config as a native rule; problems go to the reader. */
export function importConfig(reader: ValueReader, value: unknown, path: PlanPath): RuleDraft | undefined {
  const read = readConfig(reader, value, path);
  return read === undefined ? undefined : ruleOfConfig(read);
}

/** The native rule of a config that was read. */
export function ruleOfConfig({ type, values, probability }: ReadConfig): RuleDraft {
  // It was read, so its type is known.
  const rule = CONFIG_SHAPES.get(type)!.rule(values);
  if (probability === undefined) return rule;
  return probability === 0 ? { ...rule, enabled: false } : { ...rule, probability };
}
