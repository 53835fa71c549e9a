/** How firings are spread: the shapes that have a memory. */
import { expect } from 'vitest';
import { callTool, errorOf, type Scenario } from './scenario.js';
import { executions, type Stage } from './stage.js';

/** Calls one after the other; what fails is told by the ids. */
async function failedOf(stage: Stage, calls: number): Promise<readonly number[]> {
  const ids = Array.from({ length: calls }, (_, index) => index + 1);
  for (const id of ids) await callTool(stage, id, 'read');
  return ids.filter((id) => errorOf(stage, id) !== undefined);
}

/** Scripts for them. */
export const shapes: readonly Scenario[] = [
  {
    name: 'burst',
    fault: 'error-response',
    rule: { shape: { burst: { rate: 0.4, meanLength: 4 } } },
    seed: 7,
    async play(stage) {
      const failed = await failedOf(stage, 24);
      expect(failed.length).toBeGreaterThan(1);
      expect(failed.length).toBeLessThan(24);
      expect(executions(stage, 'read')).toBe(24 - failed.length);
    },
  },
  {
    name: 'episode',
    fault: 'error-response',
    rule: { shape: { episode: { rate: 0.5, meanLength: 2 } } },
    seed: 2,
    async play(stage) {
      // A session is one task here, and an episode lasts for whole tasks: all calls fail together.
      expect(await failedOf(stage, 5)).toEqual([1, 2, 3, 4, 5]);
    },
  },
];
