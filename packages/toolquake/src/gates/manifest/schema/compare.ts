/**
 * What changed between two JSON Schemas, place by place. A schema is a conjunction of its words: when every group of words
 * accepts what it accepted, so does the whole. So each file beside this one answers for its words alone, and whatever it
 * cannot prove it reports.
 */
import { isObject } from '@toolquake/sdk/core';
import { canonicalText } from '../canonical.js';
import type { Steps } from '../level.js';
import { compareArrays } from './arrays.js';
import { MAX_DEPTH, MAX_PLACES, spend } from './budget.js';
import { compareChoices } from './choices.js';
import { compareConditions } from './conditions.js';
import { dependsOnDialect } from './dialect.js';
import { compareNumbers } from './numbers.js';
import { compareObjects } from './objects.js';
import { compareText, compareTypes, compareValues } from './values.js';
import { typesOf } from './types.js';
import { schemaRoot, viewOf, type SchemaRoot, type View } from './view.js';
import { settle, tell, type Place, type SchemaChange, type Walk } from './walk.js';
import { innerSchemas } from './words.js';

/** The changes of what is accepted; what only people read is compared in `remarks.ts`. Both were measured before. */
export function compareSchemas(oldSchema: unknown, newSchema: unknown, maxPlaces: number = MAX_PLACES): readonly SchemaChange[] {
  if (canonicalText(oldSchema ?? true) === canonicalText(newSchema ?? true)) return [];
  const changes = new Map<string, SchemaChange>();
  const walk: Walk = {
    oldRoot: schemaRoot(oldSchema),
    newRoot: schemaRoot(newSchema),
    budget: { left: maxPlaces },
    // The same place is reached twice when two choices share a part.
    report: (change) => void changes.set(`${change.kind} ${change.steps.join('/')} ${change.detail ?? ''}`, change),
    isOver: () => false,
    isQuestion: false,
    settled: new Map(),
    answers: new Map(),
    compare,
  };
  compareDialects(walk);
  compare(walk, oldSchema, newSchema, [], 0);
  return [...changes.values()];
}

function compareDialects({ oldRoot, newRoot, report }: Walk): void {
  if (oldRoot.dialect.name !== newRoot.dialect.name) {
    const isDecided =
      oldRoot.dialect.isKnown && newRoot.dialect.isKnown && !dependsOnDialect(oldRoot.document) && !dependsOnDialect(newRoot.document);
    const kind = isDecided ? 'dialect-renamed' : 'dialect-changed';
    report({ kind, steps: ['$schema'], before: oldRoot.dialect.name, after: newRoot.dialect.name });
  }
  // Where such a word is, references may lead somewhere else than they seem to.
  if (isMoving(oldRoot.document, 0) || isMoving(newRoot.document, 0)) report({ kind: 'vocabulary-changed', steps: [] });
}

const MOVING: readonly string[] = ['$dynamicRef', '$recursiveRef', '$vocabulary'];

function isMoving(schema: unknown, depth: number): boolean {
  if (!isObject(schema)) return false;
  if (MOVING.some((word) => word in schema) || (depth > 0 && typeof schema['$id'] === 'string')) return true;
  return innerSchemas(schema).some((inner) => isMoving(inner.schema, depth + 1));
}

/** Compares two schemas inside a walk. */
function compare(walk: Walk, oldSchema: unknown, newSchema: unknown, steps: Steps, depth: number): void {
  if (walk.isOver()) return;
  const [oldView, newView] = [viewOf(walk.oldRoot, oldSchema), viewOf(walk.newRoot, newSchema)];
  if (oldView.accepts === 'all' && newView.accepts === 'all') return;
  if (depth > MAX_DEPTH || !spend(walk.budget)) return giveUp(walk);
  if (!settle(walk.settled, oldView, newView)) return;
  comparePlace(walk, oldView, newView, steps, depth);
}

/** Where the budget ran out says nothing to anybody, so it is told once, of the whole. */
const giveUp = (walk: Walk): void => walk.report({ kind: 'gave-up', steps: [] });

function comparePlace(walk: Walk, oldView: View, newView: View, steps: Steps, depth: number): void {
  const [oldTypes, newTypes] = [typesOf(walk.oldRoot, oldView), typesOf(walk.newRoot, newView)];
  const place: Place = { walk, oldView, newView, before: oldView.words, after: newView.words, shared: oldTypes & newTypes, steps, depth };
  const unresolved = oldView.unresolved ?? newView.unresolved;
  if (unresolved !== undefined) {
    if (!isSameUnresolved(walk, oldView, newView)) tell(place, 'reference-unresolved', ['$ref'], oldView.unresolved, newView.unresolved);
    return;
  }
  if (oldView.accepts === 'none' || newView.accepts === 'none') {
    if (oldView.accepts !== newView.accepts) tell(place, oldView.accepts === 'none' ? 'schema-allowed' : 'schema-forbidden', []);
    return;
  }
  compareTypes(place, oldTypes, newTypes);
  compareValues(place, oldTypes, newTypes);
  compareText(place);
  compareNumbers(place);
  compareArrays(place);
  compareObjects(place);
  compareChoices(place);
  compareConditions(place);
}

/** A network reference that nobody touched may still lead to something new: only the same local dead end is the same. */
const isSameUnresolved = ({ oldRoot, newRoot }: { oldRoot: SchemaRoot; newRoot: SchemaRoot }, oldView: View, newView: View): boolean =>
  oldView.unresolved === newView.unresolved &&
  oldView.unresolved?.startsWith('#/') === true &&
  oldRoot.dialect.name === newRoot.dialect.name &&
  canonicalText(oldView.words) === canonicalText(newView.words);
