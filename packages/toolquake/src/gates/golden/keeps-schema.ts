/** Does data keep a schema? Bounded: what would take too long is undecided, never counted as kept. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { isObject, keepsSchema, type JsonObject } from '@toolquake/sdk/core';
import { compilePattern } from './pattern/pattern.js';

/** `undefined` is undecided. `why` says where it is violated, where that is known. */
export type SchemaJudgement = { readonly keeps: boolean | undefined; readonly why: string };

/** Work that the validator may do: parts of the schema times parts of the data. */
const MAX_WORK = 10_000_000;
/** Larger schemas take long to compile. */
const MAX_SCHEMA_PARTS = 20_000;
const CHECKED_WORK = 200_000;

/** Our own bounded check first; the validator where that cannot tell, and for the words of a refusal. */
export function judgeSchema(schema: JsonObject, data: unknown): SchemaJudgement {
  const quick = keepsSchema(schema, data, CHECKED_WORK);
  if (quick === true) return { keeps: true, why: '' };
  const verdict = isBounded(schema, data) ? validate(schema, data) : undefined;
  return { keeps: quick ?? verdict?.keeps, why: verdict?.why ?? '' };
}

/** References make small schemas large: the validator follows them without a limit, so it never sees any. */
function isBounded(schema: JsonObject, data: unknown): boolean {
  const inSchema = partsOf(schema, (node) => ['$ref', '$dynamicRef', '$recursiveRef'].some((word) => Object.hasOwn(node, word)));
  const inData = partsOf(data, () => false);
  return inSchema <= MAX_SCHEMA_PARTS && inSchema * inData <= MAX_WORK;
}

function partsOf(value: unknown, isRefused: (node: object) => boolean): number {
  const open: unknown[] = [value];
  let parts = 0;
  while (open.length > 0) {
    if (++parts > MAX_WORK) return Infinity;
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (isRefused(node)) return Infinity;
    for (const inner of Object.values(node)) open.push(inner);
  }
  return parts;
}

/** Patterns of a schema are run by our own automaton, which is linear. */
const regExp = Object.assign(
  // The validator tells patterns apart by their text.
  (pattern: string) => ({ ...compilePattern(pattern), toString: () => `/${pattern}/` }),
  { code: 'compilePattern' },
);

function validate(schema: JsonObject, data: unknown): SchemaJudgement {
  const { $schema: _, $id: __, ...plain } = schema;
  try {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, code: { regExp } });
    const check = ajv.compile(plain);
    const keeps = check(data);
    return { keeps, why: keeps ? '' : whyOf(check.errors) };
  } catch {
    return { keeps: undefined, why: '' };
  }
}

function whyOf(errors: readonly ErrorObject[] | null | undefined): string {
  const [error] = errors ?? [];
  return error === undefined ? '' : `at ${error.instancePath === '' ? 'its root' : error.instancePath}: ${error.message ?? error.keyword}`;
}

/** Why something is no schema that can be checked; undefined when it is one. */
export function schemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return 'it is no object';
  const { $schema: _, $id: __, ...plain } = schema;
  try {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, code: { regExp } });
    if (ajv.validateSchema(plain) !== true) return whyOf(ajv.errors);
    ajv.compile(plain);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : String(error);
  }
}
