import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { stdoutNoise } from './stdout-noise.js';

faultContract(stdoutNoise, { example: { where: 'line' } });
faultContract(stdoutNoise, { example: { where: 'glued' }, claimsValid: false });

test('prints a line before an answer that stays as it is', () => {
  const rig = createTestRig(stdoutNoise, { params: { text: 'ready' } });
  rig.request(exampleCall());
  const bytes = new TextEncoder().encode(JSON.stringify(exampleAnswer(exampleResult()), null, 1));
  rig.answer(bytes);
  expect(rig.ends.log.slice(1)).toMatchObject([
    { what: 'emit', to: 'to-client' },
    { what: 'message', bytes },
  ]);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'ok' }]);
});

test('glues what was printed to the answer, which nobody can read then', () => {
  const rig = createTestRig(stdoutNoise, { params: { text: 'ready', where: 'glued' } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  const text = new TextDecoder().decode(rig.ends.log[1]?.bytes);
  expect(text).toBe(`ready${JSON.stringify(exampleAnswer(exampleResult()))}`);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'rpc-error' }]);
});

test('blanks before an answer are refused, because they do no harm', () => {
  const why = (params: object): string | undefined => stdoutNoise.whyPointless?.(params as never);
  expect(why({ text: ' ', where: 'glued' })).toBe('its text is blank, which does no harm before an answer');
  expect(why({ text: ' ', where: 'line' })).toBeUndefined();
});
