/** A comparison under way: two schemas, a place in them, and where changes are reported to. */
import type { JsonObject } from '@toolquake/sdk/core';
import { SCHEMA_CHANGES, type SchemaChangeKind } from '../findings/schema-changes.js';
import type { Steps } from '../level.js';
import type { Budget } from './budget.js';
import { viewOf, type SchemaRoot, type View } from './view.js';

/** One difference between two schemas. `steps` lead through the old schema where something is gone, else through the new one. */
export type SchemaChange = {
  readonly kind: SchemaChangeKind;
  readonly steps: Steps;
  readonly before?: unknown;
  readonly after?: unknown;
  /** What else a person wants to know. */
  readonly detail?: string;
};

/** Pairs that were compared, or are being compared: whatever there is against them is told there. */
export type Pairs = Map<View, Set<View>>;

/** What all places of one comparison share. */
export type Walk = {
  readonly oldRoot: SchemaRoot;
  readonly newRoot: SchemaRoot;
  readonly budget: Budget;
  readonly report: (change: SchemaChange) => void;
  /** Set by a comparison that only asks whether: it stops at the first objection. */
  readonly isOver: () => boolean;
  readonly isQuestion: boolean;
  readonly settled: Pairs;
  /** Questions that were asked, old view first; while one is being asked its answer is no. */
  readonly answers: Map<View, Map<View, boolean>>;
  /** Compares two schemas, and reports at their steps. */
  readonly compare: (walk: Walk, oldSchema: unknown, newSchema: unknown, steps: Steps, depth: number) => void;
};

/** One pair of views. `shared` are the types that both let pass: other words are silent about other types. */
export type Place = {
  readonly walk: Walk;
  readonly oldView: View;
  readonly newView: View;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly shared: number;
  readonly steps: Steps;
  readonly depth: number;
};

/** Reports a change of one word of a place. */
export function tell(place: Place, kind: SchemaChangeKind, steps: Steps, before?: unknown, after?: unknown, detail?: string): void {
  place.walk.report({
    kind,
    steps: [...place.steps, ...steps],
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(detail === undefined ? {} : { detail }),
  });
}

/** Compares what stands inside a place. */
export function descend(place: Place, oldSchema: unknown, newSchema: unknown, steps: Steps): void {
  place.walk.compare(place.walk, oldSchema, newSchema, [...place.steps, ...steps], place.depth + 1);
}

/**
 * True when every value that the old schema accepts is accepted by the new one, as far as can be told. Each question stands
 * on its own feet, so its answer holds wherever it is asked again; a question that leads back to itself is answered by no.
 */
export function isCovered({ walk, depth }: Place, oldSchema: unknown, newSchema: unknown, { isReversed = false } = {}): boolean {
  const [oldRoot, newRoot] = isReversed ? [walk.newRoot, walk.oldRoot] : [walk.oldRoot, walk.newRoot];
  const [oldView, newView] = [viewOf(oldRoot, oldSchema), viewOf(newRoot, newSchema)];
  const known = walk.answers.get(oldView)?.get(newView);
  if (known !== undefined) return known;
  const answer = (is: boolean): void =>
    void walk.answers.set(oldView, (walk.answers.get(oldView) ?? new Map<View, boolean>()).set(newView, is));
  answer(false);
  let objections = 0;
  const report = ({ kind }: SchemaChange): void => {
    const { side } = SCHEMA_CHANGES[kind];
    if (side !== 'widened' && side !== 'none') objections++;
  };
  const question: Walk = { ...walk, oldRoot, newRoot, isQuestion: true, settled: new Map(), isOver: () => objections > 0, report };
  walk.compare(question, oldSchema, newSchema, [], depth + 1);
  answer(objections === 0);
  return objections === 0;
}

/** Notes a pair; false when it was there. */
export function settle(pairs: Pairs, oldView: View, newView: View): boolean {
  const known = pairs.get(oldView) ?? new Set();
  if (known.has(newView)) return false;
  pairs.set(oldView, known.add(newView));
  return true;
}
