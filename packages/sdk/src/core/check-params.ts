/** Checks a rule's `params` against the fault's own vocabulary, and fills in the defaults. */
import { member, type PlanPath, type ValueReader } from './check-value.js';
import { assertNever } from './errors.js';
import type { Fault } from './fault.js';
import type { ParamSpec } from './params.js';

/** The values that the fault's `decide` may rely on; undefined when something was wrong. */
export function checkParams(
  reader: ValueReader,
  value: unknown,
  path: PlanPath,
  fault: Fault,
): Readonly<Record<string, unknown>> | undefined {
  const names = Object.keys(fault.params);
  const before = reader.problems.length;
  const given = value === undefined ? {} : reader.object(value, path, names);
  if (given === undefined) return undefined;
  const values = names.map((name): [string, unknown] => {
    const spec = fault.params[name]!;
    const one = member(given, name);
    return [name, one === undefined ? spec.default : checkParam(reader, one, [...path, name], spec)];
  });
  return reader.problems.length === before ? Object.fromEntries(values) : undefined;
}

function checkParam(reader: ValueReader, value: unknown, path: PlanPath, spec: ParamSpec): unknown {
  switch (spec.kind) {
    case 'ms':
      return reader.number(value, path, { min: spec.min, max: spec.max, unit: 'ms' });
    case 'count':
      // A limit that nobody can reach says nothing in a message.
      return reader.number(value, path, { min: spec.min, ...(spec.max < Number.MAX_SAFE_INTEGER ? { max: spec.max } : {}), isWhole: true });
    case 'ratio':
      return reader.number(value, path, { min: 0, max: 1 });
    case 'oneOf':
      return reader.word(value, path, spec.choices);
    case 'text':
      return reader.text(value, path);
    case 'flag':
      return reader.flag(value, path);
    case 'names':
      return reader.names(value, path);
    default:
      return assertNever(spec);
  }
}
