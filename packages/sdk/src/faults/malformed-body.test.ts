import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { malformedBody } from './malformed-body.js';

faultContract(malformedBody, { example: { as: 'cut' }, claimsValid: false });

test.each(['page', 'cut'])('lets the server do the work and answers with bytes that nobody can parse (%s)', (as) => {
  const rig = createTestRig(malformedBody, { params: { as } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  const text = new TextDecoder().decode(rig.ends.log[1]?.bytes);
  expect(text).not.toBe('');
  // A line break would be the end of a message on a pipe.
  expect(text).not.toContain('\n');
  expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'rpc-error', faults: ['rule'] }]);
});

test('cuts the answer where half of it has passed', () => {
  const rig = createTestRig(malformedBody, { params: { as: 'cut' } });
  rig.request(exampleCall());
  const bytes = new TextEncoder().encode(JSON.stringify(exampleAnswer(exampleResult())));
  rig.answer(bytes);
  expect(rig.ends.log[1]?.bytes).toEqual(bytes.slice(0, Math.floor(bytes.length / 2)));
});
