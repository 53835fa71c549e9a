/** How a member of an answer drifts away from what its tool promised, and whether it then really has. */
import { withMembers } from './data-path.js';
import { isObject, type JsonObject } from './message.js';
import { accepts, listedValues, type Promised } from './output-schema.js';

/** What can happen to a member. */
export const DRIFTS = ['rename', 'drop', 'retype', 'nullify', 'nest', 'enum', 'array-scalar', 'extra'] as const;
export type Drift = (typeof DRIFTS)[number];

/** A longer name is nobody's spelling. */
const MAX_NAME_LENGTH = 256;

/** Words that could be one of a closed list. */
const CHOICE = /^[A-Za-z][A-Za-z0-9_-]{1,31}$/;

/** The values that could stand in the place of one, the most natural first; none for drifts that are not about values. */
function otherValues(value: unknown, drift: Drift, listed: readonly unknown[] | undefined): readonly unknown[] {
  switch (drift) {
    case 'nullify':
      return value === null ? [] : [null];
    case 'nest':
      return [{ value }];
    case 'retype':
      return retyped(value);
    case 'array-scalar':
      if (Array.isArray(value)) return value.slice(0, 1) as unknown[];
      return isObject(value) || value === null ? [] : [[value]];
    case 'enum':
      return outside(value, listed);
    default:
      return [];
  }
}

function retyped(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.length > 0 ? [(value as unknown[])[0], String(value.length)] : [null, ''];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value), [value]];
  if (value === null) return ['', 0];
  return typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? [Number(value), [value]] : [[value]];
}

/** Other spellings first, as a server with a new version would have them, then a new choice. */
function outside(value: unknown, listed: readonly unknown[] = [value]): readonly unknown[] {
  if (typeof value === 'number') return listed.length > 1 ? [Math.max(...listed.filter((one) => typeof one === 'number'), value) + 1] : [];
  if (typeof value !== 'string' || !CHOICE.test(value)) return [];
  return [value.toUpperCase(), value.toLowerCase(), `${value}_v2`].filter((other) => !listed.includes(other));
}

/** The other common spelling of a name where it has one, else a longer one. */
function newName(name: string, owner: object): string {
  if (name.length > MAX_NAME_LENGTH) return freeName(`${name}_value`, owner);
  const camel = name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
  const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return freeName(camel !== name ? camel : snake !== name ? snake : `${name}_value`, owner);
}

function freeName(wanted: string, owner: object): string {
  let name = wanted;
  while (Object.hasOwn(owner, name)) name += '_value';
  return name;
}

/** What a schema promises about a member; `root` is where its references lead. */
export type MemberPromise = Promised & { readonly root: JsonObject };

/**
 * Can this member drift so? Where a schema is known, only when the answer then breaks it, or has a member in it that
 * it does not know.
 */
export function canDrift(value: unknown, drift: Drift, promise: MemberPromise | undefined): boolean {
  if (drift === 'rename' || drift === 'extra') return true;
  if (drift === 'drop') return promise?.isRequired ?? true;
  return newValue(value, drift, promise) !== undefined;
}

/** The new value, wrapped because it can be anything. */
function newValue(value: unknown, drift: Drift, promise: MemberPromise | undefined): { readonly value: unknown } | undefined {
  const listed = promise === undefined ? undefined : listedValues(promise.root, promise.schema);
  if (drift === 'enum' && promise !== undefined && listed === undefined) return undefined;
  const others = otherValues(value, drift, listed);
  const found = promise === undefined ? others : others.filter((other) => !accepts(promise.root, promise.schema, other));
  return found.length === 0 ? undefined : { value: found[0] };
}

/** The owner with its member drifted; the owner itself when it has no such member, or one that cannot. */
export function drifted(owner: unknown, member: string, drift: Drift, promise: MemberPromise | undefined): unknown {
  if (!isObject(owner) || !Object.hasOwn(owner, member)) return owner;
  const made = newValue(owner[member], drift, promise);
  if (made === undefined && !['rename', 'drop', 'extra'].includes(drift)) return owner;
  return withMembers(owner, (name, value) => {
    if (name !== member) return [[name, value]];
    if (drift === 'drop') return [];
    if (drift === 'rename') return [[newName(name, owner), value]];
    if (drift === 'extra')
      return [
        [name, value],
        [freeName(`${name}_raw`, owner), value],
      ];
    return [[name, made?.value]];
  });
}
