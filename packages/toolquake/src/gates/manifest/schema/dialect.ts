/** Which JSON Schema is spoken. MCP says 2020-12 where nothing is said; many servers write draft-07. */
import { isObject } from '@toolquake/sdk/core';
import { innerSchemas, own } from './words.js';

/** A dialect that we know, or the address of one that we do not. */
export type Dialect = {
  readonly name: string;
  readonly isKnown: boolean;
  /** Beside `$ref` everything else is ignored. */ readonly isOld: boolean;
};

const KNOWN: readonly (readonly [pattern: RegExp, name: string, isOld: boolean])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12', false],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09', false],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, 'draft-07', true],
  [/^https?:\/\/json-schema\.org\/draft-06\/schema#?$/, 'draft-06', true],
];

/** The dialect of a whole schema. */
export function dialectOf(schema: unknown): Dialect {
  const address = isObject(schema) ? own(schema, '$schema') : undefined;
  if (address === undefined) return { name: '2020-12', isKnown: true, isOld: false };
  for (const [pattern, name, isOld] of KNOWN) {
    if (typeof address === 'string' && pattern.test(address)) return { name, isKnown: true, isOld };
  }
  return { name: typeof address === 'string' ? address : 'unreadable', isKnown: false, isOld: false };
}

/** Words that one of the known dialects does not know, or reads in another way. */
const AMBIGUOUS: ReadonlySet<string> = new Set([
  'additionalItems',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'prefixItems',
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedProperties',
  'unevaluatedItems',
  '$anchor',
  '$dynamicRef',
  '$recursiveRef',
  '$id',
]);

/** True when a schema uses a word that the known dialects read in different ways. Whoever asks has measured the schema. */
export function dependsOnDialect(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const words = Object.keys(schema);
  if (words.some((word) => AMBIGUOUS.has(word)) || Array.isArray(own(schema, 'items'))) return true;
  // "definitions" beside "$ref" is how old schemas store their parts, and says nothing by itself.
  if (
    words.includes('$ref') &&
    words.some((word) => !['$ref', '$schema', 'definitions', '$defs', 'description', 'title', 'default', 'examples'].includes(word))
  )
    return true;
  return innerSchemas(schema).some((inner) => dependsOnDialect(inner.schema));
}
