/** Reads values against tables of keys; every problem is reported with its path, none throws. */
import { describeValue, isObject, member, parseDuration, pathText, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { Field, Fields, Spread, StepTools, ValuesOf } from './topology-fields.js';

/** All keys of a mapping. The result is meaningless when the reader has problems. */
export function checkFields<Table extends Fields>(reader: ValueReader, value: unknown, path: PlanPath, table: Table): ValuesOf<Table> {
  const given = reader.object(value, path, Object.keys(table)) ?? {};
  const checked = Object.entries(table).map(([name, field]): [string, unknown] => [
    name,
    checkField(reader, member(given, name), [...path, name], field),
  ]);
  // Each value was read by the field of its own name.
  return Object.fromEntries(checked) as ValuesOf<Table>;
}

/** One value. What is absent becomes its default. */
export function checkField(reader: ValueReader, value: unknown, path: PlanPath, field: Field): unknown {
  if (value === undefined) return absent(reader, path, field);
  switch (field.kind) {
    case 'whole':
      if (field.mayBeUnbounded === true && value === 'unbounded') return Number.POSITIVE_INFINITY;
      return reader.number(value, path, { min: field.min, max: field.max, isWhole: true });
    case 'number':
      return reader.number(value, path, { min: field.min, max: field.max });
    case 'time':
      return checkTime(reader, value, path, field);
    case 'flag':
      return reader.flag(value, path);
    case 'text':
      return reader.text(value, path);
    case 'word':
      return reader.word(value, path, field.words);
    case 'names':
      return reader.names(value, path);
    case 'spread':
      return checkSpread(reader, value, path);
    case 'steps':
      return checkSteps(reader, value, path);
    case 'group':
      return checkFields(reader, value, path, field.fields);
  }
}

function absent(reader: ValueReader, path: PlanPath, field: Field): unknown {
  if ('isRequired' in field && field.isRequired === true) {
    reader.report(path.slice(0, -1), 'MISSING_KEY', `${pathText(path.slice(0, -1))} needs "${String(path.at(-1))}": ${field.about}`);
  }
  if (field.kind === 'spread') return { kind: 'fixed', ms: 20 } satisfies Spread;
  return 'default' in field ? field.default : undefined;
}

/** A time: milliseconds as a number, or text like `1.5s`. */
export function checkTime(
  reader: ValueReader,
  value: unknown,
  path: PlanPath,
  range: { readonly min: number; readonly max: number },
): number | undefined {
  const ms = typeof value === 'string' ? parseDuration(value) : value;
  if (ms === undefined) {
    const message = `${pathText(path)} must be a time, not ${describeValue(value)}.`;
    return reader.report(path, 'WRONG_TYPE', message, 'Times look like "500ms", "1.5s", "2m" or "1h"; a number is in milliseconds.');
  }
  return reader.number(ms, path, { ...range, unit: 'ms' });
}

const LONG = { min: 0, max: 86_400_000 };
const SPREADS = ['fixed', 'uniform', 'exponential', 'median', 'p99'];

function checkSpread(reader: ValueReader, value: unknown, path: PlanPath): Spread | undefined {
  if (!isObject(value)) {
    const ms = checkTime(reader, value, path, LONG);
    return ms === undefined ? undefined : { kind: 'fixed', ms };
  }
  const given = reader.object(value, path, SPREADS);
  const time = (key: string): number | undefined => {
    const found = member(given ?? {}, key);
    return found === undefined ? undefined : checkTime(reader, found, [...path, key], LONG);
  };
  const [fixed, exponential, median, p99] = [time('fixed'), time('exponential'), time('median'), time('p99')];
  const uniform = member(given ?? {}, 'uniform');
  if (uniform !== undefined) return checkUniform(reader, uniform, [...path, 'uniform']);
  if (fixed !== undefined) return { kind: 'fixed', ms: fixed };
  if (exponential !== undefined) return { kind: 'exponential', meanMs: exponential };
  if (median === undefined || p99 === undefined) {
    return reader.report(
      path,
      'MISSING_KEY',
      `${pathText(path)} must say how long the work takes.`,
      'For example "20ms", { median: 80ms, p99: 300ms }, { uniform: [10ms, 30ms] } or { exponential: 50ms }.',
    );
  }
  if (median <= 0 || p99 < median) {
    return reader.report(
      [...path, 'p99'],
      'OUT_OF_RANGE',
      `${pathText(path)} needs 0 < median <= p99.`,
      `The nearest allowed p99 is ${median} ms.`,
    );
  }
  return { kind: 'lognormal', medianMs: median, p99Ms: p99 };
}

function checkUniform(reader: ValueReader, value: unknown, path: PlanPath): Spread | undefined {
  const [from, to] = Array.isArray(value) && value.length === 2 ? (value as unknown[]) : [];
  const fromMs = from === undefined ? undefined : checkTime(reader, from, [...path, 0], LONG);
  const toMs = to === undefined ? undefined : checkTime(reader, to, [...path, 1], { min: fromMs ?? 0, max: LONG.max });
  if (fromMs !== undefined && toMs !== undefined) return { kind: 'uniform', fromMs, toMs };
  return from === undefined ? reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be a list of two times: [from, to].`) : undefined;
}

function checkSteps(reader: ValueReader, value: unknown, path: PlanPath): readonly StepTools[] | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    return reader.report(
      path,
      'WRONG_TYPE',
      `${pathText(path)} must be a list of steps, not ${describeValue(value)}.`,
      'A step is a tool, or a list of tools.',
    );
  }
  return value.flatMap((step: unknown, index) => {
    const tools = reader.names(step, [...path, index]);
    return tools === undefined ? [] : [tools];
  });
}
