import { expect, test } from 'vitest';
import { blockDependency } from '../actions/kinds/block-dependency.js';
import { exhaustPool } from '../actions/kinds/exhaust-pool.js';
import { wait } from '../actions/kinds/wait.js';
import { dosed } from './experiment-actions.js';

const step = { id: 'a', action: 'a', params: { sessions: 40 }, forMs: 60_000 };

test('a lower stage is a smaller fault, and where a fault has no size, a shorter one', () => {
  expect(dosed(exhaustPool, step, 0.25)).toMatchObject({ params: { sessions: 10 }, forMs: 60_000 });
  expect(dosed(blockDependency, step, 0.25)).toEqual({ ...step, forMs: 15_000 });
  expect(dosed(blockDependency, step, 1)).toEqual(step);
  expect(dosed(wait, step, 0.25)).toEqual(step);
});
