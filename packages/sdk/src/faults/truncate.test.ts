import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { truncate } from './truncate.js';

faultContract(truncate, { example: { keepRatio: 0.3, how: 'reset' }, claimsValid: false });

const raw = new TextEncoder().encode(JSON.stringify(exampleAnswer(exampleResult())));

test.each([
  [0, 1],
  [0.5, Math.floor(raw.length / 2)],
  [1, raw.length - 1],
])('of a share of %d only the first bytes arrive, and nothing after the break', (keepRatio, bytes) => {
  const rig = createTestRig(truncate, { params: { keepRatio, how: 'reset' } });
  rig.request(exampleCall());
  rig.answer(raw);
  rig.clock.advance(60_000);
  expect(rig.ends.log.slice(1).map(({ what, how, bytes: sent }) => how ?? [what, sent])).toEqual([['slice', raw.slice(0, bytes)], 'reset']);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'disconnected', faults: ['rule'] }]);
});

test('leaves an answer of one byte alone', () => {
  const rig = createTestRig(truncate);
  rig.request(exampleCall());
  const exchange = [...rig.session.waiting['to-server'].values()][0]!;
  rig.performer.answer(exchange, {
    direction: 'to-client',
    isOpaque: false,
    bytes: Uint8Array.of(0x31),
    message: 1,
    isParsed: true,
    head: undefined,
    editedFrom: undefined,
  });
  expect(rig.outcomes).toEqual(['not-delivered: there is nothing to cut off']);
});
