import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGracefulDegradation, lastSteps } from './graceful-degradation.js';

test('a task fails exactly when a needed step failed, and is degraded when only spare ones did', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(4), fc.array(fc.nat(11), { maxLength: 12 }), (steps, spare, failures) => {
      const task = createGracefulDegradation(lastSteps(spare));
      task.begin(steps);
      const failed = failures.map((step) => step % steps);
      for (const step of failed) task.recordFailure(step);
      const expected = failed.some((step) => step < steps - spare) ? 'failed' : failed.length > 0 ? 'degraded' : 'complete';
      expect(task.outcome()).toBe(expected);
    }),
  );
});

test('a new task owes nothing to the last one', () => {
  const task = createGracefulDegradation();
  task.begin(3);
  task.recordFailure(2);
  expect(task.outcome()).toBe('failed');
  task.begin(3);
  expect(task.outcome()).toBe('complete');
});
