import { beforeAll, expect, test } from 'vitest';
import { buildDriver } from './driver/build.js';
import { fewAtATime, killAt, pointsOf, type Attempt } from './fault-point-sweep.js';
import { createScene, nobodyIsLeft, run } from './scene.js';

let driver: string;
beforeAll(async () => {
  driver = await buildDriver();
});

function attempt(): Attempt {
  const scene = createScene();
  return {
    run: (env) => scene.start(driver, {}, env).ended,
    settled: () => nobodyIsLeft(scene.ledgerPath),
    async sweep() {
      const { said } = await run([`${driver}/sweeper.js`], scene.env).ended;
      return (said[0]?.['left'] ?? ['the sweep failed']) as readonly unknown[];
    },
    snapshot: scene.snapshot,
  };
}

test('a clean run changes nothing for good, and passes a point before, in the middle of and after every line', async () => {
  const one = attempt();
  const before = one.snapshot();
  const points = await pointsOf(one);
  expect(one.snapshot()).toEqual(before);
  for (const line of ['open', 'intent 1', 'applied 1', 'intent 3', 'outcome 3', 'outcome 1', 'close']) {
    expect(points).toEqual(expect.arrayContaining([`runner ${line} before`, `runner ${line} torn`, `runner ${line} after`]));
  }
  expect(points).toEqual(
    expect.arrayContaining(['warden watch torn', 'runner undo 2 before', 'runner undo 2 after', 'runner pointer removed']),
  );
});

test('invariant 1: SIGKILL of the runner at every fault point leaves the world as it was, with no sweep needed', async () => {
  const points = (await pointsOf(attempt())).filter((point) => point.startsWith('runner '));
  expect(points.length).toBeGreaterThan(40);
  const results = await fewAtATime(points, 4, (point) => killAt(attempt(), point));
  expect(results.filter(({ isRestored, signal, left }) => !isRestored || signal !== 'SIGKILL' || left.length > 0)).toEqual([]);
});

test('invariant 1: SIGKILL of the warden while it begins leaves nothing behind, and the run says why it did not start', async () => {
  const points = (await pointsOf(attempt())).filter((point) => point.startsWith('warden '));
  expect(points).toHaveLength(3);
  const results = await fewAtATime(points, 3, (point) => killAt(attempt(), point));
  expect(results.filter(({ isRestored, left }) => !isRestored || left.length > 0)).toEqual([]);
});

test('invariant 2: SIGKILL of the runner and of the warden at every point of its undo is cleaned by the next start', async () => {
  const deadly = 'runner applied 3 after';
  const points = (await pointsOf(attempt(), { TOOLQUAKE_FAULT_POINT: deadly })).filter((point) => /^warden (?!watch)/.test(point));
  expect(points.length).toBeGreaterThan(15);
  const results = await fewAtATime(points, 4, (point) => killAt(attempt(), `${deadly};${point}`));
  expect(results.filter(({ isRestoredBySweep, left }) => !isRestoredBySweep || left.length > 0)).toEqual([]);
  // The test would prove nothing if the warden had always been done before it died.
  expect(results.filter(({ isRestored }) => !isRestored).length).toBeGreaterThan(3);
});
