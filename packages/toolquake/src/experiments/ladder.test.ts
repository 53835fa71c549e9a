import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VERDICTS } from '../core/experiment.js';
import type { RunSummary } from '../core/run-summary.js';
import { someExperiment } from './fixtures/some-experiment.js';
import { askLadder, type LadderQuestion } from './ladder.js';

let count = 0;
const run = (stage: number, changes: Partial<RunSummary> = {}): RunSummary => ({
  runId: `run-${++count}`,
  experiment: 'block-database',
  question: 'Q.',
  target: 'shop',
  environment: 'staging',
  faultDigest: 'f',
  planDigest: 'p',
  build: 'shop 1.0',
  stage,
  stages: 3,
  dose: someExperiment.dose.ladder[stage - 1] ?? 0,
  isDryRun: false,
  startedAt: new Date(count * 1000).toISOString(),
  verdict: 'held',
  why: '',
  endedAt: new Date(count * 1000 + 500).toISOString(),
  isStopped: false,
  findings: [],
  acknowledged: undefined,
  ...changes,
});
const ask = (runs: readonly RunSummary[], changes: Partial<LadderQuestion> = {}) =>
  askLadder({
    experiment: someExperiment,
    runs,
    faultDigest: 'f',
    build: 'shop 1.0',
    actionWords: ['wait', 'kill-process', 'slow-dependency', 'block-dependency'],
    ...changes,
  });
const why = (...given: Parameters<typeof ask>): string => {
  const answer = ask(...given);
  return answer.isAllowed ? `stage ${answer.stage}` : `${answer.why} ${answer.advice}`;
};

test('begins at stage 1 and climbs one stage for each green', () => {
  expect(ask([])).toEqual({ isAllowed: true, stage: 1, dose: 10, greens: 0, counts: true, widen: [] });
  expect(ask([run(1)])).toMatchObject({ stage: 2, dose: 25 });
  expect(ask([run(1), run(2)])).toMatchObject({ stage: 3, dose: 50 });
  expect(ask([run(1), run(2), run(3)])).toMatchObject({ stage: 3, greens: 1 });
});

describe('invariant 18: a stage is refused', () => {
  test('when the one below was skipped', () => {
    expect(why([], { stage: 2 })).toBe('Stage 2 needs stage 1 to have held: it has not been run yet. Run stage 1 first.');
    expect(why([run(1)], { stage: 3 })).toBe('Stage 3 needs stage 2 to have held: it has not been run yet. Run stage 2 first.');
  });

  test.each([...VERDICTS.filter((verdict) => verdict !== 'held'), 'unfinished' as const])('when the one below is %s', (verdict) => {
    expect(why([run(1, { runId: 'x', verdict })], { stage: 2 })).toContain(`its last run, x, is ${verdict}`);
    expect(why([run(1), run(1, { runId: 'x', verdict })], { stage: 2 })).toContain(`its last run, x, is ${verdict}`);
  });

  test('on a new build, which starts at stage 1', () => {
    const runs = [run(1), run(2)];
    expect(ask(runs, { build: 'shop 1.1' })).toMatchObject({ stage: 1, greens: 0 });
    expect(why(runs, { build: 'shop 1.1', stage: 2 })).toMatch(
      /run-\d+ was on another build \(shop 1\.0; now it is shop 1\.1\)\. Run stage 1 first\./,
    );
  });

  test('for other faults, another target, a dry run, or one that saw no build', () => {
    expect(why([run(1)], { stage: 2, faultDigest: 'g' })).toContain('injected something else');
    expect(why([run(1, { target: 'other' })], { stage: 2 })).toContain('was on "other"');
    expect(why([run(1, { isDryRun: true })], { stage: 2 })).toContain('it has not been run yet');
    expect(why([run(1, { build: undefined })], { stage: 2 })).toContain('another build (unknown');
    expect(why([run(1, { experiment: 'other' })], { stage: 2 })).toContain('it has not been run yet');
  });

  test('that is not there', () => {
    expect(why([], { stage: 4 })).toBe('There is no stage 4: stages go from 1 to 3. The ladder is 10, 25, 50 %.');
  });
});

test('without a known build, that of the newest run counts', () => {
  expect(ask([run(1), run(2), run(1, { build: 'shop 2' })], { build: undefined })).toMatchObject({ stage: 2 });
});

test('an alert that never came blocks every experiment on that target until a person acknowledges it', () => {
  const blind = run(1, { runId: 'blind', experiment: 'other', verdict: 'violated', findings: [{ name: 'missed-alert', detail: '' }] });
  expect(why([blind])).toBe(
    'Run blind found that "shop" was down or wrong, and no alert came (P1). Repair the alerting first; then: toolquake runs acknowledge blind --why "..."',
  );
  expect(why([{ ...blind, acknowledged: { who: 'a', why: 'b', at: '' } }])).toBe('stage 1');
  expect(why([{ ...blind, target: 'elsewhere' }])).toBe('stage 1');
  expect(why([{ ...blind, findings: [{ name: 'late-alert', detail: '' }] }])).toBe('stage 1');
});

test('a missed alert blocks the server itself: not its name, not one folder, not the id of one experiment', () => {
  const found = { verdict: 'violated', findings: [{ name: 'missed-alert', detail: '' }] } as const;
  const blind = run(1, { ...found, runId: 'blind', experiment: 'other', target: 'renamed', targetDigest: 't' });
  expect(why([blind], { targetDigest: 't' })).toContain('Run blind found that "renamed" was down or wrong');
  expect(why([blind], { targetDigest: 'u' })).toBe('stage 1');
  expect(why([], { missedElsewhere: [{ runId: 'far', target: 'shop' }] })).toContain('toolquake runs acknowledge far');
});

test('a green on another server of the same name, or on a rung that was moved since, opens nothing', () => {
  const green = run(1, { runId: 'x', targetDigest: 't' });
  expect(ask([green], { targetDigest: 't' })).toMatchObject({ stage: 2 });
  expect(why([green], { targetDigest: 'u', stage: 2 })).toContain('x was on another server of this name');
  expect(ask([green], { targetDigest: 'u' })).toMatchObject({ stage: 1, greens: 0 });
  expect(why([run(1, { runId: 'x', dose: 2 })], { stage: 2 })).toContain('x was at 2 %, and stage 1 is 10 % now');
  expect(ask([run(1, { dose: 2 })])).toMatchObject({ stage: 1, greens: 0 });
});

test('after three greens more of the same do not count, and it says what to widen', () => {
  const greens = [run(1), run(1), run(1)];
  expect(ask(greens.slice(1), { stage: 1 })).toMatchObject({ counts: true, widen: [] });
  expect(ask(greens, { stage: 1 })).toEqual({
    isAllowed: true,
    stage: 1,
    dose: 10,
    greens: 3,
    counts: false,
    widen: [
      'The next dose: --stage 2, 25 % instead of 10 %.',
      'A longer time: "cut" for: 2m instead of 1m.',
      'Another action: slow-dependency instead of block-dependency.',
      'A combination: block-dependency and kill-process at once.',
    ],
  });
  expect(ask([run(1), run(2), run(3), run(3), run(3)])).toMatchObject({
    counts: false,
    stage: 3,
    widen: [expect.stringContaining('[10, 25, 50, 100]'), expect.anything(), expect.anything(), expect.anything()],
  });
});

test('whatever was run before, no stage opens without a green one below it', () => {
  const runs = fc.array(
    fc.record({
      stage: fc.integer({ min: 1, max: 3 }),
      verdict: fc.constantFrom(...VERDICTS, 'unfinished' as const),
      build: fc.constantFrom('shop 1.0', 'shop 1.1'),
      faultDigest: fc.constantFrom('f', 'g'),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(runs, fc.option(fc.integer({ min: -1, max: 5 }), { nil: undefined }), (given, stage) => {
      const all = given.map((one) => run(one.stage, one));
      const answer = ask(all, { stage });
      if (!answer.isAllowed || answer.stage === 1) return;
      const below = all.filter((one) => one.stage === answer.stage - 1 && one.build === 'shop 1.0' && one.faultDigest === 'f');
      expect(below.at(-1)?.verdict).toBe('held');
    }),
  );
});
