import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseProcesses, countOf, scaleChoice } from './chosen-processes.js';
import type { ActionWorld } from './action.js';

const world = (manager: ActionWorld['manager']): Pick<ActionWorld, 'env' | 'manager' | 'upstream' | 'signal'> => ({
  env: {},
  manager,
  upstream: { target: { kind: 'url', name: 'shop', url: 'http://127.0.0.1:9/' } } as ActionWorld['upstream'],
  signal: AbortSignal.timeout(60_000),
});

test('a lower stage never hits more, and always hits somebody', () => {
  const params = fc.oneof(
    fc.constant({}),
    fc.record({ replicas: fc.integer({ min: 1, max: 100 }) }),
    fc.record({ percent: fc.integer({ min: 1, max: 100 }) }),
  );
  fc.assert(
    fc.property(params, fc.double({ min: 0.01, max: 1, noNaN: true }), fc.integer({ min: 1, max: 100 }), (given, share, running) => {
      const hit = countOf(scaleChoice(given, share), running);
      expect(hit).toBeGreaterThanOrEqual(1);
      expect(hit).toBeLessThanOrEqual(countOf(given, running));
    }),
  );
});

test('the whole dose is the parameters as they are', () => {
  expect(countOf(scaleChoice({}, 1), 3)).toBe(3);
  expect(scaleChoice({ replicas: 2 }, 1)).toEqual({ replicas: 2 });
});

test('nothing that says which process it is, is a refusal that says what to write', async () => {
  expect(await chooseProcesses({}, world(undefined))).toMatchObject({
    isFeasible: false,
    act: expect.stringContaining('manager') as string,
  });
  expect(await chooseProcesses({}, world({ kind: 'own' }))).toMatchObject({
    isFeasible: false,
    why: expect.stringContaining('URL') as string,
  });
  expect(await chooseProcesses({ pid: 1 }, world(undefined))).toMatchObject({ isFeasible: false });
});
