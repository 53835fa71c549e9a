/** From unknown input to a topology. Reports every problem it finds, with its path and the nearest good word; never throws. */
import {
  checkPlan,
  createValueReader,
  describeValue,
  EMPTY_PLAN,
  isObject,
  member,
  pathText,
  type Catalogue,
  type JsonObject,
  type PlanPath,
  type PlanProblem,
  type ValueReader,
} from '@toolquake/sdk/core';
import { checkField, checkFields, checkTime } from './check-fields.js';
import { checkSystem } from './check-system.js';
import { findLiveKey, type Inhabitants } from './live-keys.js';
import { AGENT_FIELDS, GATEWAY_FIELDS, REGISTRY_FIELDS, SERVER_FIELDS, type Fields, type ValuesOf } from './topology-fields.js';
import type { Change, Levels, Move, Topology } from './topology.js';

/** Keys that describe one system; scenario files have a few more around them. */
const TOPOLOGY_KEYS = [
  'version',
  'scenario',
  'seed',
  'lasts',
  'window',
  'servers',
  'gateway',
  'registry',
  'agents',
  'plan',
  'timeline',
  'levels',
] as const;

const DAY_MS = 86_400_000;
/** Names are used in paths, journals and file names. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** `topology` is there exactly when there are no problems. */
export type CheckedTopology = { readonly topology: Topology | undefined; readonly problems: readonly PlanProblem[] };

/** See the module comment. `otherKeys` are allowed beside the topology's own, and not looked at. */
export function checkTopology(value: unknown, catalogue: Catalogue, otherKeys: readonly string[] = []): CheckedTopology {
  const reader = createValueReader();
  const given = reader.object(value, [], [...TOPOLOGY_KEYS, ...otherKeys]) ?? {};
  const get = (key: (typeof TOPOLOGY_KEYS)[number]): unknown => member(given, key);
  const version = get('version');
  if (version !== undefined && version !== 1)
    reader.report(['version'], 'OUT_OF_RANGE', 'version must be 1.', 'The nearest allowed value is 1.');
  const servers = checkNamed(reader, get('servers'), 'servers', SERVER_FIELDS);
  const agents = checkNamed(reader, get('agents'), 'agents', AGENT_FIELDS);
  const gateway = get('gateway') === undefined ? undefined : checkFields(reader, get('gateway'), ['gateway'], GATEWAY_FIELDS);
  const { registry, moves } = checkRegistry(reader, get('registry'));
  const inhabitants = { servers: Object.keys(servers), agents: Object.keys(agents), hasGateway: gateway !== undefined };
  const topology: Topology = {
    scenario: optional(reader, get('scenario'), (found) => reader.text(found, ['scenario'])) ?? 'unnamed',
    seed: optional(reader, get('seed'), (found) => reader.number(found, ['seed'], { isWhole: true })) ?? 0,
    lastsMs: optional(reader, get('lasts'), (found) => checkTime(reader, found, ['lasts'], { min: 1, max: 30 * DAY_MS })),
    windowMs: optional(reader, get('window'), (found) => checkTime(reader, found, ['window'], { min: 1, max: DAY_MS })) ?? 1000,
    servers,
    gateway,
    registry,
    moves,
    agents,
    plan: checkPlanOf(reader, get('plan'), catalogue),
    timeline: checkTimeline(reader, get('timeline'), inhabitants),
    levels: get('levels') === undefined ? undefined : checkLevels(reader, get('levels'), inhabitants),
  };
  // Sense is looked for once every value can be trusted.
  if (reader.problems.length === 0) checkSystem(reader, topology);
  return reader.problems.length === 0 ? { topology, problems: [] } : { topology: undefined, problems: reader.problems };
}

function optional<Value>(_reader: ValueReader, value: unknown, read: (value: unknown) => Value | undefined): Value | undefined {
  return value === undefined ? undefined : read(value);
}

function checkNamed<Table extends Fields>(
  reader: ValueReader,
  value: unknown,
  key: string,
  table: Table,
): Readonly<Record<string, ValuesOf<Table>>> {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) {
    reader.report(value === undefined ? [] : [key], 'MISSING_KEY', `A topology needs "${key}": at least one.`);
    return {};
  }
  if (!isObject(value)) {
    reader.report([key], 'WRONG_TYPE', `${key} must be a mapping from names to what they are, not ${describeValue(value)}.`);
    return {};
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, spec]) => {
      if (!NAME.test(name)) {
        const message = `${key} has the name ${describeValue(name)}: a name is letters, digits, "-" and "_", and begins with a letter.`;
        reader.report([key, name], 'WRONG_TYPE', message);
      }
      return [name, checkFields(reader, spec, [key, name], table)];
    }),
  );
}

function checkRegistry(reader: ValueReader, value: unknown): { registry: Topology['registry']; moves: readonly Move[] } {
  const path = ['registry'];
  const given: JsonObject = value === undefined ? {} : (reader.object(value, path, [...Object.keys(REGISTRY_FIELDS), 'moves']) ?? {});
  const { moves: list, ...fields } = given;
  const moves = eachOf(reader, list, [...path, 'moves'], (one, at): Move => {
    const move = reader.object(one, at, ['tool', 'to', 'at']) ?? {};
    return {
      tool: reader.text(member(move, 'tool'), [...at, 'tool']) ?? '',
      to: reader.text(member(move, 'to'), [...at, 'to']) ?? '',
      atMs: checkTime(reader, member(move, 'at') ?? 0, [...at, 'at'], { min: 0, max: DAY_MS }) ?? 0,
    };
  });
  const known = Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(REGISTRY_FIELDS, name)));
  return { registry: checkFields(reader, known, path, REGISTRY_FIELDS), moves };
}

function eachOf<Value>(
  reader: ValueReader,
  list: unknown,
  path: PlanPath,
  read: (one: unknown, path: PlanPath) => Value,
): readonly Value[] {
  if (list === undefined) return [];
  if (Array.isArray(list)) return list.map((one: unknown, index) => read(one, [...path, index]));
  reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be a list, not ${describeValue(list)}.`, 'Begin every entry with "- ".');
  return [];
}

function checkPlanOf(reader: ValueReader, value: unknown, catalogue: Catalogue): Topology['plan'] {
  if (value === undefined) return EMPTY_PLAN;
  const { plan, problems } = checkPlan(value, catalogue, { transport: 'simulator' });
  for (const { path, code, message, advice } of problems) reader.report(['plan', ...path], code, `plan: ${message}`, advice);
  return plan ?? EMPTY_PLAN;
}

/** A path that may change, with a value that it may have. */
function checkSetting(
  reader: ValueReader,
  { set, to }: { readonly set: unknown; readonly to: unknown },
  path: PlanPath,
  inhabitants: Inhabitants,
): { readonly set: string; readonly to: number | boolean } {
  const text = reader.text(set, [...path, 'set']);
  const found = text === undefined ? undefined : findLiveKey(text, inhabitants);
  if (found !== undefined && 'advice' in found) {
    reader.report([...path, 'set'], 'UNKNOWN_KEY', `${describeValue(text)} cannot change while the simulation runs.`, found.advice);
  }
  // Live keys are numbers and flags; a default is never meant here, so what is absent is looked at as such.
  const value = found === undefined || 'advice' in found ? to : checkField(reader, to ?? null, [...path, 'to'], found.field);
  return { set: text ?? '', to: value as number | boolean };
}

function checkReplicas(reader: ValueReader, value: unknown, path: PlanPath): number | undefined {
  return value === undefined ? undefined : reader.number(value, [...path, 'replicas'], { min: 1, max: 1000, isWhole: true });
}

function checkTimeline(reader: ValueReader, value: unknown, inhabitants: Inhabitants): readonly Change[] {
  return eachOf(reader, value, ['timeline'], (one, path) => {
    const given = reader.object(one, path, ['at', 'until', 'set', 'to', 'replicas']) ?? {};
    const atMs = checkTime(reader, member(given, 'at') ?? null, [...path, 'at'], { min: 0, max: 30 * DAY_MS }) ?? 0;
    const until = member(given, 'until');
    return {
      atMs,
      untilMs: until === undefined ? undefined : checkTime(reader, until, [...path, 'until'], { min: atMs, max: 30 * DAY_MS }),
      ...checkSetting(reader, { set: member(given, 'set'), to: member(given, 'to') }, path, inhabitants),
      replicas: checkReplicas(reader, member(given, 'replicas'), path),
    };
  });
}

function checkLevels(reader: ValueReader, value: unknown, inhabitants: Inhabitants): Levels {
  const path = ['levels'];
  const given = reader.object(value, path, ['set', 'values', 'each', 'replicas']) ?? {};
  const values = eachOf(reader, member(given, 'values') ?? null, [...path, 'values'], (one, at) => reader.number(one, at, {}) ?? 0);
  const { set } = checkSetting(reader, { set: member(given, 'set'), to: values[0] }, path, inhabitants);
  const found = findLiveKey(set, inhabitants);
  if (!('advice' in found)) values.forEach((to, index) => void checkField(reader, to, [...path, 'values', index], found.field));
  const eachMs = checkTime(reader, member(given, 'each') ?? null, [...path, 'each'], { min: 1, max: DAY_MS }) ?? 1;
  return { set, values, eachMs, replicas: checkReplicas(reader, member(given, 'replicas'), path) };
}
