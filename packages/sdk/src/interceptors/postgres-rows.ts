/** Replies of PostgreSQL as results, so that what changes the result of a tool changes rows, too. Pure. */
import { isObject, type JsonObject } from '../core/message.js';
import type { Field, Reply, Said } from './postgres-connection.js';

/** More values than this are nothing that a fault edits. */
const MAX_VALUES = 100_000;

/** What no data fault acts on: several result sets at once, values in binary, a cursor. */
const OPAQUE: JsonObject = { resultType: 'opaque', content: [] };

const BOOL = 16;
/** int2, int4, oid, float4, float8: what JavaScript's numbers hold. int8 and numeric are texts to pg, too. */
const NUMBERS: ReadonlySet<number> = new Set([21, 23, 26, 700, 701]);
const TEXT = 25;

type Row = readonly (string | null)[];

const messages = (said: readonly Said[], name: string): unknown[] => said.filter(([one]) => one === name).map(([, message]) => message);

/** Rows become `{ rows }`, commands without rows `{ rowCount }`. */
export function resultFromRows({ said }: Reply): JsonObject {
  const [complete, ...more] = messages(said, 'commandComplete') as { text: string }[];
  const descriptions = messages(said, 'rowDescription') as { fields: readonly Field[] }[];
  if (complete === undefined || more.length > 0 || descriptions.length > 1) return { ...OPAQUE };
  const [description] = descriptions;
  if (description === undefined) return { content: [], structuredContent: { rowCount: countOf(complete.text) } };
  const { fields } = description;
  const rows = (messages(said, 'dataRow') as { fields: Row }[]).map((row) => row.fields);
  const names = new Set(fields.map(({ name }) => name));
  const isText = (row: Row): boolean => row.every((value) => value === null || typeof value === 'string');
  if (names.size < fields.length || rows.length * fields.length > MAX_VALUES || !rows.every(isText)) return { ...OPAQUE };
  const asObject = (row: Row): JsonObject => Object.fromEntries(fields.map((field, index) => [field.name, valueOf(row[index]!, field)]));
  return { content: [], structuredContent: { rows: rows.map(asObject) } };
}

/** The reply that a result stands for; `like` is what the server said itself, where it did. */
export function rowsFromResult({ structuredContent }: JsonObject, like: Reply | undefined, verb: string): Reply {
  const data = isObject(structuredContent) ? structuredContent : {};
  const said = like?.said ?? [];
  const [described] = messages(said, 'rowDescription') as { fields: readonly Field[] }[];
  const [complete] = messages(said, 'commandComplete') as { text: string }[];
  const { rows, rowCount } = data;
  // What was said before the first row is about the statement, not about its rows.
  const before = said.filter(([name]) => name === 'parseComplete' || name === 'bindComplete');
  if (described === undefined && !Array.isArray(rows)) {
    const count = typeof rowCount === 'number' ? rowCount : complete === undefined && WRITES.has(verb) ? 1 : 0;
    return { said: [...before, ['commandComplete', completed(complete?.text, verb, count)]], status: like?.status };
  }
  const objects = (Array.isArray(rows) ? rows : []).filter(isObject);
  const fields = fieldsFor(objects, described?.fields ?? []);
  const sent = objects.map((row): Said => ['dataRow', { fields: fields.map((field) => textOf(row[field.name], field)) }]);
  const description: Said = ['rowDescription', { fields, fieldCount: fields.length }];
  return {
    said: [...before, description, ...sent, ['commandComplete', completed(complete?.text, verb, objects.length)]],
    status: like?.status,
  };
}

/** The columns that there were and still are, and those that are new. */
function fieldsFor(rows: readonly JsonObject[], known: readonly Field[]): readonly Field[] {
  if (rows.length === 0) return known;
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  const kept = known.filter(({ name }) => names.delete(name));
  return [...kept, ...[...names].map((name): Field => ({ name, dataTypeID: TEXT, format: 'text' }))];
}

function valueOf(text: string | null, { dataTypeID }: Field): unknown {
  if (text === null) return null;
  if (dataTypeID === BOOL) return text === 't';
  // Only what comes back as the same text: no `NaN`, no `1e5`.
  return NUMBERS.has(dataTypeID) && String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}

function textOf(value: unknown, { dataTypeID }: Field): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (dataTypeID === BOOL && typeof value === 'boolean') return value ? 't' : 'f';
  return typeof value === 'object' ? JSON.stringify(value) : String(value as number);
}

/** Commands that say how many rows they touched. */
const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const countOf = (text: string): number => Number(/(\d+)$/.exec(text)?.[1] ?? 0);

/** `INSERT 0 1`, `UPDATE 3`, `SELECT 2`, `BEGIN`. */
function completed(like: string | undefined, verb: string, count: number): { readonly text: string } {
  if (like !== undefined) return { text: like.replace(/\d+$/, String(count)) };
  if (verb === 'INSERT') return { text: `INSERT 0 ${count}` };
  return { text: WRITES.has(verb) || verb === 'SELECT' ? `${verb} ${count}` : verb };
}
