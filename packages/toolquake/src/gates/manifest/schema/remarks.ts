/** What changes no verdict about any value and still changes what happens: texts, examples, defaults, marks. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { isSameJson } from '../canonical.js';
import type { Steps } from '../level.js';
import { textRisk } from '../text-risk.js';
import { compareHeaders } from './headers.js';
import { referred } from './reference.js';
import type { SchemaChange } from './walk.js';
import { innerSchemas, LIST_WORDS, MAP_WORDS, own, REMARK_WORDS, SCHEMA_WORDS, TEXT_WORDS } from './words.js';

/** Compares the remarks of two schemas, by place. The schemas were measured: nothing here recurses deeper than they are. */
export function compareRemarks(oldSchema: unknown, newSchema: unknown): readonly SchemaChange[] {
  if (!isObject(oldSchema) || !isObject(newSchema)) return [];
  const changes: SchemaChange[] = [...compareHeaders(oldSchema, newSchema), ...compareSizes(oldSchema, newSchema)];
  const seen = new Set<object>();
  const visit = (before: unknown, after: unknown, steps: Steps): void => {
    if (!isObject(before) || !isObject(after) || seen.has(after)) return;
    seen.add(after);
    changes.push(...compareOne(before, after, steps));
    const inner = new Map(innerSchemas(before).map((one) => [one.steps.join('/'), one.schema]));
    for (const one of innerSchemas(after)) visit(inner.get(one.steps.join('/')), one.schema, [...steps, ...one.steps]);
    // Parts with new names are the same parts: what they say is compared through the reference.
    const [oldRef, newRef] = [own(before, '$ref'), own(after, '$ref')];
    if (newRef !== undefined && oldRef !== newRef)
      visit(referred(oldSchema, oldRef)?.schema ?? before, referred(newSchema, newRef)?.schema, steps);
  };
  visit(oldSchema, newSchema, []);
  return changes;
}

const KNOWN_WORDS: ReadonlySet<string> = new Set([...SCHEMA_WORDS, ...LIST_WORDS, ...MAP_WORDS, ...TEXT_WORDS, ...REMARK_WORDS]);

function compareOne(before: JsonObject, after: JsonObject, steps: Steps): readonly SchemaChange[] {
  const changes: SchemaChange[] = [];
  const tell = (kind: SchemaChange['kind'], word: string, detail?: string): void => {
    changes.push({
      kind,
      steps: [...steps, word],
      before: own(before, word),
      after: own(after, word),
      ...(detail === undefined ? {} : { detail }),
    });
  };
  const isChanged = (word: string): boolean => !isSameJson(own(before, word), own(after, word));
  if (isChanged('description')) {
    const risk = textRisk(own(before, 'description'), own(after, 'description'));
    tell(risk === undefined ? 'description-changed' : 'description-suspicious', 'description', risk);
  }
  if (isChanged('title')) tell('title-changed', 'title');
  if (isChanged('examples')) tell('examples-changed', 'examples');
  if (isChanged('default')) tell('default-changed', 'default');
  if (isChanged('deprecated')) tell(own(after, 'deprecated') === true ? 'deprecated-added' : 'deprecated-removed', 'deprecated');
  for (const word of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (word.startsWith('x-') && !KNOWN_WORDS.has(word) && isChanged(word)) tell('extension-changed', word);
  }
  return changes;
}

/** What a large provider documents as the most that it takes for a tool's arguments. */
const LIMITS = { levels: 10, properties: 5000, listed: 1000 } as const;
type Sizes = { readonly [Name in keyof typeof LIMITS]: number };

function sizesOf(schema: unknown): Sizes {
  const sizes = { levels: 0, properties: 0, listed: 0 };
  const visit = (inner: unknown, level: number): void => {
    if (!isObject(inner)) return;
    const properties = own(inner, 'properties');
    const count = isObject(properties) ? Object.keys(properties).length : 0;
    const next = count > 0 ? level + 1 : level;
    sizes.levels = Math.max(sizes.levels, next);
    sizes.properties += count;
    sizes.listed += Array.isArray(inner['enum']) ? inner['enum'].length : 0;
    for (const one of innerSchemas(inner)) visit(one.schema, next);
  };
  visit(schema, 0);
  return sizes;
}

function compareSizes(oldSchema: JsonObject, newSchema: JsonObject): readonly SchemaChange[] {
  const [before, after] = [sizesOf(oldSchema), sizesOf(newSchema)];
  const over = (Object.keys(LIMITS) as (keyof typeof LIMITS)[]).filter(
    (name) => after[name] > LIMITS[name] && before[name] <= LIMITS[name],
  );
  return over.map((name) => ({
    kind: 'limits-of-providers',
    steps: [],
    before: before[name],
    after: after[name],
    detail: `${name}: at most ${LIMITS[name]}.`,
  }));
}
