import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { bandwidth } from './bandwidth.js';

faultContract(bandwidth, { example: { kilobytesPerSecond: 4 } });

test.each([
  [1, 10_000],
  [20, 500],
])('at %d kB/s ten kilobytes take about %d ms', (kilobytesPerSecond, expectedMs) => {
  const raw = new TextEncoder().encode(JSON.stringify(exampleAnswer(exampleResult({ text: 'x'.repeat(4900) }))));
  const rig = createTestRig(bandwidth, { params: { kilobytesPerSecond } });
  rig.request(exampleCall());
  rig.answer(raw);
  rig.clock.advance(60_000);
  const slices = rig.ends.log.filter(({ what }) => what === 'slice');
  expect(Uint8Array.from(slices.flatMap(({ bytes = new Uint8Array(0) }) => [...bytes]))).toEqual(raw);
  expect(Math.abs((slices.at(-1)?.atMs ?? 0) - expectedMs)).toBeLessThan(expectedMs / 10);
});
