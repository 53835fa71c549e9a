/** Reports count the figures of a run from its journal, and come to those that the engine told. */
import { expect, test } from 'vitest';
import { probing, runFake, type FakeScript } from '../../packages/toolquake/src/experiments/fixtures/fake-world.js';
import { createRunDigest } from '../../packages/toolquake/src/reporters/run/run-digest.js';

const scripts: Readonly<Record<string, FakeScript>> = {
  'goes well': {},
  'is down under the fault': { see: probing(({ isFaultOn }) => !isFaultOn) },
  'recovers late': { see: probing(({ nowMs, isFaultOn }) => !isFaultOn && (nowMs < 2000 || nowMs > 9000)) },
  'never recovers': { see: probing(({ nowMs }) => nowMs < 2000) },
  'heals itself': { experiment: { mustSelfHeal: true }, see: probing(({ nowMs }) => nowMs < 2000 || nowMs > 3000) },
};

test.each(Object.entries(scripts))('a run that %s', async (_, script) => {
  const { entries, judgement } = await runFake(script);
  const digester = createRunDigest();
  for (const entry of [...entries.filter(({ kind }) => kind !== 'verdict'), judgement.verdict]) digester.add(entry);
  const { disagreements, figures } = digester.result();
  expect(disagreements).toEqual([]);
  const { mttdMs, mttrMs, recoveryMs, faultedCalls, controlCalls } = judgement.verdict;
  expect(figures).toEqual({ mttdMs, mttrMs, recoveryMs, faultedCalls, controlCalls });
});
