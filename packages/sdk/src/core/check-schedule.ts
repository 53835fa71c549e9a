/** Checks `at` and `shape`: which matches of a rule fire, and how they are spread. */
import { describeValue, member, pathText, type PlanPath, type ValueReader } from './check-value.js';
import { isObject, type JsonObject } from './message.js';
import { nearestWord } from './nearest-word.js';
import { PLAN_KEYS, PLAN_WORDS } from './plan-keys.js';
import type { At, Point, Shape } from './plan.js';

/** Reads `at`. Members with problems are left out; the caller gives up on the plan anyway. */
export function checkAt(reader: ValueReader, value: unknown, path: PlanPath): At {
  if (value === undefined) return {};
  const given = reader.object(value, path, PLAN_KEYS.at);
  if (given === undefined) return {};
  const read = <Value>(key: string, reading: (value: unknown, path: PlanPath) => Value | undefined): Value | undefined =>
    member(given, key) === undefined ? undefined : reading(given[key], [...path, key]);

  const nth = read('nth', (one, where) => checkNth(reader, one, where));
  const every = read('every', (one, where) => reader.number(one, where, { min: 1, isWhole: true }));
  const first = read('first', (one, where) => reader.number(one, where, { min: 0, isWhole: true }));
  const after = read('after', (one, where) => reader.point(one, where));
  const window = read('window', (one, where) => checkWindow(reader, one, where));
  const until = read('until', (one, where) => (one === 'recovered' ? one : checkUntil(reader, one, where)));
  const oncePer = read('oncePer', (one, where) => reader.word(one, where, PLAN_WORDS.oncePer));
  return {
    ...(nth === undefined ? {} : { nth }),
    ...(every === undefined ? {} : { every }),
    ...(first === undefined ? {} : { first }),
    ...(after === undefined ? {} : { after }),
    ...(window === undefined ? {} : { window }),
    ...(until === undefined ? {} : { until }),
    ...(oncePer === undefined ? {} : { oncePer }),
  };
}

function checkNth(reader: ValueReader, value: unknown, path: PlanPath): readonly number[] | undefined {
  if (!Array.isArray(value)) {
    const one = reader.number(value, path, { min: 1, isWhole: true });
    return one === undefined ? undefined : [one];
  }
  const numbers = value.map((one: unknown, index) => reader.number(one, [...path, index], { min: 1, isWhole: true }));
  return numbers.every((one) => one !== undefined) ? numbers : undefined;
}

function checkWindow(reader: ValueReader, value: unknown, path: PlanPath): { from: Point; to: Point } | undefined {
  const given = reader.object(value, path, PLAN_KEYS.window);
  if (given === undefined) return undefined;
  const from = required(reader, given, path, 'from', (one, where) => reader.point(one, where));
  const to = required(reader, given, path, 'to', (one, where) => reader.point(one, where));
  return from === undefined || to === undefined ? undefined : { from, to };
}

function checkUntil(reader: ValueReader, value: unknown, path: PlanPath): Point | undefined {
  if (typeof value === 'string' && nearestWord(value, ['recovered']) !== undefined) {
    return reader.report(
      path,
      'WRONG_TYPE',
      `${pathText(path)} has the unknown word ${describeValue(value)}.`,
      'Did you mean "recovered"?',
    );
  }
  return reader.point(value, path);
}

function required<Value>(
  reader: ValueReader,
  given: JsonObject,
  path: PlanPath,
  key: string,
  reading: (value: unknown, path: PlanPath) => Value | undefined,
): Value | undefined {
  const value = member(given, key);
  return value === undefined ? reader.report(path, 'MISSING_KEY', `${pathText(path)} needs "${key}".`) : reading(value, [...path, key]);
}

/** Reads `shape`: the word `iid`, or a mapping with the shape's name as its only key. */
export function checkShape(reader: ValueReader, value: unknown, path: PlanPath): Shape {
  const iid: Shape = { kind: 'iid' };
  if (value === undefined || value === 'iid') return iid;
  if (typeof value === 'string') {
    const kind = nearestWord(value, PLAN_KEYS.shape) ?? 'burst';
    const advice =
      kind === 'iid'
        ? 'Did you mean "iid"?'
        : `Write: shape: { ${kind}: { ${PLAN_KEYS[kind === 'ramp' ? 'ramp' : 'chain'].join(': ..., ')}: ... } }`;
    reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be "iid" or a mapping with one shape, not ${describeValue(value)}.`, advice);
    return iid;
  }
  const given = reader.object(value, path, PLAN_KEYS.shape);
  if (given === undefined) return iid;
  const kinds = PLAN_KEYS.shape.filter((kind) => Object.hasOwn(given, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const message = `${pathText(path)} must name exactly one shape, not ${kind === undefined ? 'none' : kinds.join(' and ')}.`;
    reader.report(path, kind === undefined ? 'MISSING_KEY' : 'WRONG_TYPE', message, `Shapes: ${PLAN_KEYS.shape.join(', ')}.`);
    return iid;
  }
  const where = [...path, kind];
  if (kind === 'iid') {
    if (!isObject(given[kind]) || Object.keys(given[kind]).length > 0)
      reader.report(where, 'WRONG_TYPE', `${pathText(where)} takes nothing.`, 'Write: shape: iid');
    return iid;
  }
  return (kind === 'ramp' ? checkRamp(reader, given[kind], where) : checkChain(reader, given[kind], where, kind)) ?? iid;
}

/** The highest share of bad steps that a chain reaches: between two bad runs there is at least one good step. */
export function highestRate(meanLength: number): number {
  return meanLength / (meanLength + 1);
}

function checkChain(reader: ValueReader, value: unknown, path: PlanPath, kind: 'burst' | 'episode'): Shape | undefined {
  const given = reader.object(value, path, PLAN_KEYS.chain);
  if (given === undefined) return undefined;
  const rate = required(reader, given, path, 'rate', (one, where) => reader.number(one, where, { min: 0, max: 1 }));
  const meanLength = required(reader, given, path, 'meanLength', (one, where) => reader.number(one, where, { min: 1 }));
  const scope = member(given, 'scope') === undefined ? 'tool' : reader.word(given['scope'], [...path, 'scope'], PLAN_WORDS.scope);
  if (rate === undefined || meanLength === undefined || scope === undefined) return undefined;
  const highest = highestRate(meanLength);
  if (rate <= highest) return { kind, rate, meanLength, scope };
  const where = [...path, 'rate'];
  const message = `${pathText(where)} must be at most ${highest.toPrecision(3)} with a meanLength of ${meanLength}, not ${rate}: at least one good step follows every bad run.`;
  // Cut, not rounded: the advice must pass the check.
  return reader.report(where, 'OUT_OF_RANGE', message, `The highest rate that it reaches is ${Math.floor(highest * 1e6) / 1e6}.`);
}

function checkRamp(reader: ValueReader, value: unknown, path: PlanPath): Shape | undefined {
  const given = reader.object(value, path, PLAN_KEYS.ramp);
  if (given === undefined) return undefined;
  const share = (key: 'from' | 'to'): number | undefined =>
    required(reader, given, path, key, (one, where) => reader.number(one, where, { min: 0, max: 1 }));
  const from = share('from');
  const to = share('to');
  const over = required(reader, given, path, 'over', (one, where) => reader.point(one, where));
  if (over !== undefined && ('ms' in over ? over.ms : over.matches) === 0) {
    return reader.report([...path, 'over'], 'OUT_OF_RANGE', `${pathText([...path, 'over'])} must be more than 0.`);
  }
  return from === undefined || to === undefined || over === undefined ? undefined : { kind: 'ramp', from, to, over };
}
