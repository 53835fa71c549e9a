// Whatever the world does, and whenever somebody stops it: the run ends, what was begun is undone, and the verdict can be made again.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunEntry } from '../core/run-entry.js';
import type { Sample } from '../core/sample.js';
import { cadenceOf } from './cadence.js';
import { exampleExperiment, probe, runFake, type FakeWorld } from './fixtures/fake-world.js';
import { judge } from './judge.js';
import type { EnginePorts, RunAction } from './ports.js';
import { readRule } from './read-rule.js';
import { createSampleBook } from './sample-book.js';

const MOODS = ['works', 'rejects', 'throws', 'hangs', 'takes a moment', 'is slow', 'answers after all'] as const;
type Mood = (typeof MOODS)[number];
// Mostly well: a world in which everything fails never comes to the interesting parts.
const mood = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom<Mood>('works', 'takes a moment') },
  { weight: 1, arbitrary: fc.constantFrom(...MOODS) },
);

/** A port in some mood. */
const moody =
  (world: FakeWorld, how: Mood) =>
  <Value>(work: () => Promise<Value>): Promise<Value> => {
    const later = (afterMs: number): Promise<Value> => new Promise((resolve) => world.clock.enqueue(afterMs, () => resolve(work())));
    switch (how) {
      case 'works':
        return work();
      case 'rejects':
        return Promise.reject(new Error('rejected'));
      case 'throws':
        throw new Error('thrown');
      case 'hangs':
        return new Promise(() => {});
      case 'takes a moment':
        return later(100);
      case 'is slow':
        return later(700);
      case 'answers after all':
        return later(61_000);
    }
  };

const moods = fc.record({ preconditions: mood, build: mood, prepare: mood, perform: mood, verify: mood, release: mood, undoAll: mood });
/** At some time, often while the first changes are made; mostly never. */
const moment = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 12_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 2000, max: 2600 }) },
);
const script = fc.record({
  moods,
  stopAtMs: moment,
  abortAtMs: moment,
  journalBreaksAtMs: moment,
  stopThrows: fc.boolean(),
  steps: fc.integer({ min: 1, max: 3 }),
  actions: fc.integer({ min: 1, max: 3 }),
  up: fc.array(fc.boolean(), { minLength: 8, maxLength: 40 }),
  isTripping: fc.boolean(),
  mustSelfHeal: fc.boolean(),
});

test('invariants 13, 14, 22: any failures, aborts and throws: bounded, undone after every change, nothing performed after a stop, verdict last', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (world) => {
      const performed: { readonly atMs: number; readonly place: number }[] = [];
      let undone = 0;
      let undoneAfterLast = false;
      let prepared = 0;
      let released = 0;
      const ports = (own: EnginePorts, fake: FakeWorld): Partial<EnginePorts> => {
        const { clock, abort, entries } = fake;
        if (world.abortAtMs !== null) clock.enqueue(world.abortAtMs, () => abort.abort());
        const action = (one: RunAction): RunAction => ({
          ...one,
          prepare: () =>
            moody(
              fake,
              world.moods.prepare,
            )(async () => {
              prepared++;
              const ready = await one.prepare();
              const steps = Array.from({ length: world.steps }, (_, index) => ({ ...ready.steps[0]!, name: `${one.step.id} ${index}` }));
              const release = (): Promise<void> => (released++, moody(fake, world.moods.release)(async () => {}));
              return { ...ready, steps, release, verifyEffect: () => moody(fake, world.moods.verify)(() => ready.verifyEffect()) };
            }),
        });
        return {
          actions: own.actions.map(action),
          preconditions: () => moody(fake, world.moods.preconditions)(() => own.preconditions()),
          build: () => moody(fake, world.moods.build)(() => own.build()),
          perform: (id, step) => {
            performed.push({ atMs: clock.nowMs(), place: entries.length });
            undoneAfterLast = false;
            return moody(fake, world.moods.perform)(() => own.perform(id, step));
          },
          undoAll: () => {
            undone++;
            undoneAfterLast = true;
            return moody(fake, world.moods.undoAll)(() => own.undoAll());
          },
          stopReason: () => {
            if (world.stopAtMs === null || clock.nowMs() < world.stopAtMs) return undefined;
            if (world.stopThrows) throw new Error('no answer');
            return { why: 'asked to', isAsked: true };
          },
          record(entry) {
            if (world.journalBreaksAtMs !== null && clock.nowMs() >= world.journalBreaksAtMs) throw new Error('no space left');
            own.record(entry);
          },
        };
      };
      const run = await runFake({
        ports,
        see: ({ nowMs }) => (nowMs % 500 === 0 ? [probe(nowMs, nowMs < 2500 || world.up[(nowMs / 500) % world.up.length]!)] : []),
        experiment: {
          mustSelfHeal: world.mustSelfHeal,
          actions: ['one', 'two', 'three'].slice(0, world.actions).map((id) => ({ id, action: 'wait', params: {}, forMs: 1500 })),
          rollbackOn: world.isTripping
            ? [{ signal: 'consecutive_failures', above: 1, forMs: 0, windowMs: 2000, minSamples: 1, origin: 'the file' }]
            : [],
        },
      });
      const { verdict } = run.judgement;
      // Undone after the last change that was begun, and not without one.
      expect(undoneAfterLast).toBe(performed.length > 0);
      if (performed.length === 0) expect(undone).toBe(0);
      // Nothing is begun after a stop, or after the entry that says why.
      const stopPlace = run.entries.findIndex((entry) => entry.kind === 'stop' || entry.kind === 'trip');
      for (const { atMs, place } of performed) {
        expect(atMs).toBeLessThan(world.stopAtMs ?? Number.POSITIVE_INFINITY);
        expect(atMs).toBeLessThanOrEqual(world.abortAtMs ?? Number.POSITIVE_INFINITY);
        if (stopPlace !== -1) expect(place).toBeLessThanOrEqual(stopPlace);
      }
      // What was prepared is let go of, once each, unless it was ready only after all was over.
      expect(released).toBeLessThanOrEqual(prepared);
      if (world.moods.prepare === 'works') expect(released).toBe(prepared);
      if (world.journalBreaksAtMs === null) expect(run.entries.filter((entry) => entry.kind === 'verdict')).toEqual([run.entries.at(-1)]);
      // No green on anything but a whole, good run.
      const isUndone = performed.length === 0 || !['rejects', 'throws', 'hangs', 'answers after all'].includes(world.moods.undoAll);
      if (!isUndone && world.moods.perform === 'works') expect(verdict.verdict).toBe('undo-failed');
      if (performed.length === 0) expect(verdict.verdict).not.toBe('held');
      if (world.moods.verify === 'hangs' || world.moods.perform === 'hangs') expect(verdict.verdict).not.toBe('held');
    }),
    { numRuns: 400 },
  );
}, 60_000);

/** What the journal of a run says, recomputed without the engine: each look from the samples that stand before it. */
test('invariant 30: every look, figure and verdict is what the samples of the journal give, on any stream', async () => {
  const streams = fc.record({
    up: fc.array(fc.boolean(), { minLength: 20, maxLength: 60 }),
    lateMs: fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 5, maxLength: 20 }),
  });
  const steady = [{ ...exampleExperiment.steady[0]!, atLeast: 0.5, phases: ['before', 'during', 'after'] as const }];
  const experiment = { ...exampleExperiment, steady };
  await fc.assert(
    fc.asyncProperty(streams, async ({ up, lateMs }) => {
      const see = ({ nowMs }: { readonly nowMs: number }): readonly Sample[] => {
        if (nowMs % 500 !== 0) return [];
        const index = nowMs / 500;
        return [probe(Math.max(0, nowMs - lateMs[index % lateMs.length]!), nowMs < 2500 || up[index % up.length]!)];
      };
      const { entries, judgement } = await runFake({ see, experiment });
      const book = createSampleBook();
      let faultOffMs: number | undefined;
      let wasBrokenDuring = false;
      for (const entry of entries) {
        if (entry.kind === 'sample') book.add(entry.sample);
        if (entry.kind === 'phase' && entry.phase === 'after') faultOffMs = entry.atMs;
        if (entry.kind !== 'steady') continue;
        expect(entry.rules).toEqual([readRule(steady[0]!, book, entry.atMs, cadenceOf(experiment))]);
        if (entry.phase === 'during' && entry.rules[0]!.state === 'fails') wasBrokenDuring = true;
      }
      const { verdict } = judgement;
      expect(judge(entries, experiment)).toEqual(judgement);
      if (faultOffMs === undefined) return expect(verdict).toMatchObject({ verdict: 'inconclusive', recoveryMs: null });
      if (wasBrokenDuring) expect(verdict.verdict).toBe('violated');
      // The good time that reaches to the end of the journal, told the naive way.
      const after = entries.filter(
        (entry): entry is Extract<RunEntry, { kind: 'steady' }> => entry.kind === 'steady' && entry.phase === 'after',
      );
      const bad = after.findLastIndex((entry) => !entry.isSteady);
      const goodMs = bad === -1 ? faultOffMs : (after[bad + 1]?.atMs ?? Number.POSITIVE_INFINITY) - 2000;
      const isRecovered = after.at(-1)!.atMs - Math.max(faultOffMs, goodMs) >= 2000;
      expect(verdict.recoveryMs).toBe(isRecovered ? Math.max(0, goodMs - faultOffMs) : null);
      if (verdict.verdict === 'held') expect(isRecovered && !wasBrokenDuring).toBe(true);
    }),
    { numRuns: 100 },
  );
}, 60_000);
