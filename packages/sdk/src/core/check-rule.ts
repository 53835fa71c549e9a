/** Checks one rule of a plan. */
import { checkParams } from './check-params.js';
import { checkAt, checkShape } from './check-schedule.js';
import { describeValue, member, pathText, type PlanPath, type ValueReader } from './check-value.js';
import type { Catalogue, Fault, Phase } from './fault.js';
import { compileGlobs, isGlob } from './match.js';
import { isObject, type JsonObject } from './message.js';
import { suggest } from './nearest-word.js';
import { MAX_RULE_ID_LENGTH, PLAN_KEYS, PLAN_WORDS } from './plan-keys.js';
import type { Rule, When } from './plan.js';

/** Reads a rule whose id is settled; undefined when its fault or params are unusable. */
export function checkRule(
  reader: ValueReader,
  given: JsonObject,
  path: PlanPath,
  world: { id: string; catalogue: Catalogue },
): Rule | undefined {
  const { id, catalogue } = world;
  const fault = checkFault(reader, member(given, 'fault'), path, world);
  const when = checkWhen(reader, member(given, 'when'), [...path, 'when']);
  const at = checkAt(reader, member(given, 'at'), [...path, 'at']);
  const shape = checkShape(reader, member(given, 'shape'), [...path, 'shape']);
  const probabilityGiven = member(given, 'probability');
  const probability = probabilityGiven === undefined ? 1 : reader.number(probabilityGiven, [...path, 'probability'], { min: 0, max: 1 });
  const enabledGiven = member(given, 'enabled');
  const isEnabled = enabledGiven === undefined ? true : reader.flag(enabledGiven, [...path, 'enabled']);
  if (fault === undefined || !catalogue.has(fault.type)) return undefined;
  const params = checkParams(reader, member(given, 'params'), [...path, 'params'], fault);
  const phase = checkPhase(reader, member(given, 'phase'), [...path, 'phase'], fault);
  if (params === undefined || phase === undefined || probability === undefined || isEnabled === undefined) return undefined;
  return { id, fault, params, when: narrowMethods(when, fault), at, probability, shape, phase, isEnabled };
}

/** Of a fault that is made for some methods, a wildcard means those of them that it matches. */
function narrowMethods(when: When, { hasFixedMethods, methods }: Fault): When {
  if (!hasFixedMethods || when.method?.some(isGlob) !== true) return when;
  const narrowed = when.method.flatMap((one) => {
    const meant = isGlob(one) ? methods.filter(compileGlobs([one])) : [];
    return meant.length === 0 ? [one] : meant;
  });
  return { ...when, method: [...new Set(narrowed)] };
}

function checkFault(
  reader: ValueReader,
  value: unknown,
  path: PlanPath,
  { id, catalogue }: { id: string; catalogue: Catalogue },
): Fault | undefined {
  if (value === undefined)
    return reader.report(path, 'MISSING_KEY', `Rule ${describeValue(id)} needs "fault".`, 'Run "toolquake faults" to list them.');
  const type = reader.text(value, [...path, 'fault']);
  if (type === undefined) return undefined;
  const fault = catalogue.get(type);
  if (fault !== undefined) return fault;
  const message = `Rule ${describeValue(id)} uses the unknown fault ${describeValue(type)}.`;
  return reader.report(
    [...path, 'fault'],
    'UNKNOWN_FAULT',
    message,
    `${suggest(type, [...catalogue.keys()])} Run "toolquake faults" to list all of them.`,
  );
}

function checkPhase(reader: ValueReader, value: unknown, path: PlanPath, fault: Fault): Phase | undefined {
  if (value === undefined) return fault.phases[0] ?? 'pre';
  const phase = reader.word(value, path, PLAN_WORDS.phase);
  if (phase === undefined || fault.phases.includes(phase)) return phase;
  return reader.report(
    path,
    'WRONG_TYPE',
    `${pathText(path)}: the fault ${fault.type} has no phase "${phase}".`,
    `Allowed: ${fault.phases.join(', ')}.`,
  );
}

function checkWhen(reader: ValueReader, value: unknown, path: PlanPath): When {
  const given = value === undefined ? undefined : reader.object(value, path, PLAN_KEYS.when);
  if (given === undefined) return {};
  const names = (key: 'tool' | 'method' | 'session' | 'target'): { [Key in typeof key]?: readonly string[] } => {
    const one = member(given, key);
    const read = one === undefined ? undefined : reader.names(one, [...path, key]);
    return read === undefined ? {} : { [key]: read };
  };
  const directionGiven = member(given, 'direction');
  const direction = directionGiven === undefined ? undefined : reader.word(directionGiven, [...path, 'direction'], PLAN_WORDS.direction);
  const eraGiven = member(given, 'era');
  const era = eraGiven === undefined ? undefined : reader.word(eraGiven, [...path, 'era'], PLAN_WORDS.era);
  const argsGiven = member(given, 'args');
  const args = argsGiven === undefined ? undefined : checkArguments(reader, argsGiven, [...path, 'args']);
  return {
    ...names('tool'),
    ...names('method'),
    ...names('session'),
    ...names('target'),
    ...(direction === undefined ? {} : { direction }),
    ...(era === undefined ? {} : { era }),
    ...(args === undefined ? {} : { args }),
  };
}

/** More than any tool's arguments; also what stops a YAML alias that contains itself, or that multiplies. */
const MAX_DEPTH = 32;
const MAX_PARTS = 10_000;

function checkArguments(reader: ValueReader, value: unknown, path: PlanPath): JsonObject | undefined {
  if (!isObject(value))
    return reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be a mapping of arguments, not ${describeValue(value)}.`);
  if (isSmall(value, MAX_DEPTH, { left: MAX_PARTS })) return value;
  return reader.report(path, 'TOO_LARGE', `${pathText(path)} has more than ${MAX_PARTS} parts or ${MAX_DEPTH} levels, or contains itself.`);
}

function isSmall(value: unknown, depth: number, parts: { left: number }): boolean {
  if (parts.left-- <= 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isSmall(part, depth - 1, parts));
}

/** Reads the id that a rule states; undefined when it states none, or none that can be used. */
export function checkId(reader: ValueReader, given: JsonObject, path: PlanPath): string | undefined {
  const value = member(given, 'id');
  if (value === undefined) return undefined;
  const where = [...path, 'id'];
  const id = reader.text(value, where);
  if (id === undefined) return undefined;
  // Ids stand in journals, tables and file names of reports.
  if (id.trim() === id && id !== '' && id.length <= MAX_RULE_ID_LENGTH && !/\p{Cc}/u.test(id)) return id;
  const limits = `1 to ${MAX_RULE_ID_LENGTH} characters, no control characters, no spaces around`;
  return reader.report(where, 'OUT_OF_RANGE', `${pathText(where)} cannot be ${describeValue(id)}: ${limits}.`);
}
