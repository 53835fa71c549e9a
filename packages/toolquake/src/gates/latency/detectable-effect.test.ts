import { keyedRandom } from '@toolquake/sdk/core';
import { expect, test } from 'vitest';
import { detectableEffect } from './detectable-effect.js';
import { normalNumbers } from './noise-model.js';
import { medianOf } from './order-statistics.js';
import { PAIRED } from './paired-gate.js';
import { wilcoxonUpperTail } from './rank-tests.js';

const noise = (sigma: number, count: number, key: string): number[] => {
  const normal = normalNumbers(keyedRandom(7).stream('noise', key));
  return Array.from({ length: count }, () => sigma * normal());
};

test('without noise, it is the smallest slowdown that the gate wants to see', () => {
  expect(detectableEffect(noise(1e-6, 10, 'quiet'), PAIRED)).toBeCloseTo(0.1, 2);
});

test('grows with the noise, up to blindness', () => {
  const effects = [0.05, 0.15, 0.4, 1].map((sigma) => detectableEffect(noise(sigma, 40, 'growing'), PAIRED));
  expect(effects).toEqual([...effects].sort((a, b) => a - b));
  expect(effects[3]).toBeGreaterThan(0.5);
  expect(detectableEffect(noise(20, 40, 'blind'), PAIRED)).toBe(Infinity);
});

test('is not moved by the slowdown itself, and is the same for the same seed', () => {
  const residuals = noise(0.15, 40, 'shifted');
  const shifted = residuals.map((value) => value + Math.log(2));
  expect(detectableEffect(shifted, PAIRED, 3)).toBeCloseTo(detectableEffect(residuals, PAIRED, 3), 6);
});

test('four of five fresh comparisons see what it promises', () => {
  // Many blocks, so that the noise itself is known.
  const effect = detectableEffect(noise(0.2, 1000, 'observed'), PAIRED);
  let seen = 0;
  for (let trial = 0; trial < 500; trial++) {
    const look = (count: number, stage: string): number[] =>
      noise(0.2, count, `${trial} ${stage}`).map((value) => value + Math.log1p(effect));
    const [first, second] = [look(10, 'first'), look(40, 'second')];
    if (
      wilcoxonUpperTail(first) < 0.1 &&
      medianOf(first) >= Math.log(1.05) &&
      wilcoxonUpperTail(second) < 0.002 &&
      medianOf(second) >= Math.log(1.1)
    )
      seen++;
  }
  expect(seen / 500).toBeGreaterThan(0.72);
  expect(seen / 500).toBeLessThan(0.88);
});
