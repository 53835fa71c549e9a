import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sample, SteadyRule } from '../core/sample.js';
import { cadenceOf } from './cadence.js';
import { exampleExperiment, probe } from './fixtures/fake-world.js';
import { readRule } from './read-rule.js';
import { createSampleBook } from './sample-book.js';

const cadence = cadenceOf(exampleExperiment);
const rule: SteadyRule = { signal: 'probe_success', atLeast: 0.5, windowMs: 2000, minSamples: 3, phases: ['before'] };
const read = (samples: readonly Sample[], nowMs: number, more: Partial<SteadyRule> = {}) => {
  const book = createSampleBook();
  for (const sample of samples) book.add(sample);
  return readRule({ ...rule, ...more }, book, nowMs, cadence);
};
const ups = (...times: number[]): readonly Sample[] => times.map((atMs) => probe(atMs, true));

test('holds, fails, few, silent', () => {
  expect(read(ups(500, 1000, 1500), 2000)).toEqual({
    signal: 'probe_success',
    bound: 'at least 0.5',
    windowMs: 2000,
    value: 1,
    samples: 3,
    state: 'holds',
  });
  expect(read([...ups(500), probe(1000, false), probe(1500, false)], 2000).state).toBe('fails');
  expect(read(ups(1000, 1500), 2000)).toMatchObject({ state: 'few', samples: 2 });
  expect(read([], 2000)).toMatchObject({ state: 'silent', value: null, samples: 0 });
});

test('too few samples stretch the window up to four times, and no further', () => {
  expect(read(ups(3000, 6000, 9500), 10_000)).toMatchObject({ state: 'holds', samples: 3 });
  expect(read(ups(1000, 6000, 9500), 10_000)).toMatchObject({ state: 'few', samples: 2 });
});

test.each([
  [{ atLeast: undefined, atMost: 0.99 }, 'fails', 'at most 0.99'],
  [{ atLeast: undefined, equals: 1 }, 'holds', 'exactly 1'],
  [{ atLeast: 1 }, 'holds', 'at least 1'],
  [{ atLeast: undefined }, 'fails', 'no bound'],
] as const)('%o', (more, state, bound) => {
  expect(read(ups(500, 1000, 1500), 2000, more)).toMatchObject({ state, bound });
});

describe('invariant 13', () => {
  test('a source that stopped is silent although old samples are still in the window', () => {
    const samples = ups(500, 1000, 1500, 2000, 2500);
    const long = { windowMs: 60_000 };
    expect(read(samples, 5000, long).state).toBe('holds');
    // Half a minute without a probe that comes twice a second.
    expect(read(samples, 32_600, long)).toMatchObject({ state: 'silent', value: null });
  });

  test('a source that is slow by nature is not silent for it', () => {
    const slow = cadenceOf({ ...exampleExperiment, monitor: { ...exampleExperiment.monitor, everyMs: 60_000 } });
    const book = createSampleBook();
    for (const sample of ups(0, 60_000, 120_000)) book.add(sample);
    expect(readRule({ ...rule, windowMs: 180_000 }, book, 170_000, slow).state).toBe('holds');
  });

  test('samples from the future do not count', () => {
    expect(read(ups(5000, 6000, 7000), 2000).state).toBe('silent');
  });

  test('no stream of samples makes a rule hold without enough fresh ones', () => {
    const samples = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(samples, fc.integer({ min: 0, max: 25_000 }), (all, nowMs) => {
        const { state, value } = read(
          all.map(([atMs, isUp]) => probe(atMs, isUp)),
          nowMs,
        );
        // The naive way: try each window in turn.
        const inside = [1, 2, 4].map((times) => all.filter(([atMs]) => atMs <= nowMs && atMs >= nowMs - times * 2000));
        const used = inside.find((one) => one.length >= 3) ?? inside[2]!;
        const isStale = used.length === 0 || nowMs - Math.max(...used.map(([atMs]) => atMs)) > 2000;
        const share = used.filter(([, isUp]) => isUp).length / used.length;
        expect(state).toBe(isStale ? 'silent' : used.length < 3 ? 'few' : share >= 0.5 ? 'holds' : 'fails');
        if (!isStale) expect(value).toBeCloseTo(share);
      }),
    );
  });
});
