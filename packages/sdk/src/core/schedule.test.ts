import { describe, expect, test } from 'vitest';
import type { At, Shape } from './plan.js';
import { keyedRandom } from './random.js';
import { DRAW_DECIDES, DRAW_MOVES_SHAPE, mayFire, moveChain, probabilityNow, startChain } from './schedule.js';

/** The matches among the first 12 that may fire, one per second. */
const firing = (at: At, isRecovered = false): number[] =>
  Array.from({ length: 12 }, (_, index) => index + 1).filter((match) => mayFire(at, match, match * 1000, isRecovered));

describe('at', () => {
  test.each<[string, At, number[]]>([
    ['nothing: every match', {}, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ['nth: exactly those', { nth: [2, 5] }, [2, 5]],
    ['every: multiples', { every: 5 }, [5, 10]],
    ['first: up to and including', { first: 3 }, [1, 2, 3]],
    ['after matches: beyond', { after: { matches: 9 } }, [10, 11, 12]],
    ['after a time: from then on', { after: { ms: 10_000 } }, [10, 11, 12]],
    ['window in matches: after the first bound, up to the second', { window: { from: { matches: 3 }, to: { matches: 5 } } }, [4, 5]],
    ['window in time: the second bound is outside', { window: { from: { ms: 3000 }, to: { ms: 5000 } } }, [3, 4]],
    ['window over both', { window: { from: { matches: 3 }, to: { ms: 6000 } } }, [4, 5]],
    ['until matches: up to and including', { until: { matches: 2 } }, [1, 2]],
    ['until a time: not from then on', { until: { ms: 3000 } }, [1, 2]],
    ['all together: every one must agree', { every: 2, after: { matches: 3 }, until: { matches: 9 } }, [4, 6, 8]],
  ])('%s', (_name, at, expected) => {
    expect(firing(at)).toEqual(expected);
  });

  test('until recovered stops with the recovery', () => {
    expect(firing({ until: 'recovered' })).toHaveLength(12);
    expect(firing({ until: 'recovered' }, true)).toEqual([]);
    expect(firing({ nth: [1] }, true)).toEqual([1]);
  });
});

describe('chains', () => {
  /** Share of bad steps and mean length of bad runs over many steps. */
  const measure = (shape: { rate: number; meanLength: number }, seed: number): { rate: number; meanLength: number } => {
    const stream = keyedRandom(seed).stream('rule', 'default/search');
    const chain = startChain();
    const steps = 200_000;
    let bad = 0;
    let runs = 0;
    for (let step = 0; step < steps; step++) {
      const wasBad = chain.isBad;
      moveChain(chain, shape, stream);
      if (chain.isBad) bad++;
      if (chain.isBad && !wasBad) runs++;
    }
    return { rate: bad / steps, meanLength: bad / runs };
  };

  test.each([
    { rate: 0.02, meanLength: 16 },
    { rate: 0.1, meanLength: 4 },
    { rate: 0.5, meanLength: 2 },
    { rate: 0.02, meanLength: 1.5 },
  ])('are bad a share $rate of the time, in runs of $meanLength', (shape) => {
    const measured = measure(shape, 42);
    expect(Math.abs(measured.rate / shape.rate - 1)).toBeLessThan(0.12);
    expect(Math.abs(measured.meanLength / shape.meanLength - 1)).toBeLessThan(0.12);
  });

  test('start bad with the long-run probability, not always good', () => {
    let bad = 0;
    for (let seed = 0; seed < 5000; seed++) {
      const chain = startChain();
      moveChain(chain, { rate: 0.3, meanLength: 5 }, keyedRandom(seed).stream('rule', 'scope'));
      if (chain.isBad) bad++;
    }
    expect(Math.abs(bad / 5000 - 0.3)).toBeLessThan(0.03);
  });

  test('never turn bad at rate 0 and return at once at rate 1', () => {
    expect(measure({ rate: 0, meanLength: 4 }, 1).rate).toBe(0);
    const stream = { draw: () => 0.999 };
    const chain = startChain();
    moveChain(chain, { rate: 1, meanLength: 4 }, stream);
    expect(chain.isBad).toBe(true);
    moveChain(chain, { rate: 1, meanLength: 4 }, { draw: () => 0 });
    moveChain(chain, { rate: 1, meanLength: 4 }, stream);
    expect(chain.isBad).toBe(true);
  });

  test('move by draws of their own, numbered by the move', () => {
    const asked: [number, number][] = [];
    const chain = startChain();
    for (let move = 0; move < 3; move++) {
      moveChain(chain, { rate: 0.5, meanLength: 2 }, { draw: (ordinal, index) => (asked.push([ordinal, index]), 0.9) });
    }
    expect(asked).toEqual([0, 1, 2].map((ordinal) => [ordinal, DRAW_MOVES_SHAPE]));
    expect(DRAW_MOVES_SHAPE).not.toBe(DRAW_DECIDES);
  });
});

describe('shapes', () => {
  const now = { chain: undefined, match: 1, elapsedMs: 0 };

  test('iid keeps the probability', () => {
    expect(probabilityNow({ kind: 'iid' }, 0.3, now)).toBe(0.3);
  });

  test.each(['burst', 'episode'] as const)('%s has the probability while it is bad, else none', (kind) => {
    const shape: Shape = { kind, rate: 0.1, meanLength: 3, scope: 'call' };
    expect(probabilityNow(shape, 0.3, { ...now, chain: { ...startChain(), isBad: true } })).toBe(0.3);
    expect(probabilityNow(shape, 0.3, { ...now, chain: startChain() })).toBe(0);
    expect(probabilityNow(shape, 0.3, now)).toBe(0);
  });

  test('ramp moves from one share to the other and stays there', () => {
    const shape: Shape = { kind: 'ramp', from: 0.2, to: 1, over: { matches: 4 } };
    const values = [1, 2, 3, 4, 5, 6, 100].map((match) => probabilityNow(shape, 0.5, { ...now, match }));
    [0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5].forEach((value, index) => expect(values[index]).toBeCloseTo(value, 12));
  });

  test('ramp over time runs down as well as up', () => {
    const shape: Shape = { kind: 'ramp', from: 1, to: 0, over: { ms: 1000 } };
    expect([-5, 0, 250, 1000, 5000].map((elapsedMs) => probabilityNow(shape, 1, { ...now, elapsedMs }))).toEqual([1, 1, 0.75, 0, 0]);
  });
});
