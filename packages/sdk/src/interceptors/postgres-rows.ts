/** Replies of PostgreSQL as results, so that what changes the result of a tool changes rows, too. Pure. */
import { isObject, type JsonObject } from '../core/message.js';
import type { Field, Reply, Said } from './postgres-connection.js';

/** More values than this are nothing that a fault edits. */
const MAX_VALUES = 100_000;

/** Types by the numbers that PostgreSQL gives them. */
const BOOL = 16;
const TEXT = 25;
const FLOAT8 = 701;
const JSONB = 3802;
/** int2, int4, oid, float4, float8: what JavaScript's numbers hold. int8 and numeric are texts to pg, too. */
const NUMBERS: ReadonlySet<number> = new Set([21, 23, 26, 700, FLOAT8]);

/** Commands that say how many rows they touched. */
const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

type Row = readonly (string | null)[];

const messages = (said: readonly Said[], name: string): unknown[] => said.filter(([one]) => one === name).map(([, message]) => message);
const columnsOf = (said: readonly Said[]): readonly { readonly fields: readonly Field[] }[] =>
  messages(said, 'rowDescription') as { fields: readonly Field[] }[];

/**
 * Rows become a list of objects, as their caller would see them. No data fault acts on what has none, on several result
 * sets at once, on columns of one name, or on values in binary.
 */
export function resultFromRows({ said }: Reply): JsonObject {
  const [description, ...more] = columnsOf(said);
  const rows = (messages(said, 'dataRow') as { fields: Row }[]).map(({ fields }) => fields);
  const fields = description?.fields ?? [];
  const isPlain =
    description !== undefined &&
    more.length === 0 &&
    messages(said, 'commandComplete').length === 1 &&
    new Set(fields.map(({ name }) => name)).size === fields.length &&
    rows.length * fields.length <= MAX_VALUES &&
    rows.every((row) => row.every((value) => value === null || typeof value === 'string'));
  if (!isPlain) return { resultType: 'opaque', content: [] };
  const asObject = (row: Row): JsonObject =>
    Object.fromEntries(fields.map((field, index) => [field.name, valueOf(row[index] ?? null, field)]));
  return { content: [], structuredContent: rows.map(asObject) };
}

/** The reply that a result stands for; `like` is what the server said itself, where it did. */
export function rowsFromResult({ structuredContent: data }: JsonObject, like: Reply | undefined, verb: string): Reply {
  const said = like?.said ?? [];
  const [description] = columnsOf(said);
  const [complete] = messages(said, 'commandComplete') as { text: string }[];
  // What is said before the first row is about the statement, not about its rows.
  const before = said.filter(([name]) => name === 'bindComplete');
  const end = (count: number): Said => ['commandComplete', completed(complete?.text, verb, count)];
  if (description === undefined && !Array.isArray(data)) return { said: [...before, end(WRITES.has(verb) ? 1 : 0)], status: like?.status };
  const rows = (Array.isArray(data) ? data : [data]).filter(isObject);
  const fields = fieldsFor(rows, description?.fields ?? []);
  const sent = rows.map((row): Said => ['dataRow', { fields: fields.map((field) => textOf(row[field.name], field)) }]);
  return { said: [...before, ['rowDescription', { fields, fieldCount: fields.length }], ...sent, end(rows.length)], status: like?.status };
}

/** The columns that there were and still are, and those that are new; each of a type that its values have now. */
function fieldsFor(rows: readonly JsonObject[], known: readonly Field[]): readonly Field[] {
  if (rows.length === 0) return known;
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const kept = known.filter(({ name }) => names.delete(name));
  const fresh = [...names].map((name): Field => ({ name, dataTypeID: TEXT, format: 'text' }));
  return [...kept, ...fresh].map((field) => {
    const values = rows.map((row) => row[field.name]).filter((value) => value !== null && value !== undefined);
    return values.every((value) => isOf(value, field)) ? field : { ...field, dataTypeID: typeOf(values) };
  });
}

function typeOf(values: readonly unknown[]): number {
  if (values.some((value) => typeof value === 'object')) return JSONB;
  if (values.every((value) => typeof value === 'number')) return FLOAT8;
  return values.every((value) => typeof value === 'boolean') ? BOOL : TEXT;
}

/** Could the column as it was hold this value? Otherwise nobody would see that it is another. */
function isOf(value: unknown, { dataTypeID }: Field): boolean {
  if (dataTypeID === BOOL) return typeof value === 'boolean';
  if (!NUMBERS.has(dataTypeID)) return typeof value === 'string';
  return typeof value === 'number' || value === 'NaN' || (typeof value === 'string' && !isSpelt(value) && !Number.isNaN(Number(value)));
}

/** Is it a number in the spelling that JavaScript would write? `1e5` comes back as another text. */
const isSpelt = (text: string): boolean => Number.isFinite(Number(text)) && String(Number(text)) === text;

function valueOf(text: string | null, { dataTypeID }: Field): unknown {
  if (text === null) return null;
  if (dataTypeID === BOOL) return text === 't';
  return NUMBERS.has(dataTypeID) && isSpelt(text) ? Number(text) : text;
}

function textOf(value: unknown, { dataTypeID }: Field): string | null {
  if (value === null || value === undefined) return null;
  if (dataTypeID === JSONB) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  if (dataTypeID === BOOL && typeof value === 'boolean') return value ? 't' : 'f';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as number);
}

/** `INSERT 0 1`, `UPDATE 3`, `SELECT 2`, `BEGIN`. */
function completed(like: string | undefined, verb: string, count: number): { readonly text: string } {
  if (like !== undefined) return { text: like.replace(/\d+$/, String(count)) };
  if (verb === 'INSERT') return { text: `INSERT 0 ${count}` };
  return { text: WRITES.has(verb) || verb === 'SELECT' ? `${verb} ${count}` : verb };
}
