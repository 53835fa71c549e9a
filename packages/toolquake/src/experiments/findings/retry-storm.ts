import { defineFinding } from '../finding.js';

const meanOf = (tasks: readonly { readonly attempts: number }[]): number =>
  tasks.length === 0 ? 1 : tasks.reduce((sum, task) => sum + task.attempts, 0) / tasks.length;

/** Retries without a budget turn a bad minute into an outage. */
export const retryStorm = defineFinding({
  name: 'retry-storm',
  summary: 'Retries multiplied the load instead of riding the fault out.',
  thresholds: {
    tasks: [10, 'Operations that ended from the fault on: fewer say nothing.'],
    attempts: [3.5, 'Calls for each of them, on average: more than one try and two retries.'],
    growth: [2, 'So many times the calls for each operation before the fault.'],
  },
  find({ isInjected, faultOnMs, samples }, _experiment, limits) {
    if (!isInjected || faultOnMs === undefined) return undefined;
    const tasks = samples('task', faultOnMs);
    const mean = meanOf(tasks);
    const before = meanOf(samples('task', Number.NEGATIVE_INFINITY, faultOnMs));
    if (tasks.length < limits.tasks || mean < limits.attempts || mean < limits.growth * before) return undefined;
    return `${tasks.length} operations took ${mean.toFixed(1)} calls each from the fault on, and ${before.toFixed(1)} before.`;
  },
});
