/** Reports count the figures of a run from its journal alone, and come to what the engine told, which knows the file as well. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Blast, Experiment } from '../../packages/toolquake/src/core/experiment.js';
import type { RunEntry } from '../../packages/toolquake/src/core/run-entry.js';
import type { Sample } from '../../packages/toolquake/src/core/sample.js';
import {
  call,
  exampleExperiment,
  probe,
  probing,
  runFake,
  type FakeScript,
} from '../../packages/toolquake/src/experiments/fixtures/fake-world.js';
import * as findings from '../../packages/toolquake/src/experiments/findings/index.js';
import { judge } from '../../packages/toolquake/src/experiments/judge.js';
import type { RunAction } from '../../packages/toolquake/src/experiments/ports.js';
import { isContradicting } from '../../packages/toolquake/src/reporters/run/finding-advice.js';
import { createRunDigest, type RunDigest } from '../../packages/toolquake/src/reporters/run/run-digest.js';

/** The journal as the engine would judge it, and what a report counts from it. */
function recount(journal: readonly RunEntry[], experiment: Experiment): { readonly told: unknown; readonly digest: RunDigest } {
  const entries = journal.filter(({ kind }) => kind !== 'finding' && kind !== 'verdict');
  const judgement = judge(entries, experiment);
  const digester = createRunDigest();
  for (const entry of [...entries, ...judgement.findings, judgement.verdict]) digester.add(entry);
  const { mttdMs, mttrMs, recoveryMs, faultedCalls, controlCalls } = judgement.verdict;
  return { told: { mttdMs, mttrMs, recoveryMs, faultedCalls, controlCalls }, digest: digester.result() };
}

const failing = async (): Promise<never> => {
  throw new Error('not here');
};
const unprepared: FakeScript['ports'] = ({ actions }) => ({ actions: actions.map((one) => ({ ...one, prepare: failing })) });

const scripts: Readonly<Record<string, FakeScript>> = {
  'goes well': {},
  'is down under the fault': { see: probing(({ isFaultOn }) => !isFaultOn) },
  'recovers late': { see: probing(({ nowMs, isFaultOn }) => !isFaultOn && (nowMs < 2000 || nowMs > 9000)) },
  'never recovers': { see: probing(({ nowMs }) => nowMs < 2000) },
  'heals itself': { experiment: { mustSelfHeal: true }, see: probing(({ nowMs }) => nowMs < 2000 || nowMs > 3000) },
  'meets no precondition': { ports: () => ({ preconditions: async () => [{ name: 'monitor', isMet: false, detail: 'none' }] }) },
  'has no baseline': { see: probing(() => false) },
  'is of an unknown build': { ports: () => ({ build: failing }) },
  'is rehearsed': { isDryRun: true },
  'is rehearsed, and cannot be done': { isDryRun: true, ports: unprepared },
  'cannot be done': { ports: unprepared },
  'breaks while it is made': { see: probing(({ nowMs }) => nowMs < 2500), ports: () => ({ perform: failing }) },
  'hits nobody': { blast: 'none', see: probing(({ nowMs }) => nowMs < 3000 || nowMs > 5000) },
  'hits no call': { blast: 'calls' },
  'has a rule that hits no call': {
    blast: 'calls',
    see: ({ nowMs, isFaultOn }) => [
      probe(nowMs, true),
      { source: 'faults', atMs: nowMs, calls: 10, delivered: 5, ...(isFaultOn ? { hits: { slow: 5, never: 0 } } : {}) },
    ],
  },
  'is stopped': { ports: (_, { clock }) => ({ stopReason: () => (clock.nowMs() > 4000 ? { why: 'asked', isAsked: true } : undefined) }) },
  'is over before enough calls were hit': {
    blast: 'calls',
    experiment: {
      dose: { ...exampleExperiment.dose, minFaulted: 60 },
      limits: { ...exampleExperiment.limits, maxFaultedCalls: 10 },
    },
    see: ({ nowMs, isFaultOn }) => [probe(nowMs, true), call(nowMs, 'ok', isFaultOn ? 'faulted' : 'control')],
  },
  'is told late of a failure before the fault': {
    experiment: { mustSelfHeal: true, steady: [{ ...exampleExperiment.steady[0]!, atLeast: 0.5 }] },
    see: ({ nowMs }) => (nowMs % 500 === 0 ? [probe(Math.max(0, nowMs - 600), nowMs !== 2500)] : []),
  },
  'has a rule on the newest value, and too little time to prove it': {
    experiment: { steady: [{ signal: 'consecutive_failures', atMost: 0, windowMs: 8000, minSamples: 1, phases: ['after'] }] },
    see: probing(({ nowMs }) => nowMs < 2000 || nowMs > 12_000),
  },
};

test.each(Object.entries(scripts))('a run that %s', async (_, script) => {
  const { entries } = await runFake(script);
  const { told, digest } = recount(entries, { ...exampleExperiment, ...script.experiment });
  expect(digest.disagreements).toEqual([]);
  expect(digest.figures).toEqual(told);
});

test('what breaks before the first fault, while a harmless action runs, is no time to repair', async () => {
  const actions = ['rest', 'cut'].map((id) => ({ id, action: 'wait', params: {}, forMs: 3000 }));
  const experiment = { ...exampleExperiment, actions, mustSelfHeal: true };
  const see = probing(({ nowMs }) => nowMs < 2500 || (nowMs > 3000 && nowMs !== 6000));
  const { entries } = await runFake({ experiment, see });
  const mixed = entries.map((entry) =>
    entry.kind === 'experiment'
      ? { ...entry, actions: entry.actions.map((one) => ({ ...one, blast: one.id === 'cut' ? 'server' : 'none' })) }
      : entry,
  );
  const { told, digest } = recount(mixed, experiment);
  expect(digest.disagreements).toEqual([]);
  expect(digest.figures).toEqual(told);
});

test('reports know which findings contradict the hypothesis', () => {
  for (const { name, contradicts } of Object.values(findings)) expect([name, isContradicting(name)]).toEqual([name, contradicts]);
});

const rules: readonly Experiment['steady'][number][] = [
  { signal: 'probe_success', atLeast: 0.6, windowMs: 2000, minSamples: 2, phases: ['before', 'during', 'after'] },
  { signal: 'probe_success', atLeast: 0.9, windowMs: 1500, minSamples: 1, phases: ['after'] },
  { signal: 'consecutive_failures', atMost: 1, windowMs: 5000, minSamples: 1, phases: ['during', 'after'] },
  { signal: 'error_rate', lane: 'control', atMost: 0.4, windowMs: 1500, minSamples: 3, phases: ['after'] },
];
const tripwires: Experiment['rollbackOn'] = [
  { signal: 'consecutive_failures', above: 3, forMs: 0, windowMs: 2000, minSamples: 1, origin: 'file' },
  { signal: 'error_rate', lane: 'control', above: 0.7, forMs: 500, windowMs: 1000, minSamples: 8, origin: 'file' },
  { signal: 'error_rate', lane: 'control', above: 0.9, forMs: 0, windowMs: 1000, minSamples: 30, origin: 'file' },
];
const never = { weight: 6, arbitrary: fc.constant(null) };
const seldom = fc.oneof(never, { weight: 1, arbitrary: fc.integer({ min: 0, max: 12_000 }) });
const mostly = fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });
const world = fc.record({
  up: fc.oneof(fc.constant([true]), fc.array(mostly, { minLength: 8, maxLength: 40 })),
  /** One probe that finds it down around the moment when the fault begins. */
  blipMs: fc.constantFrom(null, 1500, 2000, 2500),
  lateMs: fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 5, maxLength: 20 }),
  isLoaded: fc.boolean(),
  /** What the place of the rules counts, call by call; whether callers can tell which calls those were. */
  hits: fc.oneof(never, { weight: 6, arbitrary: fc.constantFrom(0, 1, 2) }),
  front: fc.constantFrom(undefined, { port: 0 }),
  isDryRun: fc.oneof(never, { weight: 1, arbitrary: fc.constant(true) }),
  works: fc.record({ preconditions: mostly, build: mostly, prepare: mostly, perform: mostly, verify: mostly, lasts: mostly, undo: mostly }),
  stopAtMs: seldom,
  isAsked: fc.boolean(),
  blasts: fc.array(fc.constantFrom<Blast>('server', 'calls', 'none'), { minLength: 1, maxLength: 3 }),
  rules: fc.subarray([...rules], { minLength: 1 }),
  tripwires: fc.subarray([...tripwires]),
  mustSelfHeal: fc.boolean(),
  minFaulted: fc.constantFrom(0, 0, 10, 60),
  maxFaultedCalls: fc.constantFrom(30, 100_000),
  alertsAtMs: fc.array(fc.integer({ min: 0, max: 14_000 }), { maxLength: 3 }),
  cut: fc.oneof(never, { weight: 2, arbitrary: fc.double({ min: 0.05, max: 1, noNaN: true }) }),
});

test('invariant 30: whatever a run meets, and wherever its journal ends: the recount agrees with the judge', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const { works, blasts } = one;
      const see = ({ nowMs, isFaultOn }: { readonly nowMs: number; readonly isFaultOn: boolean }): readonly Sample[] => {
        const isUp = nowMs !== one.blipMs && (nowMs < 2500 || one.up[Math.floor(nowMs / 500) % one.up.length]!);
        const lane = isFaultOn && (nowMs / 100) % 2 === 0 ? 'faulted' : 'control';
        return [
          ...(nowMs % 500 === 0 ? [probe(Math.max(0, nowMs - one.lateMs[(nowMs / 500) % one.lateMs.length]!), isUp)] : []),
          ...(one.isLoaded ? [call(nowMs, isUp ? 'ok' : 'error', lane)] : []),
          ...(one.hits === null || !isFaultOn
            ? []
            : [{ source: 'faults', atMs: nowMs, calls: nowMs / 10, delivered: (one.hits * nowMs) / 100 } as const]),
        ];
      };
      const failIf = (isWell: boolean): void => {
        if (!isWell) throw new Error('it does not work');
      };
      const action = (own: RunAction): RunAction => ({
        ...own,
        prepare: async () => {
          failIf(works.prepare);
          const ready = await own.prepare();
          let looks = 0;
          const isSeen = (): boolean => works.verify && (works.lasts || ++looks === 1);
          return { ...ready, isLasting: true, verifyEffect: async () => ({ isInEffect: isSeen(), proof: 'looked at' }) };
        },
      });
      const experiment: Experiment = {
        ...exampleExperiment,
        steady: one.rules,
        rollbackOn: one.tripwires,
        mustSelfHeal: one.mustSelfHeal,
        front: one.front,
        dose: { ...exampleExperiment.dose, minFaulted: one.minFaulted },
        limits: { ...exampleExperiment.limits, maxFaultedCalls: one.maxFaultedCalls },
        actions: blasts.map((_, index) => ({ id: `a${index}`, action: 'wait', params: {}, forMs: 1500 })),
      };
      const { entries } = await runFake({
        experiment,
        see,
        isDryRun: one.isDryRun === true,
        alerts: ({ nowMs }) =>
          one.alertsAtMs.filter((atMs) => Math.ceil(atMs / 100) * 100 === nowMs).map(() => ['firing', 'connection_refused']),
        ports: (own, { clock }) => ({
          actions: own.actions.map(action),
          preconditions: async () => [{ name: 'monitor', isMet: works.preconditions, detail: 'probes' }],
          build: async () => (failIf(works.build), 'shop 1.0'),
          perform: async (id, step) => (await own.perform(id, step), failIf(works.perform)),
          undoAll: async () => (failIf(works.undo), own.undoAll()),
          stopReason: () => (one.stopAtMs === null || clock.nowMs() < one.stopAtMs ? undefined : { why: 'asked', isAsked: one.isAsked }),
        }),
      });
      // The engine was told one blast for all; who is hit changes nothing before the verdict.
      const whole = entries.map((entry) =>
        entry.kind === 'experiment' ? { ...entry, actions: entry.actions.map((own, index) => ({ ...own, blast: blasts[index]! })) } : entry,
      );
      const journal = one.cut === null ? whole : whole.slice(0, Math.max(1, Math.ceil(whole.length * one.cut)));
      const { told, digest } = recount(journal, experiment);
      seen.add(digest.verdict!.verdict);
      expect(digest.disagreements).toEqual([]);
      expect(digest.figures).toEqual(told);
    }),
    { numRuns: 300 },
  );
  expect([...seen].toSorted()).toEqual(['aborted', 'held', 'inconclusive', 'not-injected', 'undo-failed', 'violated']);
}, 60_000);
