import { keyedRandom } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { historyFigures, runLevel, type RunLevel } from './history-gate.js';
import { judgeByHistory, type HistoryRun } from './judge-history.js';
import { normalNumbers } from './noise-model.js';

const level = (value: number): RunLevel => ({ median: value, p90: value + 0.5 });
const runOf = (ms: number, calibrationMs: readonly number[] = []): HistoryRun => ({
  latenciesMs: Array.from({ length: 30 }, (_, index) => ms + index / 100),
  calibrationMs,
});

describe('the limit of the history gate', () => {
  test('is not told below eight runs', () => {
    expect(
      historyFigures(
        Array.from({ length: 7 }, () => level(1)),
        level(9),
      ),
    ).toBeUndefined();
  });

  test('holds one more run like the others in all but one of a hundred cases', () => {
    const normal = normalNumbers(keyedRandom(11).stream('runs', ''));
    let above = 0;
    for (let trial = 0; trial < 5000; trial++) {
      const history = Array.from({ length: 12 }, () => level(0.3 * normal()));
      if (historyFigures(history, level(0.3 * normal()), { chance: 0.01, minRatio: 1 })!.median.isSlower) above++;
    }
    expect(above / 5000).toBeGreaterThan(0.006);
    expect(above / 5000).toBeLessThan(0.015);
  });

  test('never fails less than 15 %, however alike the runs were', () => {
    const history = Array.from({ length: 20 }, (_, index) => level(1 + index / 1e6));
    expect(historyFigures(history, level(1 + Math.log(1.14)))!.median.isSlower).toBe(false);
    expect(historyFigures(history, level(1 + Math.log(1.16)))!.median.isSlower).toBe(true);
  });
});

describe('a tool judged by its history', () => {
  const hosts = [1, 1.6, 0.8, 1.3, 1.1, 0.9, 1.5, 0.7, 1.2, 1];

  test('on a slower machine passes by its calibration, and is called inconclusive without', () => {
    const calibrated = judgeByHistory(
      'search',
      hosts.map((host) => runOf(20 * host, [2 * host])),
      runOf(32, [3.2]),
    );
    expect(calibrated.verdict).toBe('passed');
    const bare = judgeByHistory(
      'search',
      hosts.map((host) => runOf(20 * host)),
      runOf(32),
    );
    expect(bare.verdict).toBe('inconclusive');
    expect(bare.why).toContain('without calibration');
  });

  test('fails a slower build on the same machine', () => {
    const { verdict, why } = judgeByHistory(
      'search',
      hosts.map((host) => runOf(20 * host, [2 * host])),
      runOf(26, [2]),
    );
    expect(verdict).toBe('slower');
    expect(why).toContain('relative to 10 runs: median 1.3');
  });

  test('with too few runs is no pass', () => {
    const { verdict, why } = judgeByHistory('search', [runOf(20)], runOf(20));
    expect(verdict).toBe('inconclusive');
    expect(why).toBe('the history has 1 runs, and 8 are needed before one more can be judged');
  });
});

test('a level is relative to the calibration', () => {
  expect(runLevel([10, 10, 10], [5, 5]).median).toBeCloseTo(Math.log(2), 12);
});
