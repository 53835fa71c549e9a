/** A scenario: a topology, the ways of defending it that are compared, what is swept, and the gates that must hold. */
import {
  createValueReader,
  describeValue,
  isObject,
  member,
  pathText,
  suggest,
  type Catalogue,
  type JsonObject,
  type PlanPath,
  type PlanProblem,
  type ValueReader,
} from '@toolquake/sdk/core';
import { checkTopology } from './check-topology.js';
import { FIGURE_NAMES } from './figures-of-run.js';
import { findPath, withSettings, type Settings } from './settings.js';
import type { Gate, SettingValue } from './topology.js';

/** One way of running the system. */
export type Variant = {
  readonly name: string;
  readonly set: Settings;
  readonly gates: readonly Gate[];
  /** False: the point of this variant is that its gates break. */
  readonly isExpectedToHold: boolean;
};

/** A key and the values that it takes, one run after the other. */
export type Sweep = { readonly key: string; readonly values: readonly SettingValue[] };

/** See the module comment. `source` is the topology as it was written, before any setting. */
export type Scenario = {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly seeds: number;
  readonly source: JsonObject;
  readonly variants: readonly Variant[];
  readonly sweeps: readonly Sweep[];
  /** Figures that the table shows besides the usual ones. */
  readonly show: readonly string[];
};

/** Keys of a scenario file besides those of its topology. */
const SCENARIO_KEYS = ['title', 'about', 'seeds', 'variants', 'sweep', 'show'] as const;

/** `scenario` is there exactly when there are no problems. */
export type CheckedScenario = { readonly scenario: Scenario | undefined; readonly problems: readonly PlanProblem[] };

/** Checks the topology, and again with the settings of every variant and every swept value. */
export function checkScenario(value: unknown, catalogue: Catalogue): CheckedScenario {
  const base = checkTopology(value, catalogue, SCENARIO_KEYS);
  const reader = createValueReader();
  const source = isObject(value) ? value : {};
  const topology = Object.fromEntries(Object.entries(source).filter(([key]) => !(SCENARIO_KEYS as readonly string[]).includes(key)));
  const text = (key: string, fallback: string): string => {
    const given = member(source, key);
    return given === undefined ? fallback : (reader.text(given, [key]) ?? fallback);
  };
  const name = text('scenario', 'unnamed');
  const seedsGiven = member(source, 'seeds');
  const scenario: Scenario = {
    name,
    title: text('title', name),
    about: text('about', ''),
    seeds: seedsGiven === undefined ? 1 : (reader.number(seedsGiven, ['seeds'], { min: 1, max: 100_000, isWhole: true }) ?? 1),
    source: topology,
    variants: checkVariants(reader, member(source, 'variants'), topology, catalogue),
    sweeps: checkSweeps(reader, member(source, 'sweep'), topology),
    show: checkShow(reader, member(source, 'show')),
  };
  if (base.problems.length === 0 && reader.problems.length === 0) checkSweptValues(reader, scenario, catalogue);
  const problems = [...base.problems, ...reader.problems];
  return problems.length === 0 ? { scenario, problems } : { scenario: undefined, problems };
}

function checkShow(reader: ValueReader, value: unknown): readonly string[] {
  const names = value === undefined ? [] : (reader.names(value, ['show']) ?? []);
  names.forEach((name, index) => checkFigure(reader, name, ['show', index]));
  return names;
}

function checkFigure(reader: ValueReader, name: string, path: PlanPath): void {
  if (FIGURE_NAMES.includes(name)) return;
  reader.report(path, 'UNKNOWN_KEY', `There is no figure ${describeValue(name)}.`, suggest(name, FIGURE_NAMES));
}

const AS_IT_IS: Variant = { name: 'as it is', set: {}, gates: [], isExpectedToHold: true };

function checkVariants(reader: ValueReader, value: unknown, topology: JsonObject, catalogue: Catalogue): readonly Variant[] {
  if (value === undefined) return [AS_IT_IS];
  if (!Array.isArray(value) || value.length === 0) {
    reader.report(
      ['variants'],
      'WRONG_TYPE',
      `variants must be a list, not ${describeValue(value)}.`,
      'Begin every variant with "- name: ...".',
    );
    return [AS_IT_IS];
  }
  reportTwice(
    reader,
    value.map((one: unknown) => (isObject(one) ? one['name'] : undefined)),
    ['variants'],
    'name',
  );
  return value.map((one: unknown, index): Variant => {
    const path = ['variants', index];
    const given = reader.object(one, path, ['name', 'set', 'gates', 'holds']) ?? {};
    const set = member(given, 'set') ?? {};
    const settings = isObject(set) ? set : {};
    if (!isObject(set))
      reader.report([...path, 'set'], 'WRONG_TYPE', `${pathText([...path, 'set'])} must be a mapping from keys to values.`);
    const holds = member(given, 'holds');
    const before = reader.problems.length;
    for (const key of Object.keys(settings)) checkKey(reader, topology, key, [...path, 'set', key]);
    if (reader.problems.length === before)
      checkSettings(reader, topology, settings, catalogue, (key) => [...path, 'set', key], [...path, 'set']);
    return {
      name: reader.text(member(given, 'name'), [...path, 'name']) ?? '',
      set: settings,
      gates: checkGates(reader, member(given, 'gates'), [...path, 'gates']),
      isExpectedToHold: holds === undefined ? true : (reader.flag(holds, [...path, 'holds']) ?? true),
    };
  });
}

function checkGates(reader: ValueReader, value: unknown, path: PlanPath): readonly Gate[] {
  if (value === undefined) return [];
  if (!isObject(value)) {
    reader.report(
      path,
      'WRONG_TYPE',
      `${pathText(path)} must be a mapping from figures to bounds.`,
      'For example { failedShare: { max: 0.01 } }.',
    );
    return [];
  }
  return Object.entries(value).map(([figure, bounds]) => {
    checkFigure(reader, figure, [...path, figure]);
    const given = reader.object(bounds, [...path, figure], ['max', 'min']) ?? {};
    const bound = (key: string): number | undefined => {
      const found = member(given, key);
      return found === undefined ? undefined : reader.number(found, [...path, figure, key], {});
    };
    const gate = { figure, max: bound('max'), min: bound('min') };
    if (gate.max === undefined && gate.min === undefined)
      reader.report([...path, figure], 'MISSING_KEY', `${pathText([...path, figure])} needs "max" or "min".`);
    return gate;
  });
}

function checkSweeps(reader: ValueReader, value: unknown, topology: JsonObject): readonly Sweep[] {
  if (value === undefined) return [];
  if (!isObject(value)) {
    reader.report(['sweep'], 'WRONG_TYPE', 'sweep must be a mapping from keys to lists of values.');
    return [];
  }
  return Object.entries(value).map(([key, values]) => {
    const path = ['sweep', key];
    checkKey(reader, topology, key, path);
    const isList =
      Array.isArray(values) && values.length > 0 && values.every((one) => ['number', 'string', 'boolean'].includes(typeof one));
    if (!isList) reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be a list of values, not ${describeValue(values)}.`);
    else reportTwice(reader, values, path, 'value');
    return { key, values: isList ? (values as readonly SettingValue[]) : [] };
  });
}

/** Runs that cannot be told apart would be counted together. */
function reportTwice(reader: ValueReader, items: readonly unknown[], path: PlanPath, what: string): void {
  items.forEach((item, index) => {
    if (item === undefined || items.indexOf(item) === index) return;
    reader.report([...path, index], 'DUPLICATE_ID', `${pathText(path)} has the ${what} ${describeValue(item)} twice.`);
  });
}

function checkKey(reader: ValueReader, topology: JsonObject, key: string, path: PlanPath): void {
  const found = findPath(topology, key);
  if ('advice' in found) reader.report(path, 'UNKNOWN_KEY', `There is no key ${describeValue(key)} in this topology.`, found.advice);
}

/** Makes the settings and checks what came out; what is wrong is reported where the setting stands. */
function checkSettings(
  reader: ValueReader,
  topology: JsonObject,
  settings: Settings,
  catalogue: Catalogue,
  placeOf: (key: string) => PlanPath,
  whole: PlanPath,
): void {
  const { problems } = checkTopology(withSettings(topology, settings), catalogue);
  for (const { path, code, message, advice } of problems) {
    const key = Object.keys(settings).find((one) => {
      const found = findPath(topology, one);
      return 'steps' in found && found.steps.every((step, index) => path[index] === undefined || String(path[index]) === String(step));
    });
    reader.report(key === undefined ? whole : placeOf(key), code, message, advice);
  }
}

function checkSweptValues(reader: ValueReader, scenario: Scenario, catalogue: Catalogue): void {
  for (const problem of sweepProblems(scenario, scenario.sweeps, catalogue)) {
    reader.report(['sweep', problem.key], problem.code, problem.message, problem.advice);
  }
}

/** What is wrong with values of a sweep, each value tried by itself in the first variant. */
export function sweepProblems(
  { source, variants }: Pick<Scenario, 'source' | 'variants'>,
  sweeps: readonly Sweep[],
  catalogue: Catalogue,
): readonly (PlanProblem & { readonly key: string })[] {
  return sweeps.flatMap(({ key, values }) => {
    const found = findPath(source, key);
    if ('advice' in found) {
      const message = `There is no key ${describeValue(key)} in this topology.`;
      return [{ key, path: [], code: 'UNKNOWN_KEY' as const, message, advice: found.advice }];
    }
    return values.flatMap((value) => {
      const { problems } = checkTopology(withSettings(source, { ...variants[0]?.set, [key]: value }), catalogue);
      return problems.map((problem) => ({ ...problem, key }));
    });
  });
}

/** Every combination of swept values, in order. */
export function pointsOf(sweeps: readonly Sweep[]): readonly Readonly<Record<string, SettingValue>>[] {
  return sweeps.reduce<readonly Readonly<Record<string, SettingValue>>[]>(
    (points, { key, values }) => points.flatMap((point) => values.map((value) => ({ ...point, [key]: value }))),
    [{}],
  );
}
