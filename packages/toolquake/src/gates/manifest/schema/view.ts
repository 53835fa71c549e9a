/**
 * How a schema reads once references are followed and different spellings of one thing are made one. A view says of a
 * value exactly what the schema says; it is made once per schema, so that two ways to the same schema meet in one view.
 */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { canonicalText } from '../canonical.js';
import { dialectOf, type Dialect } from './dialect.js';
import { referred } from './reference.js';
import { own, REMARK_WORDS, TEXT_WORDS } from './words.js';

/** A whole schema of a tool, and the views of its parts. */
export type SchemaRoot = {
  readonly document: unknown;
  readonly dialect: Dialect;
  readonly views: Map<object, View>;
  /** The types that each view lets pass, once they were asked for. */
  readonly types: Map<View, number>;
};

/** What a schema says: everything, nothing, or by its words. `unresolved` is a reference that leads nowhere. */
export type View = { readonly accepts: 'all' | 'none' | 'some'; readonly words: JsonObject; readonly unresolved?: string };

const ALL: View = { accepts: 'all', words: {} };
const NONE: View = { accepts: 'none', words: {} };

/** A root with nothing viewed yet. */
export const schemaRoot = (document: unknown): SchemaRoot => ({
  document,
  dialect: dialectOf(document),
  views: new Map(),
  types: new Map(),
});

const SILENT: ReadonlySet<string> = new Set([...TEXT_WORDS, ...REMARK_WORDS, '$schema', '$defs', 'definitions', '$id', 'id', '$anchor']);

/** True for a word that says something about values. */
const isConstraint = (word: string): boolean => !SILENT.has(word) && !word.startsWith('x-');

/** Longer chains of references are a loop. */
const MAX_CHAIN = 32;

/** The view of a schema. */
export function viewOf(root: SchemaRoot, schema: unknown, chain = 0): View {
  if (schema === undefined || schema === true) return ALL;
  if (schema === false) return NONE;
  // What is neither is no schema: everything about it is unknown.
  if (!isObject(schema)) return { accepts: 'some', words: {}, unresolved: 'it is no schema' };
  const known = root.views.get(schema);
  if (known !== undefined) return known;
  const made = makeView(root, schema, chain);
  root.views.set(schema, made);
  return made;
}

function makeView(root: SchemaRoot, schema: JsonObject, chain: number): View {
  const words = Object.keys(schema).filter(isConstraint);
  const reference = own(schema, '$ref');
  if (reference !== undefined) {
    const target = chain > MAX_CHAIN ? undefined : referred(root.document, reference);
    if (target === undefined)
      return { accepts: 'some', words: schema, unresolved: typeof reference === 'string' ? reference.slice(0, 200) : 'it is no text' };
    if (root.dialect.isOld || words.length === 1) return viewOf(root, target.schema, chain + 1);
    const { $ref: _, ...beside } = schema;
    const allOf = own(schema, 'allOf');
    // Beside other words a reference is one more condition.
    return { accepts: 'some', words: { ...beside, allOf: [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), target.schema] } };
  }
  if (words.length === 0) return { accepts: 'all', words: schema };
  if (words.length === 1) {
    const [word] = words as [string];
    const list = own(schema, word);
    // A choice of one is no choice. Generators write it to hang a description on a reference.
    if (['allOf', 'anyOf', 'oneOf'].includes(word) && Array.isArray(list) && list.length === 1) return viewOf(root, list[0], chain + 1);
    if (word === 'not' && isEmptySchema(list)) return NONE;
  }
  return { accepts: 'some', words: tidy(schema) };
}

const isEmptySchema = (schema: unknown): boolean => schema === true || (isObject(schema) && !Object.keys(schema).some(isConstraint));

/** One spelling for what has several: tuples, dependencies, choices of types, choices of constants. */
function tidy(schema: JsonObject): JsonObject {
  const words: JsonObject = { ...schema };
  if (Array.isArray(words['items'])) {
    words['prefixItems'] = words['items'];
    delete words['items'];
    if ('additionalItems' in words) words['items'] = words['additionalItems'];
  }
  delete words['additionalItems'];
  const dependencies = words['dependencies'];
  if (isObject(dependencies)) {
    const isList = (name: string): boolean => Array.isArray(dependencies[name]);
    const some = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, dependencies[name]]));
    const names = Object.keys(dependencies);
    words['dependentRequired'] = { ...asObject(words['dependentRequired']), ...some(names.filter(isList)) };
    words['dependentSchemas'] = { ...asObject(words['dependentSchemas']), ...some(names.filter((name) => !isList(name))) };
    delete words['dependencies'];
  }
  // Without anything that evaluates elsewhere, "unevaluated" means "additional".
  const hasApplicator = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'not', 'dependentSchemas', '$dynamicRef'].some((word) => word in words);
  if (!hasApplicator && 'unevaluatedProperties' in words) {
    words['additionalProperties'] ??= words['unevaluatedProperties'];
    delete words['unevaluatedProperties'];
  }
  mergeChoices(words);
  mergeLoneBranches(words);
  return words;
}

/** Words that mean something only together: they may come from one place alone. */
const GROUPS: readonly (readonly string[])[] = [
  ['properties', 'patternProperties', 'additionalProperties'],
  ['prefixItems', 'items', 'additionalItems', 'contains', 'minContains', 'maxContains'],
  ['if', 'then', 'else'],
];
const ALONE: readonly string[] = ['$ref', '$dynamicRef', 'unevaluatedProperties', 'unevaluatedItems', 'dependencies'];

/** A choice of one beside other words says no more than its words would say here, where they do not touch the others. */
function mergeLoneBranches(words: JsonObject): void {
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    const list: unknown = words[word];
    const branch: unknown = Array.isArray(list) && list.length === 1 ? list[0] : undefined;
    if (!isObject(branch)) continue;
    const said = Object.keys(branch).filter(isConstraint);
    const touches = (one: string): boolean =>
      ALONE.includes(one) ||
      ALONE.some((other) => other in words) ||
      one in words ||
      GROUPS.some((group) => group.includes(one) && group.some((other) => other in words));
    if (Array.isArray(branch['items']) || said.some(touches)) continue;
    delete words[word];
    for (const one of said) words[one] = branch[one];
  }
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** `anyOf: [{type: string}, {type: null}]` is `type: [string, null]`; a choice of constants is a list of values. */
function mergeChoices(words: JsonObject): void {
  for (const word of ['anyOf', 'oneOf'] as const) {
    const branches: unknown = words[word];
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const onlyWord = (allowed: string): unknown[] | undefined => {
      const values = branches.map((branch: unknown) => {
        const said = isObject(branch) ? Object.keys(branch).filter(isConstraint) : [];
        return isObject(branch) && said.length === 1 && said[0] === allowed ? branch[allowed] : undefined;
      });
      return values.includes(undefined) ? undefined : values;
    };
    const types = 'type' in words ? undefined : onlyWord('type');
    if (types?.every((type) => typeof type === 'string') === true && (word === 'anyOf' || areExclusive(types))) {
      words['type'] = [...new Set(types)];
      delete words[word];
      continue;
    }
    const constants = 'enum' in words || 'const' in words ? undefined : onlyWord('const');
    if (constants !== undefined && (word === 'anyOf' || new Set(constants.map((one) => canonicalText(one))).size === constants.length)) {
      words['enum'] = constants;
      delete words[word];
    }
  }
}

/** An integer is a number, too: with "oneOf" it would meet both. */
function areExclusive(types: readonly unknown[]): boolean {
  return new Set(types).size === types.length && !(types.includes('integer') && types.includes('number'));
}
