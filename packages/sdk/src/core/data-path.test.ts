import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeAt, membersIn, parsePath, pick, placesAt, placesIn } from './data-path.js';

const data = { orders: [{ id: 'a', total: 1 }, { id: 'b' }], page: { next: null } };

test('finds every place, or each way once', () => {
  expect(placesIn(data).map(({ path }) => path.join('.'))).toEqual([
    'orders',
    'orders.0',
    'orders.0.id',
    'orders.0.total',
    'orders.1',
    'orders.1.id',
    'page',
    'page.next',
  ]);
  expect(membersIn(data).map(({ path }) => path.map((step) => step ?? '*').join('.'))).toEqual([
    'orders',
    'orders.*.id',
    'orders.*.total',
    'page',
    'page.next',
  ]);
});

test.each([
  ['orders[*].total', ['orders', null, 'total']],
  ['$.orders[0].total', ['orders', 0, 'total']],
  ['$[*].id', [null, 'id']],
  ['.a.b', ['a', 'b']],
  ['', []],
  ['$', []],
  ['a..b', undefined],
  ['a[x]', undefined],
  ['a[0]b', undefined],
  ['a.', undefined],
])('reads %s', (text, path) => {
  expect(parsePath(text)).toEqual(path);
});

test('finds the places that a path names: in one item, however late, or in all of them', () => {
  const at = (...pattern: (string | number | null)[]): readonly unknown[] => placesAt(data, pattern).map(({ value }) => value);
  expect([at('orders', null, 'id'), at('orders', 1, 'id'), at('orders', 2), at('orders', 'id'), at('page', null)]).toEqual([
    ['a', 'b'],
    ['b'],
    [],
    [],
    [],
  ]);
  expect(
    placesAt(
      Array.from({ length: 900 }, (_, index) => index),
      [800],
    ),
  ).toEqual([{ path: [800], value: 800 }]);
  expect([at('toString'), at()]).toEqual([[], [data]]);
});

test('changes every place that a path names, and nothing else', () => {
  expect(changeAt(data, ['orders', null, 'id'], () => 'x')).toEqual({ orders: [{ id: 'x', total: 1 }, { id: 'x' }], page: { next: null } });
  expect(changeAt(data, ['orders', 1], () => 2)).toEqual({ orders: [{ id: 'a', total: 1 }, 2], page: { next: null } });
  expect(changeAt(data, ['orders', 'id'], () => 'x')).toBe(data);
  expect(changeAt(data, ['toString'], () => 'x')).toBe(data);
});

test('any place that is found can be changed, alone, and the original stays', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.double({ min: 0, max: 0.999, noNaN: true }), (value, draw) => {
      const before = JSON.stringify(value);
      const place = pick(placesIn(value), draw);
      if (place === undefined) return;
      const changed = changeAt(value, place.path, () => 'something else');
      expect(JSON.stringify(value)).toBe(before);
      expect(changeAt(changed, place.path, () => place.value)).toEqual(value);
    }),
  );
});
