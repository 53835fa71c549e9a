import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, faultContract } from '../testing/index.js';
import { pace } from './pace.js';

faultContract(pace, { example: { sliceBytes: 32, everyMs: 5 } });

test('splits a multi-byte character and loses not one byte', () => {
  const raw = new TextEncoder().encode(JSON.stringify(exampleAnswer({ content: [{ type: 'text', text: '🦊 Köln 札幌' }] })));
  const rig = createTestRig(pace, { params: { sliceBytes: 1, everyMs: 2 } });
  rig.request(exampleCall());
  rig.answer(raw);
  rig.clock.advance(2 * raw.length);
  const slices = rig.ends.log.flatMap(({ what, bytes }) => (what === 'slice' && bytes !== undefined ? [bytes] : []));
  expect(slices).toHaveLength(raw.length);
  expect(Uint8Array.from(slices.flatMap((slice) => [...slice]))).toEqual(raw);
  expect(slices.map((slice) => new TextDecoder().decode(slice))).toContain('\uFFFD');
});

test('spaces the slices by the time given', () => {
  const rig = createTestRig(pace, { params: { sliceBytes: 40, everyMs: 7 }, phase: 'pre' });
  rig.request(exampleCall());
  rig.clock.advance(1000);
  expect(rig.ends.log.map(({ atMs }) => atMs)).toEqual(rig.ends.log.map((_, index) => index * 7));
  expect(rig.ends.log.length).toBeGreaterThan(1);
});
