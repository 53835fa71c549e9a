import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verbOf, type Field, type Reply, type Said } from './postgres-connection.js';
import { resultFromRows, rowsFromResult } from './postgres-rows.js';

const column = (name: string, dataTypeID: number): Field => ({ name, dataTypeID, format: 'text' });
const COLUMNS = [column('id', 23), column('name', 25), column('sold', 16), column('price', 1700), column('weight', 701)];
const reply = (rows: readonly (readonly (string | null)[])[], fields: readonly Field[] = COLUMNS): Reply => ({
  said: [
    ['bindComplete', {}],
    ['rowDescription', { fields, fieldCount: fields.length }],
    ...rows.map((row): Said => ['dataRow', { fields: row }]),
    ['commandComplete', { text: `SELECT ${rows.length}` }],
  ],
  status: 'I',
});

test('rows are said as their caller sees them, and come back as they were', () => {
  const own = reply([
    ['1', 'chair', 't', '10.50', '1e+20'],
    ['2', null, 'f', null, 'NaN'],
  ]);
  const result = resultFromRows(own);
  expect(result['structuredContent']).toEqual([
    { id: 1, name: 'chair', sold: true, price: '10.50', weight: '1e+20' },
    { id: 2, name: null, sold: false, price: null, weight: 'NaN' },
  ]);
  expect(rowsFromResult(result, own, 'SELECT')).toEqual(own);
});

test('any rows come back as they were', () => {
  const text = fc.option(fc.string());
  const row = fc.tuple(
    fc.option(fc.integer().map(String)),
    text,
    fc.option(fc.constantFrom('t', 'f')),
    text,
    fc.option(fc.double().map(String)),
  );
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
      const own = reply(rows);
      expect(rowsFromResult(resultFromRows(own), own, 'SELECT')).toEqual(own);
    }),
  );
});

/** What a changed value of the first column, an int4, is sent as. */
const sentAs = (changed: unknown): unknown => {
  const own = reply([['1']], [column('id', 23)]);
  const { said } = rowsFromResult({ structuredContent: [{ id: changed }] }, own, 'SELECT');
  return said.slice(1, 3).map(([, message]) => {
    const { fields } = message as { fields: unknown[] };
    const [first] = fields as [string | null | Field];
    return typeof first === 'object' && first !== null ? first.dataTypeID : first;
  });
};

test('a value of another type changes the type of its column, so that it is seen', () => {
  expect([2, null, '1', 'x', true, [1], { value: 1 }].map(sentAs)).toEqual([
    [23, '2'],
    [23, null],
    [25, '1'],
    [25, 'x'],
    [16, 't'],
    [3802, '[1]'],
    [3802, '{"value":1}'],
  ]);
});

test('columns are dropped, renamed and added with their members', () => {
  const own = reply([['1', 'a']], [column('id', 23), column('name', 25)]);
  const { said } = rowsFromResult({ structuredContent: [{ id: 1, title: 'a', extra: 5 }] }, own, 'SELECT');
  expect(said.slice(1)).toEqual([
    ['rowDescription', { fields: [column('id', 23), column('title', 25), column('extra', 701)], fieldCount: 3 }],
    ['dataRow', { fields: ['1', 'a', '5'] }],
    ['commandComplete', { text: 'SELECT 1' }],
  ]);
});

describe('what no data fault acts on', () => {
  const complete: Said = ['commandComplete', { text: 'UPDATE 3' }];
  const described = (...names: string[]): Said => ['rowDescription', { fields: names.map((name) => column(name, 25)) }];
  test.each<[string, Said[]]>([
    ['nothing', []],
    ['a command without rows', [complete]],
    ['several statements', [described('a'), complete, described('a'), complete]],
    ['two columns of one name', [described('a', 'a'), complete]],
    ['binary values', [described('a'), ['dataRow', { fields: [new Uint8Array(2)] }], complete]],
  ])('%s', (_, said) => {
    expect(resultFromRows({ said, status: 'I' })).toEqual({ resultType: 'opaque', content: [] });
  });
});

test('a command that was never executed says what one that was would say', () => {
  const said = (verb: string): unknown => rowsFromResult({ content: [] }, undefined, verb).said;
  expect([said('INSERT'), said('UPDATE'), said('SELECT'), said('BEGIN')]).toEqual(
    ['INSERT 0 1', 'UPDATE 1', 'SELECT 0', 'BEGIN'].map((text) => [['commandComplete', { text }]]),
  );
});

test.each([
  ['select 1', 'SELECT'],
  ['  \n\t( Select 1) union (select 2)', 'SELECT'],
  ['-- why\n  /* how */ -- so\nINSERT INTO t', 'INSERT'],
  ['; ;update t', 'UPDATE'],
  ['-- never ends', ''],
  ['/* never ends', ''],
  ['', ''],
  ['1', ''],
])('the verb of %j is %j', (text, verb) => {
  expect(verbOf(text)).toBe(verb);
});

test('no text keeps the search for its verb busy', () => {
  for (const text of ['('.repeat(200_000), '/**/'.repeat(100_000), '--\n'.repeat(100_000)]) expect(verbOf(text)).toBe('');
});
