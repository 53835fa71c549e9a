import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { latency } from './latency.js';

faultContract(latency, { example: { addedMs: 100, jitterMs: 50 } });

test('delays the answer by the time given, and no other call', () => {
  const rig = createTestRig(latency, { params: { addedMs: 100 }, when: { tool: ['slow'] } });
  rig.request(exampleCall({ id: 1, tool: 'slow' }));
  rig.request(exampleCall({ id: 2, tool: 'fast' }));
  rig.answer(exampleAnswer(exampleResult(), { id: 1 }));
  rig.answer(exampleAnswer(exampleResult(), { id: 2 }));
  rig.clock.advance(100);
  const answers = rig.ends.log.filter(({ to }) => to === 'to-client');
  expect(answers.map(({ part, atMs }) => [part, atMs])).toEqual([
    [2, 0],
    [1, 100],
  ]);
});

test('delays the way to the server in phase pre', () => {
  const rig = createTestRig(latency, { params: { addedMs: 100 }, phase: 'pre' });
  rig.request(exampleCall());
  expect(rig.ends.log).toEqual([]);
  rig.clock.advance(100);
  expect(rig.ends.messages('to-server')).toEqual([exampleCall()]);
});

test('draws jitter between nothing and the most', () => {
  const rig = createTestRig(latency, { params: { addedMs: 100, jitterMs: 50 } });
  for (let id = 1; id <= 50; id++) {
    rig.request(exampleCall({ id }));
    rig.answer(exampleAnswer(exampleResult(), { id }));
  }
  rig.clock.advance(150);
  const delays = rig.ends.log.filter(({ to }) => to === 'to-client').map(({ atMs }) => atMs);
  expect(delays).toHaveLength(50);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(100);
  expect(new Set(delays).size).toBeGreaterThan(10);
});
