/** Ways into JSON data: naming places, finding them, and changing what stands there without touching the original. */
import { isObject } from './message.js';

/** A step into data: the name of a member, the index of an item, or `null` for every item of a list. */
export type Step = string | number | null;

/** The way to a place; empty for the data as a whole. */
export type DataPath = readonly Step[];

/** A place and what stands there; with `null` in the path, what stands in the first of them. */
export type Place = { readonly path: DataPath; readonly value: unknown };

/** Enough to choose from; a result can have millions of members. */
const MAX_PLACES = 1000;
const MAX_ITEMS = 50;

/**
 * Every member and item of the data, in the order of the text, as far as there is room. With `mergesItems` the items of
 * a list are one place each way, because a schema says the same of all of them.
 */
export function placesIn(data: unknown, mergesItems = false): readonly Place[] {
  const found = new Map<string, Place>();
  const note = (path: DataPath, value: unknown): void => {
    const key = JSON.stringify(path);
    if (!found.has(key) && found.size < MAX_PLACES) found.set(key, { path, value });
    walk(path, value);
  };
  const walk = (path: DataPath, value: unknown): void => {
    if (found.size >= MAX_PLACES) return;
    if (Array.isArray(value)) {
      for (const [index, item] of (value as unknown[]).slice(0, MAX_ITEMS).entries()) note([...path, mergesItems ? null : index], item);
    } else if (isObject(value)) {
      for (const [name, part] of Object.entries(value)) note([...path, name], part);
    }
  };
  walk([], data);
  return [...found.values()];
}

/** Members of objects only, each way once. */
export const membersIn = (data: unknown): readonly Place[] => placesIn(data, true).filter(({ path }) => typeof path.at(-1) === 'string');

/** The places that a path names, as far as there is room; `null` in it stands for any item. */
export function placesAt(data: unknown, pattern: DataPath): readonly Place[] {
  let places: readonly Place[] = [{ path: [], value: data }];
  for (const step of pattern) {
    places = places.flatMap(({ path, value }) => partsOf(value, step).map(([name, part]) => ({ path: [...path, name], value: part })));
    places = places.slice(0, MAX_PLACES);
  }
  return places;
}

function partsOf(value: unknown, step: Step): readonly (readonly [Step, unknown])[] {
  if (typeof step === 'string') return isObject(value) && Object.hasOwn(value, step) ? [[step, value[step]]] : [];
  if (!Array.isArray(value)) return [];
  const items: unknown[] = value;
  if (step === null) return [...items.slice(0, MAX_PLACES).entries()];
  return step < items.length ? [[step, items[step]]] : [];
}

/** Reads `orders[*].total`, `$.orders[0].total` or `[*].id`; undefined for what is no such path. */
export function parsePath(text: string): DataPath | undefined {
  const steps: Step[] = [];
  let rest = text.replace(/^\$(?=$|[.[])/, '');
  while (rest !== '') {
    const item = /^\[(\*|\d{1,9})\]/.exec(rest);
    const name = item === null ? (steps.length === 0 ? /^\.?([^.[\]]+)/ : /^\.([^.[\]]+)/).exec(rest) : null;
    if (item === null && name === null) return undefined;
    if (item !== null) steps.push(item[1] === '*' ? null : Number(item[1]));
    else if (name !== null) steps.push(name[1]!);
    rest = rest.slice((item ?? name)![0].length);
  }
  return steps;
}

/** Changes what stands at every place that the path names; returns its argument where nothing changed. */
export function changeAt(data: unknown, path: DataPath, change: (value: unknown) => unknown): unknown {
  if (path.length === 0) return change(data);
  const [step, ...rest] = path as [Step, ...Step[]];
  if (Array.isArray(data)) {
    if (typeof step === 'string') return data;
    const items = data.map((item: unknown, index) => (step === null || step === index ? changeAt(item, rest, change) : item));
    return items.every((item, index) => item === data[index]) ? data : items;
  }
  if (!isObject(data) || typeof step !== 'string' || !Object.hasOwn(data, step)) return data;
  const changed = changeAt(data[step], rest, change);
  return changed === data[step] ? data : withMembers(data, (name, value) => [[name, name === step ? changed : value]]);
}

/** One value by another, wherever it stands; returns its argument where it stands nowhere. */
export const replaceIn = (data: unknown, before: unknown, after: unknown): unknown =>
  placesIn(data).reduce(
    (changing: unknown, { path, value }) => (value === before ? changeAt(changing, path, () => after) : changing),
    data,
  );

/** An object with other members in the place of each; the order stays. */
export function withMembers(
  owner: Readonly<Record<string, unknown>>,
  change: (name: string, value: unknown) => readonly (readonly [string, unknown])[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(owner).flatMap(([name, value]) => change(name, value)));
}

/** The one that a draw in [0, 1) falls on; undefined when there is none. */
export const pick = <Item>(items: readonly Item[], draw: number): Item | undefined => items[Math.floor(draw * items.length)];
