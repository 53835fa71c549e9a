import fc from 'fast-check';
import { quantile as exactQuantile } from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { createSketch, mergeSketches, SKETCH_RELATIVE_ERROR, sketchFromJSON, type Sketch } from './sketch.js';

const sketchOf = (values: Iterable<number>): Sketch => {
  const sketch = createSketch();
  for (const value of values) sketch.add(value);
  return sketch;
};

const anyValue = fc.oneof(
  fc.constantFrom(0, 1, 1e-6, 1e12),
  fc.double({ min: 1e-6, max: 1e12, noNaN: true }),
  fc.double({ min: 0.1, max: 5000, noNaN: true }),
  fc.integer({ min: 0, max: 60_000 }),
);
const anyValues = fc.array(anyValue, { maxLength: 200 });

describe('quantiles', () => {
  test('are within the relative error of the exact ones', () => {
    fc.assert(
      fc.property(fc.array(anyValue, { minLength: 1, maxLength: 200 }), fc.integer({ min: 0, max: 1000 }), (values, permille) => {
        const q = permille / 1000;
        const exact = exactQuantile(values, q);
        const told = sketchOf(values).quantile(q)!;
        expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact * SKETCH_RELATIVE_ERROR * (1 + 1e-9));
      }),
      { numRuns: 1000 },
    );
  });

  test('reach from the exact minimum to the exact maximum', () => {
    const sketch = sketchOf([3, 1, 2]);
    expect([sketch.min, sketch.max, sketch.count]).toEqual([1, 3, 3]);
    expect([sketch.quantile(0), sketch.quantile(1)]).toEqual([1, 3]);
    expect(sketchOf([7.7]).quantile(0.5)).toBe(7.7);
  });

  test('rise with q', () => {
    fc.assert(
      fc.property(anyValues, (values) => {
        const sketch = sketchOf([1, ...values]);
        const told = [0, 0.1, 0.5, 0.9, 0.99, 1].map((q) => sketch.quantile(q)!);
        expect(told).toEqual(told.toSorted((one, other) => one - other));
      }),
    );
  });

  test('of nothing are unknown, not 0', () => {
    const sketch = createSketch();
    expect([sketch.quantile(0.5), sketch.min, sketch.max, sketch.count]).toEqual([undefined, undefined, undefined, 0]);
  });

  test('take a clock that stepped back for 0, and refuse what is no number', () => {
    expect(sketchOf([-5, 10]).quantile(0)).toBe(0);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) expect(() => createSketch().add(value)).toThrow(RangeError);
    for (const q of [-0.1, 1.1, Number.NaN]) expect(() => sketchOf([1]).quantile(q)).toThrow(RangeError);
  });
});

describe('merging', () => {
  test('equals the sketch of both series', () => {
    fc.assert(
      fc.property(anyValues, anyValues, (one, other) => {
        expect(mergeSketches([sketchOf(one), sketchOf(other)]).toJSON()).toEqual(sketchOf([...one, ...other]).toJSON());
      }),
    );
  });

  test('is commutative and associative, and the empty sketch changes nothing', () => {
    fc.assert(
      fc.property(anyValues, anyValues, anyValues, (a, b, c) => {
        const [x, y, z] = [sketchOf(a), sketchOf(b), sketchOf(c)];
        expect(mergeSketches([x, y]).toJSON()).toEqual(mergeSketches([y, x]).toJSON());
        expect(mergeSketches([mergeSketches([x, y]), z]).toJSON()).toEqual(mergeSketches([x, mergeSketches([y, z])]).toJSON());
        expect(mergeSketches([x, createSketch()]).toJSON()).toEqual(x.toJSON());
      }),
    );
  });

  test('leaves the merged ones as they were', () => {
    const one = sketchOf([1]);
    mergeSketches([one, sketchOf([2])]);
    expect(one.count).toBe(1);
  });
});

describe('as data', () => {
  test('comes back equal and goes on counting', () => {
    fc.assert(
      fc.property(anyValues, anyValues, (stored, later) => {
        const back = sketchFromJSON(JSON.parse(JSON.stringify(sketchOf(stored))));
        for (const value of later) back.add(value);
        expect(back.toJSON()).toEqual(sketchOf([...stored, ...later]).toJSON());
      }),
    );
  });

  test.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['another precision', { relativeError: 0.02, zeros: 0, buckets: [] }],
    ['counts that are none', { relativeError: 0.01, min: 1, max: 1, zeros: 0, buckets: [[0, -1]] }],
    ['buckets far outside', { relativeError: 0.01, min: 1, max: 1, zeros: 0, buckets: [[9999, 1]] }],
    ['values without bounds', { relativeError: 0.01, zeros: 1, buckets: [] }],
    ['bounds without values', { relativeError: 0.01, min: 1, max: 2, zeros: 0, buckets: [] }],
  ])('refuses %s', (_name, json) => {
    expect(() => sketchFromJSON(json)).toThrow('not a percentile sketch');
  });

  test('stays small whatever is counted', () => {
    const sketch = createSketch();
    for (let exponent = -400; exponent <= 300; exponent += 0.01) sketch.add(10 ** exponent);
    expect(sketch.toJSON().buckets.length).toBeLessThan(2100);
  });
});
