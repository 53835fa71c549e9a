/** The shipped scenarios, run as a user runs them: what each says of itself must be what its figures show. */
import { describe, expect, test } from 'vitest';
import { toolquake } from '../demo/toolquake.js';

type Figure = { mean: number | null; interval: { low: number; high: number } | null };
type Row = {
  variant: string;
  point: Record<string, number>;
  figures: Record<string, Figure>;
  onPaper: number | null;
  gates: { figure: string; isHeld: boolean }[];
  sequences: Record<string, number>;
  levels: { value: number; up: Figure; down: Figure }[];
};
type Report = { rows: Row[]; seeds: number; isAsExpected: boolean };

function reportOf(...words: string[]): Report {
  const { code, stdout, stderr } = toolquake(['simulate', '--json', ...words]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Report;
}
const mean = (row: Row | undefined, figure: string): number => row!.figures[figure]!.mean!;

describe('each failure mode, without and with what contains it', () => {
  test('cold or missing tool: every such task fails, or degrades', () => {
    const [without, contained] = reportOf('cold-tool').rows;
    expect(mean(without, 'failedShare')).toBeGreaterThan(0.5);
    expect(mean(contained, 'failedShare')).toBe(0);
    expect(mean(contained, 'degradedShare')).toBeGreaterThan(0.5);
  });

  test('schema drift: deceived tasks become visible failures, most of which a retry mends', () => {
    const [without, contained] = reportOf('schema-drift').rows;
    expect([mean(without, 'failedShare'), mean(contained, 'deceivedShare')]).toEqual([0, 0]);
    expect(mean(without, 'deceivedShare')).toBeGreaterThan(0.15);
    expect(mean(contained, 'failedShare')).toBeLessThan(0.02);
  });

  test('registry staleness: calls succeed against the wrong thing until somebody looks who answered', () => {
    const [without, contained] = reportOf('registry-staleness').rows;
    expect(mean(without, 'failedShare')).toBe(0);
    expect(mean(without, 'deceivedShare')).toBeGreaterThan(0.3);
    expect([mean(contained, 'failedShare'), mean(contained, 'deceivedShare')]).toEqual([0, 0]);
  });

  test('partial results: half-truths become retries and a state of their own', () => {
    const [without, contained] = reportOf('partial-results').rows;
    expect(mean(without, 'deceivedShare')).toBeGreaterThan(0.4);
    expect([mean(contained, 'deceivedShare'), mean(contained, 'failedShare')]).toEqual([0, 0]);
    expect(mean(contained, 'degradedShare')).toBeGreaterThan(0.05);
  });

  test('retry storm: the server stays down after it is fast again; a budget lets it recover', () => {
    const [without, budget, all] = reportOf('retry-storm').rows;
    expect(mean(without, 'failedAfter')).toBeGreaterThan(0.9);
    expect(mean(without, 'stayedDown')).toBe(1);
    expect(mean(without, 'doubleEffects')).toBeGreaterThan(1000);
    expect(mean(budget, 'stayedDown')).toBe(0);
    expect(mean(budget, 'failedShare')).toBeLessThan(0.3);
    expect(mean(all, 'doubleEffects')).toBe(0);
  });

  test('fan-out: the blast radius follows the formula, and retries take it away', () => {
    const { rows } = reportOf('fan-out');
    for (const row of rows.filter(({ variant }) => variant === 'without')) {
      const { low, high } = row.figures['failedShare']!.interval!;
      // A 95 % interval misses now and then; four times its half width does not.
      const [middle, half] = [(low + high) / 2, (high - low) / 2];
      expect(Math.abs(row.onPaper! - middle), JSON.stringify(row.point)).toBeLessThan(4 * half);
    }
    const at = (variant: number, fanout: number, rate: number): number => {
      const name = [...new Set(rows.map((row) => row.variant))][variant];
      const found = rows.find(({ variant: own, point }) => own === name && Object.values(point).join() === `${rate},${fanout}`);
      return mean(found, 'failedShare');
    };
    expect(at(0, 15, 0.02)).toBeGreaterThan(0.2);
    expect(at(0, 30, 0.05)).toBeGreaterThan(0.7);
    expect(at(1, 30, 0.05)).toBeLessThan(0.02);
  });

  test('head-of-line blocking: look-ups stand behind reports, unless each has its own lane', () => {
    const [without, lanes] = reportOf('head-of-line').rows;
    expect(mean(without, 'failedShare')).toBeGreaterThan(0.02);
    expect(mean(lanes, 'failedShare')).toBe(0);
  });
});

describe('the chain of pool, retries and limiter', () => {
  test('cuts of 30, 50 and 70 % stay inside their gates; the cut of 90 % with unbounded retries does not', () => {
    const { rows, isAsExpected } = reportOf('pool-cuts', '--seeds', '5');
    expect(rows.map(({ gates }) => gates.every(({ isHeld }) => isHeld))).toEqual([true, true, true, false]);
    expect(isAsExpected).toBe(true);
    expect(mean(rows[3], 'failedShare')).toBeGreaterThan(0.23);
    expect(mean(rows[3], 'p99Ms')).toBeGreaterThan(10_000);
    expect(mean(rows[3], 'stayedDown')).toBe(1);
    expect(rows.map(({ sequences }) => sequences['self-denial-of-service'])).toEqual([0, 0, 0, 5]);
  });

  test('the way back is not the way there: over 20 seeds the intervals do not even touch', () => {
    const { rows, seeds } = reportOf('pool-hysteresis', '--variant', 'unbounded retries, hard limiter');
    expect(seeds).toBe(20);
    const levels = rows[0]!.levels.filter(({ down }) => down.mean !== null);
    expect(levels.map(({ value }) => value)).toEqual([100, 70, 50, 30]);
    for (const { value, up, down } of levels) {
      expect(up.interval?.high ?? up.mean!, `there, at ${value}`).toBeLessThan(0.01);
      expect(down.interval?.low ?? down.mean!, `back, at ${value}`).toBeGreaterThan(0.9);
    }
    expect(rows[0]!.sequences['self-denial-of-service']).toBe(20);
  });

  test('each fix alone, and both together, let it recover', () => {
    const { rows } = reportOf('pool-hysteresis', '--seeds', '3');
    expect(rows.map((row) => mean(row, 'stayedDown'))).toEqual([1, 0, 0, 0]);
    expect(rows.map(({ sequences }) => sequences['self-denial-of-service'])).toEqual([3, 0, 0, 0]);
    // The last level of the way back is the whole pool again.
    for (const { levels } of rows.slice(1)) expect(levels[0]!.down.mean).toBeLessThan(0.01);
  });

  test('replicas, retries, timeouts and pools can be swept', () => {
    const { rows } = reportOf(
      'pool-cuts',
      '--seeds=1',
      '--variant=90 % on 3 replicas, unbounded retries',
      '--sweep=timeline.0.replicas=1,2,3',
      '--sweep=agents.checkout.retry.max=2,unbounded',
    );
    expect(rows).toHaveLength(6);
    const failed = rows.map((row) => mean(row, 'failedShare'));
    // One bad replica of three is absorbed by retries that find another one; three are not.
    expect(failed[0]).toBeLessThan(0.05);
    expect(failed[5]).toBeGreaterThan(0.23);
    expect(failed[4]).toBeLessThan(failed[5]!);
  });
});
