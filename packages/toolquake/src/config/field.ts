/** A vocabulary for files of settings: a table of keys is checked, published as JSON Schema and described in docs. Plain data. */
import {
  createValueReader,
  describeValue,
  isObject,
  member,
  parseDuration,
  pathText,
  type PlanPath,
  type ValueReader,
} from '@toolquake/sdk/core';
import type { SettingField, SettingFields } from '../core/setting-field.js';
import type { JsonSchema } from './plan-schema.js';

/** The keys of a mapping, with every problem reported. What comes back is meaningless when there are problems. */
export function readSettings(
  reader: ValueReader,
  given: unknown,
  path: PlanPath,
  fields: SettingFields,
): Readonly<Record<string, unknown>> {
  const object = reader.object(given, path, Object.keys(fields)) ?? {};
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = member(object, name);
    if (value !== undefined) read[name] = readSetting(reader, value, [...path, name], field);
    else if (field.isRequired === true && isObject(given)) {
      reader.report(path, 'MISSING_KEY', `${pathText(path)} needs "${name}": ${field.about}`);
    }
  }
  return read;
}

function readSetting(reader: ValueReader, value: unknown, path: PlanPath, field: SettingField): unknown {
  switch (field.kind) {
    case 'text':
      return readText(reader, value, path, field);
    case 'word':
      return reader.word(value, path, field.words);
    case 'flag':
      return reader.flag(value, path);
    case 'whole':
      return reader.number(value, path, { min: field.min, max: field.max, isWhole: true });
    case 'number':
      return reader.number(value, path, {});
    case 'time': {
      const ms = typeof value === 'string' ? parseDuration(value) : isInMs(path.at(-1)) ? value : undefined;
      if (ms !== undefined) return reader.number(ms, path, { min: field.min ?? 1, max: field.max, unit: 'ms' });
      const message = `${pathText(path)} must be a time with its unit, not ${describeValue(value)}.`;
      const meant = typeof value === 'number' ? ` Did you mean "${value}s" or "${value}ms"?` : '';
      return reader.report(path, 'WRONG_TYPE', message, `Times look like "500ms", "1.5s", "2m" or "1h".${meant}`);
    }
    case 'names':
      return reader.names(value, path);
    case 'value':
      return value;
    case 'group':
      return readSettings(reader, value, path, field.fields);
    case 'list':
      if (Array.isArray(value)) return value.map((item: unknown, index) => readSetting(reader, item, [...path, index], field.item));
      return reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be a list, not ${describeValue(value)}.`, field.about);
    case 'map':
      if (!isObject(value))
        return reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be a mapping, not ${describeValue(value)}.`, field.about);
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readSetting(reader, item, [...path, key], field.item)]));
    case 'either':
      return readSetting(reader, value, path, isObject(value) ? field.group : field.text);
  }
}

/** A bare number is a time only where the name says in what: sixty of nothing may be a minute, or a blink. */
const isInMs = (name: string | number | undefined): boolean => typeof name === 'string' && name.endsWith('Ms');

function readText(
  reader: ValueReader,
  value: unknown,
  path: PlanPath,
  { pattern, likeThis, isSecret }: SettingField & { readonly kind: 'text' },
): string | undefined {
  const text = reader.text(value, path);
  if (text === undefined || (text !== '' && (pattern === undefined || pattern.test(text)))) return text;
  const advice = likeThis === undefined ? undefined : `For example: ${likeThis}`;
  return reader.report(
    path,
    'WRONG_TYPE',
    `${pathText(path)} cannot be ${isSecret === true ? 'this text' : describeValue(value)}.`,
    advice,
  );
}

/** A fresh list of problems. */
export const settingReader = createValueReader;

/** The same table as JSON Schema. */
export function settingsSchema(fields: SettingFields): JsonSchema {
  const required = Object.keys(fields).filter((name) => fields[name]!.isRequired === true);
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, { description: field.about, ...settingSchema(field, name) }]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function settingSchema(field: SettingField, name?: string): JsonSchema {
  switch (field.kind) {
    case 'text':
      return { type: 'string', ...(field.pattern === undefined ? { minLength: 1 } : { pattern: field.pattern.source }) };
    case 'word':
      return { enum: field.words };
    case 'flag':
      return { type: 'boolean' };
    case 'whole':
      return { type: 'integer', minimum: field.min, maximum: field.max };
    case 'number':
      return { type: 'number' };
    case 'time': {
      const text: JsonSchema = { type: 'string', pattern: '^\\d{1,12}(\\.\\d{1,6})? ?(ms|s|m|h)$' };
      return isInMs(name) ? { anyOf: [{ type: 'number', minimum: field.min ?? 1, maximum: field.max }, text] } : text;
    }
    case 'names':
      return {
        anyOf: [
          { type: 'string', minLength: 1 },
          { type: 'array', items: { type: 'string', minLength: 1 } },
        ],
      };
    case 'value':
      return {};
    case 'group':
      return settingsSchema(field.fields);
    case 'list':
      return { type: 'array', items: settingSchema(field.item) };
    case 'map':
      return { type: 'object', additionalProperties: settingSchema(field.item) };
    case 'either':
      return { anyOf: [settingSchema(field.text), settingSchema(field.group)] };
  }
}
