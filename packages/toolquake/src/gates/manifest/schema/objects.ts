/** Objects: their properties, known and unknown, and what these ask of each other. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { canonicalText } from '../canonical.js';
import { renamedProperty } from './renamed.js';
import { TYPE } from './types.js';
import { viewOf, type SchemaRoot } from './view.js';
import { descend, tell, type Place } from './walk.js';
import { own } from './words.js';

/** What one schema says of the properties of an object. */
type Shape = {
  readonly known: JsonObject;
  readonly required: ReadonlySet<string>;
  readonly patterns: JsonObject;
  /** What other properties must meet. */
  readonly others: unknown;
  /** `open`: any value; `closed`: none; `some`: what `others` says. */
  readonly rest: 'open' | 'closed' | 'some';
};

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

function shapeOf(root: SchemaRoot, words: JsonObject): Shape {
  const required: unknown = words['required'];
  const others = words['additionalProperties'];
  const { accepts, unresolved } = viewOf(root, others);
  return {
    known: asObject(words['properties']),
    required: new Set(Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : []),
    patterns: asObject(words['patternProperties']),
    others,
    rest: unresolved !== undefined || accepts === 'some' ? 'some' : accepts === 'all' ? 'open' : 'closed',
  };
}

/** Compares what is said about objects. */
export function compareObjects(place: Place): void {
  if ((place.shared & TYPE.object) === 0) return;
  for (const word of ['properties', 'patternProperties', 'dependentRequired', 'dependentSchemas'] as const) {
    const [before, after] = [place.before[word], place.after[word]];
    if ([before, after].some((given) => given !== undefined && !isObject(given)) && canonicalText(before) !== canonicalText(after))
      tell(place, 'word-unreadable', [word], before, after);
  }
  const [before, after] = [shapeOf(place.walk.oldRoot, place.before), shapeOf(place.walk.newRoot, place.after)];
  compareProperties(place, before, after);
  compareOthers(place, before, after);
  comparePatterns(place, before, after);
  compareNames(place);
  compareDependencies(place);
}

function compareProperties(place: Place, before: Shape, after: Shape): void {
  const gone = new Set(Object.keys(before.known).filter((name) => !Object.hasOwn(after.known, name)));
  const come = new Set(Object.keys(after.known).filter((name) => !Object.hasOwn(before.known, name)));
  // A question needs the plain truth; a guess at what was meant is for people.
  if (!place.walk.isQuestion) {
    for (const name of gone) {
      const renamed = renamedProperty(name, before.known[name], [...come], after.known);
      if (renamed === undefined) continue;
      gone.delete(name);
      come.delete(renamed);
      tell(place, 'property-renamed', ['properties', renamed], name, renamed, `"${name}" is now "${renamed}".`);
    }
  }
  for (const name of gone) tellGone(place, name, before, after);
  for (const name of come) tellCome(place, name, before, after);
  for (const name of Object.keys(after.known)) {
    if (Object.hasOwn(before.known, name)) descend(place, before.known[name], after.known[name], ['properties', name]);
  }
  compareRequired(place, before, after, new Set([...gone, ...come]));
}

function tellGone(place: Place, name: string, before: Shape, after: Shape): void {
  const steps = ['properties', name];
  const schema = before.known[name];
  // It may have been a name that nothing could stand behind.
  if (after.rest === 'closed' && viewOf(place.walk.oldRoot, schema).accepts === 'none') return;
  if (before.required.has(name)) tell(place, 'required-property-removed', steps, schema);
  // Whether the name falls under a pattern is not for us to find out: patterns can be hostile.
  if (after.rest !== 'open' && hasPatterns(after)) return tell(place, 'pattern-properties-changed', steps, schema);
  if (after.rest === 'closed') return tell(place, 'property-removed', steps, schema);
  if (!before.required.has(name)) tell(place, 'property-ignored', steps, schema);
  if (after.rest === 'some') descend(place, schema, after.others, steps);
}

function tellCome(place: Place, name: string, before: Shape, after: Shape): void {
  const steps = ['properties', name];
  const schema = after.known[name];
  const isDemanded = after.required.has(name) && !before.required.has(name);
  if (isDemanded) tell(place, 'required-property-added', steps, undefined, schema);
  if (before.rest !== 'open' && hasPatterns(before)) return tell(place, 'pattern-properties-changed', steps, undefined, schema);
  const isFree = viewOf(place.walk.newRoot, schema).accepts === 'all';
  if (before.rest === 'some') descend(place, before.others, schema, steps);
  if (before.rest === 'open' && !isFree) tell(place, 'property-added-where-others-were-allowed', steps, undefined, schema);
  else if (before.rest === 'closed') tell(place, 'property-added-where-others-were-refused', steps, undefined, schema);
  else if (!isDemanded) tell(place, 'optional-property-added', steps, undefined, schema);
}

const hasPatterns = ({ patterns }: Shape): boolean => Object.keys(patterns).length > 0;

/** Properties that came or went were told with their duty. */
function compareRequired(place: Place, before: Shape, after: Shape, told: ReadonlySet<string>): void {
  for (const name of after.required) {
    if (!before.required.has(name) && !(told.has(name) && own(after.known, name) !== undefined))
      tell(place, 'optional-to-required', ['required'], undefined, name, `"${name}".`);
  }
  for (const name of before.required) {
    if (!after.required.has(name) && !(told.has(name) && own(before.known, name) !== undefined))
      tell(place, 'required-to-optional', ['required'], name, undefined, `"${name}".`);
  }
}

function compareOthers(place: Place, before: Shape, after: Shape): void {
  const steps = ['additionalProperties'];
  if (before.rest === 'open' && after.rest === 'closed')
    tell(place, 'unknown-properties-refused', steps, place.before['additionalProperties'], false);
  else if (before.rest === 'closed' && after.rest === 'open')
    tell(place, 'unknown-properties-allowed', steps, false, place.after['additionalProperties']);
  else descend(place, before.others, after.others, steps);
}

function comparePatterns(place: Place, before: Shape, after: Shape): void {
  for (const pattern of Object.keys(after.patterns)) {
    const steps = ['patternProperties', pattern];
    if (Object.hasOwn(before.patterns, pattern)) descend(place, before.patterns[pattern], after.patterns[pattern], steps);
    else tell(place, 'pattern-properties-changed', steps, undefined, after.patterns[pattern]);
  }
  for (const pattern of Object.keys(before.patterns)) {
    if (Object.hasOwn(after.patterns, pattern)) continue;
    tell(
      place,
      after.rest === 'open' ? 'pattern-properties-relaxed' : 'pattern-properties-changed',
      ['patternProperties', pattern],
      before.patterns[pattern],
    );
  }
}

function compareNames(place: Place): void {
  const [before, after] = [place.before['propertyNames'], place.after['propertyNames']];
  if (before === undefined && after === undefined) return;
  if (before === undefined) tell(place, 'property-names-added', ['propertyNames'], undefined, after);
  else if (after === undefined) tell(place, 'property-names-removed', ['propertyNames'], before);
  else descend(place, before, after, ['propertyNames']);
}

function compareDependencies(place: Place): void {
  const lists = [asObject(place.before['dependentRequired']), asObject(place.after['dependentRequired'])] as const;
  for (const name of new Set(lists.flatMap((list) => Object.keys(list)))) {
    const [before, after] = lists.map((list) => new Set(asNames(own(list, name)))) as [Set<string>, Set<string>];
    const steps = ['dependentRequired', name];
    if ([...after].some((one) => !before.has(one))) tell(place, 'dependency-added', steps, [...before], [...after]);
    if ([...before].some((one) => !after.has(one))) tell(place, 'dependency-removed', steps, [...before], [...after]);
  }
  const schemas = [asObject(place.before['dependentSchemas']), asObject(place.after['dependentSchemas'])] as const;
  for (const name of new Set(schemas.flatMap((one) => Object.keys(one)))) {
    const steps = ['dependentSchemas', name];
    const [before, after] = [own(schemas[0], name), own(schemas[1], name)];
    if (before === undefined) tell(place, 'dependency-added', steps, undefined, after);
    else if (after === undefined) tell(place, 'dependency-removed', steps, before);
    else descend(place, before, after, steps);
  }
}

const asNames = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
