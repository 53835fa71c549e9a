import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { streamCut } from './stream-cut.js';

faultContract(streamCut, { example: { heartbeats: 2, everyMs: 100 } });

test('shows signs of life, and then ends without the answer', () => {
  const rig = createTestRig(streamCut, { params: { heartbeats: 2, everyMs: 100 }, transport: 'http' });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  rig.clock.advance(60_000);
  expect(rig.ends.log.slice(1).map(({ what, how, atMs }) => [how ?? what, atMs])).toEqual([
    ['heartbeat', 0],
    ['heartbeat', 100],
    ['end', 200],
  ]);
});

test('keeps the call from the server in phase pre', () => {
  const rig = createTestRig(streamCut, { phase: 'pre', transport: 'http' });
  rig.request(exampleCall());
  rig.clock.advance(60_000);
  expect(rig.ends.log.map(({ what, how }) => how ?? what)).toEqual(['heartbeat', 'end']);
});
