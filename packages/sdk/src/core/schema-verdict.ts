/**
 * Does a value keep its JSON Schema? Yes, no, or nobody can tell: what we do not evaluate (patterns, remote references)
 * and what takes too long is never counted as kept. Schemas and values come from a server, so nothing in them is trusted:
 * depth is bounded, and so is the work, by the size of the answer that it is about.
 */
import { canonicalJson } from './call-key.js';
import { frameObject, type Frame } from './frame.js';
import { isObject, resultOf, type JsonObject } from './message.js';
import { isJsonType } from './output-schema.js';
import type { KnownTool } from './tool-book.js';

/** Undefined: cannot be told. */
export type SchemaVerdict = boolean | undefined;

const MAX_DEPTH = 64;
const LEAST_WORK = 4096;
const MOST_WORK = 200_000;

/** What is left to spend, and where references lead. */
type World = { readonly root: JsonObject; readonly isOldDraft: boolean; left: number };

/** Does an answer keep what the tool promises? Undefined without a result, without a schema, and where nobody can tell. */
export function keepsOutputSchema(tool: KnownTool | undefined, answer: Frame): SchemaVerdict {
  const schema = tool?.outputSchema;
  const result = schema === undefined || answer.isOpaque ? undefined : resultOf(frameObject(answer));
  if (schema === undefined || result === undefined || result['isError'] === true) return undefined;
  const { resultType, structuredContent, task } = result;
  if (resultType !== undefined && resultType !== 'complete') return undefined;
  // A promise to deliver later breaks nothing yet; a plain result without data does.
  if (structuredContent === undefined) return isObject(task) ? undefined : false;
  return keepsSchema(schema, structuredContent, LEAST_WORK + (answer.bytes?.length ?? 0));
}

/** See the module comment. `work` bounds how many places are looked at. */
export function keepsSchema(schema: JsonObject, value: unknown, work: number = LEAST_WORK): SchemaVerdict {
  const isOldDraft = typeof schema['$schema'] === 'string' && /draft-0[3-7]/.test(schema['$schema']);
  return judge({ root: schema, isOldDraft, left: Math.min(work, MOST_WORK) }, schema, value, 0);
}

function judge(world: World, schema: unknown, value: unknown, depth: number): SchemaVerdict {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema) || depth > MAX_DEPTH || !spend(world, 1)) return undefined;
  // Beside a reference, older drafts ignore everything else.
  const words = world.isOldDraft && '$ref' in schema ? ['$ref'] : Object.keys(schema);
  return all(world, words, (word) => {
    if (NOT_EVALUATED.has(word)) return undefined;
    // What is no word of ours is a remark.
    const rule = RULES.get(word);
    return rule === undefined || rule(schema[word], value, { world, schema, ask: (inner, part) => judge(world, inner, part, depth + 1) });
  });
}

/** Words that constrain, and that we leave alone: a hostile pattern could keep us busy for ever. */
const NOT_EVALUATED: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$dynamicRef',
  '$recursiveRef',
  'dependencies',
  'additionalItems',
  'minContains',
  'maxContains',
  'extends',
  'disallow',
  'divisibleBy',
]);

type Site = { readonly world: World; readonly schema: JsonObject; readonly ask: (schema: unknown, value: unknown) => SchemaVerdict };
type Rule = (given: unknown, value: unknown, site: Site) => SchemaVerdict;

/** A rule about one kind of value, with a limit that is a number; other values keep it. */
const limit =
  <Value>(is: (value: unknown) => value is Value, keeps: (value: Value, given: number, world: World) => SchemaVerdict): Rule =>
  (given, value, { world }) =>
    !is(value) || (typeof given === 'number' ? keeps(value, given, world) : undefined);

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isText = (value: unknown): value is string => typeof value === 'string';
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['$ref', (given, value, { world, ask }) => ask(referred(world, given), value)],
  ['type', (given, value, { world }) => (isList(given) ? any(world, given, (one) => isJsonType(one, value)) : isJsonType(given, value))],
  ['enum', (given, value, { world }) => (isList(given) ? any(world, given, (one) => isSame(world, one, value)) : undefined)],
  ['const', (given, value, { world }) => isSame(world, given, value)],
  ['allOf', (given, value, { world, ask }) => (isList(given) ? all(world, given, (one) => ask(one, value)) : undefined)],
  ['anyOf', (given, value, { world, ask }) => (isList(given) ? any(world, given, (one) => ask(one, value)) : undefined)],
  ['oneOf', (given, value, { world, ask }) => (isList(given) ? exactlyOne(world, given, (one) => ask(one, value)) : undefined)],
  ['not', (given, value, { ask }) => not(ask(given, value))],
  ['if', keepsBranch],
  ['minimum', limit(isNumber, (value, given) => value >= given)],
  ['maximum', limit(isNumber, (value, given) => value <= given)],
  ['exclusiveMinimum', limit(isNumber, (value, given) => value > given)],
  ['exclusiveMaximum', limit(isNumber, (value, given) => value < given)],
  ['multipleOf', limit(isNumber, isMultiple)],
  ['minLength', limit(isText, (value, given, world) => keepsLength(world, value, (length) => length >= given))],
  ['maxLength', limit(isText, (value, given, world) => keepsLength(world, value, (length) => length <= given))],
  ['minItems', limit(isList, (value, given) => value.length >= given)],
  ['maxItems', limit(isList, (value, given) => value.length <= given)],
  ['minProperties', limit(isObject, (value, given, world) => keepsCount(world, value, (count) => count >= given))],
  ['maxProperties', limit(isObject, (value, given, world) => keepsCount(world, value, (count) => count <= given))],
  ['uniqueItems', (given, value, { world }) => given !== true || !isList(value) || areDistinct(world, value)],
  ['prefixItems', keepsPrefix],
  ['items', keepsItems],
  ['contains', (given, value, { world, ask }) => !isList(value) || any(world, value, (item) => ask(given, item))],
  ['required', (given, value, { world }) => !isObject(value) || hasAll(world, given, value)],
  ['properties', keepsProperties],
  ['additionalProperties', keepsAdditional],
  ['propertyNames', (given, value, { world, ask }) => !isObject(value) || all(world, Object.keys(value), (name) => ask(given, name))],
  [
    'dependentRequired',
    (given, value, { world }) => keepsDependent(world, given, value, (names) => hasAll(world, names, value as JsonObject)),
  ],
  ['dependentSchemas', (given, value, { world, ask }) => keepsDependent(world, given, value, (schema) => ask(schema, value))],
]);

function keepsBranch(given: unknown, value: unknown, { schema, ask }: Site): SchemaVerdict {
  const [met, failed] = ['then', 'else'].map((word) => (): SchemaVerdict => (word in schema ? ask(schema[word], value) : true)) as [
    () => SchemaVerdict,
    () => SchemaVerdict,
  ];
  const isMet = ask(given, value);
  if (isMet !== undefined) return isMet ? met() : failed();
  const [one, other] = [met(), failed()];
  return one === other ? one : undefined;
}

function keepsPrefix(given: unknown, value: unknown, { world, ask }: Site): SchemaVerdict {
  if (!isList(value)) return true;
  return isList(given) ? all(world, given.slice(0, value.length), (schema, index) => ask(schema, value[index])) : undefined;
}

function keepsItems(given: unknown, value: unknown, site: Site): SchemaVerdict {
  if (!isList(value)) return true;
  // Older drafts write a tuple like this.
  if (isList(given)) return keepsPrefix(given, value, site);
  const { prefixItems } = site.schema;
  return all(site.world, value.slice(isList(prefixItems) ? prefixItems.length : 0), (item) => site.ask(given, item));
}

function keepsProperties(given: unknown, value: unknown, { world, ask }: Site): SchemaVerdict {
  if (!isObject(value)) return true;
  if (!isObject(given)) return undefined;
  return all(world, Object.keys(value), (name) => !Object.hasOwn(given, name) || ask(given[name], value[name]));
}

function keepsAdditional(given: unknown, value: unknown, { world, schema, ask }: Site): SchemaVerdict {
  if (!isObject(value)) return true;
  const { properties, patternProperties } = schema;
  const names = Object.keys(value);
  if (!spend(world, names.length)) return undefined;
  const others = names.filter((name) => !isObject(properties) || !Object.hasOwn(properties, name));
  // Which of the others a pattern is about stays unknown.
  if (others.length > 0 && isObject(patternProperties) && Object.keys(patternProperties).length > 0) return undefined;
  return all(world, others, (name) => ask(given, value[name]));
}

function keepsDependent(world: World, given: unknown, value: unknown, keeps: (wanted: unknown) => SchemaVerdict): SchemaVerdict {
  if (!isObject(value)) return true;
  return isObject(given) ? all(world, Object.keys(given), (name) => !Object.hasOwn(value, name) || keeps(given[name])) : undefined;
}

function hasAll(world: World, names: unknown, value: JsonObject): SchemaVerdict {
  if (!isList(names) || !spend(world, names.length)) return undefined;
  return names.every((name) => typeof name !== 'string' || Object.hasOwn(value, name));
}

function keepsCount(world: World, value: JsonObject, keeps: (count: number) => boolean): SchemaVerdict {
  const { length } = Object.keys(value);
  return spend(world, length) ? keeps(length) : undefined;
}

function isMultiple(value: number, of: number): SchemaVerdict {
  if (of <= 0) return undefined;
  const times = value / of;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

/** JSON Schema counts characters, not halves of them. */
function keepsLength(world: World, text: string, keeps: (length: number) => boolean): SchemaVerdict {
  if (keeps(text.length) && keeps(Math.ceil(text.length / 2))) return true;
  if (!spend(world, text.length / 16)) return undefined;
  let length = 0;
  for (const _ of text) length++;
  return keeps(length);
}

function isSame(world: World, one: unknown, other: unknown): SchemaVerdict {
  if (!spend(world, 1)) return undefined;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const [written, wanted] = [canonicalJson(other), canonicalJson(one)];
  // Paid for afterwards: it is known only then, and whoever cannot pay asks no more.
  return spend(world, (written.length + wanted.length) / 8) ? wanted === written : undefined;
}

function areDistinct(world: World, items: readonly unknown[]): SchemaVerdict {
  const seen = new Set<string>();
  for (const item of items) {
    const written = canonicalJson(item);
    if (!spend(world, 1 + written.length / 8)) return undefined;
    if (seen.has(written)) return false;
    seen.add(written);
  }
  return true;
}

/** Where a local reference leads; undefined for any other. */
function referred(world: World, reference: unknown): unknown {
  if (reference === '#') return world.root;
  if (typeof reference !== 'string' || !reference.startsWith('#/') || !spend(world, reference.length / 16)) return undefined;
  let target: unknown = world.root;
  for (const step of reference.slice(2).split('/')) {
    const name = unescaped(step);
    if (name === undefined || typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined;
    target = (target as JsonObject)[name];
  }
  return target;
}

function unescaped(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

function spend(world: World, work: number): boolean {
  world.left -= work;
  return world.left > 0;
}

/** False as soon as one is; unknown when one is, and none is false. Every part costs something, whatever it asks for. */
function all<Part>(world: World, parts: readonly Part[], keeps: (part: Part, index: number) => SchemaVerdict): SchemaVerdict {
  let verdict: SchemaVerdict = true;
  for (const [index, part] of parts.entries()) {
    if (!spend(world, 1)) return undefined;
    const one = keeps(part, index);
    if (one === false) return false;
    if (one === undefined) verdict = undefined;
  }
  return verdict;
}

const not = (verdict: SchemaVerdict): SchemaVerdict => (verdict === undefined ? undefined : !verdict);

function any<Part>(world: World, parts: readonly Part[], keeps: (part: Part, index: number) => SchemaVerdict): SchemaVerdict {
  return not(all(world, parts, (part, index) => not(keeps(part, index))));
}

function exactlyOne<Part>(world: World, parts: readonly Part[], keeps: (part: Part) => SchemaVerdict): SchemaVerdict {
  let kept = 0;
  // False, as soon as a second one is kept.
  const isUpToOne = all(world, parts, (part) => {
    const one = keeps(part);
    if (one === true) kept++;
    return one === undefined ? undefined : kept < 2;
  });
  return isUpToOne === true ? kept === 1 : isUpToOne;
}
