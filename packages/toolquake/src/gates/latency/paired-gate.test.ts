import fc from 'fast-check';
import * as ss from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { blockOrder } from './block-order.js';
import { medianInterval, medianOf, quantileOf, sorted } from './order-statistics.js';
import { isSuspicious, PAIRED, pairedFigures, slowdownsOf, type Block } from './paired-gate.js';

const latency = fc.double({ min: 0.01, max: 1000, noNaN: true });
const block = fc.record({
  baseline: fc.array(latency, { minLength: 5, maxLength: 5 }),
  candidate: fc.array(latency, { minLength: 5, maxLength: 5 }),
});
const blocks = fc.array(block, { minLength: 10, maxLength: 40 });

const times = (list: readonly Block[], factor: number): readonly Block[] =>
  list.map(({ baseline, candidate }) => ({ baseline, candidate: candidate.map((value) => value * factor) }));

describe('the order of a block', () => {
  test('gives both sides the same number of calls', () => {
    for (const number of [0, 1]) {
      const order = blockOrder(number, 5);
      expect(order.filter((side) => side === 'baseline')).toHaveLength(5);
      expect(order).toHaveLength(10);
    }
  });

  test('over two blocks, both sides have every place equally often', () => {
    const [even, odd] = [blockOrder(0, 5), blockOrder(1, 5)];
    for (const [place, side] of even.entries()) expect(odd[place]).not.toBe(side);
  });
});

describe('order statistics', () => {
  test('the median is that of simple-statistics', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1 }), (values) => {
        expect(medianOf(values)).toBeCloseTo(ss.median(values), 9);
      }),
    );
  });

  test('quantiles go from the smallest to the largest', () => {
    expect(quantileOf(sorted([3, 1, 2]), 0)).toBe(1);
    expect(quantileOf(sorted([3, 1, 2]), 0.75)).toBe(2.5);
    expect(quantileOf(sorted([3, 1, 2]), 1)).toBe(3);
  });

  test('the interval of a median is known where it can be', () => {
    expect(medianInterval([1, 2, 3, 4, 5])).toBeUndefined();
    expect(medianInterval([6, 5, 4, 3, 2, 1])).toEqual({ low: 1, high: 6 });
    const ten = Array.from({ length: 10 }, (_, index) => index + 1);
    expect(medianInterval(ten)).toEqual({ low: 2, high: 9 });
    const forty = Array.from({ length: 40 }, (_, index) => index + 1);
    expect(medianInterval(forty)).toEqual({ low: 14, high: 27 });
  });
});

describe('the paired gate', () => {
  test('does not care about the unit of time', () => {
    fc.assert(
      fc.property(blocks, (list) => {
        const own = pairedFigures(list);
        const scaled = pairedFigures(
          list.map((one) => ({ baseline: one.baseline.map((ms) => ms * 1024), candidate: one.candidate.map((ms) => ms * 1024) })),
        );
        expect(scaled.ratio).toBeCloseTo(own.ratio, 6);
        expect(scaled.shiftChance).toBeCloseTo(own.shiftChance, 9);
        expect(scaled.tailChance).toBeCloseTo(own.tailChance, 9);
      }),
    );
  });

  test('a slower candidate never looks faster', () => {
    fc.assert(
      fc.property(blocks, fc.double({ min: 1.01, max: 5, noNaN: true }), (list, factor) => {
        const [own, slower] = [pairedFigures(list), pairedFigures(times(list, factor))];
        expect(slower.ratio).toBeGreaterThan(own.ratio);
        expect(slower.shiftChance).toBeLessThanOrEqual(own.shiftChance + 1e-12);
        expect(slower.p95Ratio).toBeGreaterThan(own.p95Ratio);
      }),
    );
  });

  test('passes what is the same, and what is faster', () => {
    fc.assert(
      fc.property(blocks, fc.double({ min: 0.2, max: 1, noNaN: true }), (list, factor) => {
        const same = list.map(({ baseline }) => ({ baseline, candidate: baseline }));
        const figures = pairedFigures(times(same, factor));
        expect(isSuspicious(figures, PAIRED)).toBe(false);
        expect(slowdownsOf(figures, PAIRED)).toEqual([]);
      }),
    );
  });

  test('fails what is half as fast again throughout', () => {
    const even = Array.from({ length: 40 }, (_, index) => ({
      baseline: [10, 11, 12, 13, 14 + index / 10],
      candidate: [15, 16.5, 18, 19.5, 21 + index / 10],
    }));
    expect(isSuspicious(pairedFigures(even.slice(0, 10)), PAIRED)).toBe(true);
    expect(slowdownsOf(pairedFigures(even), PAIRED)).toContain('shift');
  });

  test('fails a candidate whose slow calls became many, while its median stayed', () => {
    const tail = Array.from({ length: 40 }, (_, index) => ({
      baseline: [10, 11, 12, 13, index % 20 === 0 ? 60 : 14],
      candidate: [10.1, 11, 12, 13, index % 2 === 0 ? 60 : 14],
    }));
    expect(slowdownsOf(pairedFigures(tail), PAIRED)).toEqual(['tail']);
  });

  test('a slowdown below its threshold passes however sure it is', () => {
    const slightly = Array.from({ length: 40 }, (_, index) => ({
      baseline: [10, 10, 10, 10, 10],
      candidate: [10.6, 10.6, 10.6, 10.6, 10.6 + index / 1000],
    }));
    expect(pairedFigures(slightly).shiftChance).toBeLessThan(0.002);
    expect(slowdownsOf(pairedFigures(slightly), PAIRED)).toEqual([]);
  });
});
