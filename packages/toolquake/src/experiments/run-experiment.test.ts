import { expect, test } from 'vitest';
import type { TripRule } from '../core/sample.js';
import { judge } from './judge.js';
import { exampleExperiment, probe, probing, runFake, type FakeScript } from './fixtures/fake-world.js';

/** The life of a run as a transcript, samples and looks left out. */
const lines = ({ entries }: Awaited<ReturnType<typeof runFake>>): string[] =>
  entries.flatMap((entry) => {
    const at = `${(entry.atMs / 1000).toFixed(2)} `;
    if (entry.kind === 'phase') return [`${at}${entry.phase}`];
    if (entry.kind === 'action') return [`${at}${entry.id} ${entry.state}`];
    if (entry.kind === 'undo') return [`${at}${entry.id} ${entry.state}`];
    if (entry.kind === 'trip') return [`${at}trip ${entry.rule.state}`];
    if (entry.kind === 'stop') return [`${at}stop ${entry.isAsked ? 'asked' : 'forced'}`];
    if (entry.kind === 'verdict') return [`${at}${entry.verdict}`];
    return [];
  });

const trip = (rule: Partial<TripRule> = {}): TripRule => ({
  signal: 'probe_success',
  below: 0.5,
  windowMs: 1000,
  minSamples: 2,
  forMs: 0,
  origin: 'the file',
  ...rule,
});
const down: FakeScript = { see: probing(({ isFaultOn }) => !isFaultOn) };

test('a run that goes well: steady, broken, undone, steady again, held', async () => {
  const run = await runFake();
  expect(lines(run)).toEqual([
    '0.00 preconditions',
    '0.00 before',
    '2.00 during',
    '2.00 cut applying',
    '2.00 cut applied',
    '2.00 cut in-effect',
    '6.00 undo',
    '6.00 cut undone',
    '6.00 after',
    '8.00 held',
  ]);
  expect(run.judgement.verdict).toMatchObject({ verdict: 'held', recoveryMs: 0, mttrMs: null, mttdMs: null, isStopped: false });
  expect(run.judgement.findings).toEqual([]);
});

test('nothing is injected where the baseline is not steady', async () => {
  const run = await runFake({ see: probing(({ nowMs }) => nowMs % 1000 === 0) });
  expect(run.judgement.verdict).toMatchObject({ verdict: 'inconclusive', why: expect.stringContaining('baseline is invalid') });
  expect(run.log).toEqual([]);
});

test('a window with too few samples is stretched, and given up after four times', async () => {
  const steady = [{ ...exampleExperiment.steady[0]!, minSamples: 7 }];
  expect((await runFake({ experiment: { steady } })).judgement.verdict.verdict).toBe('held');
  const run = await runFake({ experiment: { steady: [{ ...steady[0]!, minSamples: 100 }] } });
  expect(run.judgement.verdict).toMatchObject({ verdict: 'inconclusive', atMs: 8000 });
  expect(run.log).toEqual([]);
});

test('an unmet precondition, one that hangs and one that throws inject nothing', async () => {
  const preconditions = [
    async () => [{ name: 'monitor', isMet: false, detail: 'no probe' }],
    () => new Promise<never>(() => {}),
    () => {
      throw new Error('broken');
    },
  ];
  for (const precondition of preconditions) {
    const run = await runFake({ ports: () => ({ preconditions: precondition }) });
    expect(run.judgement.verdict.verdict).toBe('inconclusive');
    expect(run.log).toEqual([]);
  }
});

test('invariant 14: from the tripwire to the undo there is no tick', async () => {
  const run = await runFake({ ...down, experiment: { rollbackOn: [trip()] } });
  const tripped = run.entries.find((entry) => entry.kind === 'trip');
  const undone = run.log.find((one) => one.what === 'undoAll');
  expect(undone?.atMs).toBe(tripped?.atMs);
  // Two failed probes half a second apart, and one tick at most.
  expect(tripped!.atMs - 2000).toBeLessThanOrEqual(1000 + exampleExperiment.times.tickMs);
  expect(run.judgement.verdict).toMatchObject({ verdict: 'aborted', why: expect.stringContaining('probe_success was') });
});

test.each(['prepare', 'perform', 'verifyEffect'] as const)(
  'invariant 14: a stop request is obeyed within one tick while %s hangs',
  async (port) => {
    const hanging = (): Promise<never> => new Promise(() => {});
    const run = await runFake({
      ports: (own, { clock }) => ({
        stopReason: () => (clock.nowMs() >= 3000 ? { why: 'asked to', isAsked: true } : undefined),
        ...(port === 'perform' ? { perform: hanging } : {}),
        actions: own.actions.map((action) => ({
          ...action,
          prepare: async () =>
            port === 'prepare' ? hanging() : { ...(await action.prepare()), ...(port === 'verifyEffect' ? { verifyEffect: hanging } : {}) },
        })),
      }),
    });
    const stopped = run.entries.find((entry) => entry.kind === 'stop');
    expect(stopped).toMatchObject({ why: 'asked to', isAsked: true });
    expect(stopped!.atMs).toBeLessThanOrEqual(3250);
    expect(run.entries.find((entry) => entry.kind === 'phase' && entry.phase === 'undo')?.atMs).toBe(stopped!.atMs);
    // A change that may still be made is not undone, whatever the ledger says.
    expect(run.judgement.verdict.verdict).toBe(port === 'perform' ? 'undo-failed' : 'aborted');
    expect(run.judgement.verdict.isStopped).toBe(true);
  },
);

test('what breaks while the build is looked at is no baseline: nothing is injected', async () => {
  const run = await runFake({
    see: probing(({ nowMs }) => nowMs < 2500),
    ports: (_own, { clock }) => ({ build: () => new Promise((resolve) => clock.enqueue(3000, () => resolve('shop 1.0'))) }),
  });
  expect(run.log).toEqual([]);
  expect(run.judgement.verdict).toMatchObject({ verdict: 'inconclusive', why: expect.stringContaining('The baseline is invalid') });
});

test('a stop between two changes of one action: the second is not begun', async () => {
  const run = await runFake({
    ports: (own, { clock }) => ({
      stopReason: () => (clock.nowMs() >= 2050 ? { why: 'asked to', isAsked: true } : undefined),
      perform: (action, step) => new Promise((resolve) => clock.enqueue(100, () => resolve(own.perform(action, step)))),
      actions: own.actions.map((action) => ({
        ...action,
        prepare: async () => {
          const ready = await action.prepare();
          return { ...ready, steps: [...ready.steps, { ...ready.steps[0]!, name: 'second' }] };
        },
      })),
    }),
  });
  expect(run.log.map((one) => one.what)).toEqual(['prepare cut', 'perform cut', 'undoAll', 'release cut']);
  expect(run.judgement.verdict.verdict).toBe('aborted');
});

test('Ctrl-C wakes the engine at once, not at the next tick', async () => {
  const run = await runFake({
    experiment: { times: { ...exampleExperiment.times, tickMs: 1000 } },
    ports: (_own, { clock, abort }) => {
      clock.enqueue(2345, () => abort.abort());
      return {};
    },
  });
  expect(run.log.find((one) => one.what === 'undoAll')?.atMs).toBe(2345);
  expect(run.judgement.verdict).toMatchObject({ verdict: 'aborted', isStopped: true, atMs: 2345 });
});

test('invariant 13: a probe that falls silent during the fault trips, after one window of grace', async () => {
  const silent: FakeScript = { see: (state) => (state.isFaultOn ? [] : probing(() => true)(state)) };
  const run = await runFake({ ...silent, experiment: { rollbackOn: [trip({ windowMs: 2000 })] } });
  expect(run.judgement.verdict).toMatchObject({ verdict: 'aborted', why: expect.stringContaining('silent') });
  const tripped = run.entries.find((entry) => entry.kind === 'trip');
  expect(tripped!.atMs).toBeGreaterThanOrEqual(4000);
  expect(tripped!.atMs).toBeLessThanOrEqual(4250);
});

test('a tripwire waits for its time without a break', async () => {
  const see = probing(({ isFaultOn, nowMs }) => !isFaultOn || nowMs % 2000 === 0);
  const rollbackOn = [trip({ signal: 'consecutive_failures', below: undefined, above: 0, forMs: 1600 })];
  expect((await runFake({ see, experiment: { rollbackOn } })).judgement.verdict.verdict).toBe('held');
  expect((await runFake({ ...down, experiment: { rollbackOn } })).judgement.verdict.verdict).toBe('aborted');
});

test('a tripwire of an action trips too, unless the file has one on the same signal', async () => {
  const ports: FakeScript['ports'] = (own) => ({
    actions: own.actions.map((one) => ({ ...one, trips: [trip({ origin: 'block-dependency' })] })),
  });
  expect((await runFake({ ...down, ports })).judgement.verdict.why).toContain('(block-dependency)');
  const run = await runFake({ ...down, ports, experiment: { rollbackOn: [trip({ below: 0, forMs: 0 })] } });
  expect(run.entries.some((entry) => entry.kind === 'trip')).toBe(false);
});

test('limits end the run, and what it had changed is undone', async () => {
  const run = await runFake({ experiment: { limits: { ...exampleExperiment.limits, maxRuntimeMs: 3000 } } });
  expect(run.judgement.verdict).toMatchObject({ verdict: 'aborted', isStopped: false });
  expect(run.log.at(-2)?.what).toBe('undoAll');
  expect(run.log.find((one) => one.what === 'undoAll')?.atMs).toBe(3000);
});

test('invariant 23: a violation during the fault counts, also when all is well afterwards', async () => {
  const steady = [{ ...exampleExperiment.steady[0]!, phases: ['before', 'during', 'after'] as const }];
  const see = probing(({ isFaultOn, nowMs, faultOnMs = 0 }) => !isFaultOn || nowMs > faultOnMs + 1000);
  const run = await runFake({ see, experiment: { steady } });
  expect(run.judgement.verdict).toMatchObject({ verdict: 'violated', recoveryMs: 0, why: expect.stringContaining('steady-violated') });
});

test('invariant 22: an effect that nobody sees is not injected, and undone at once', async () => {
  const ports: FakeScript['ports'] = (own) => ({
    actions: own.actions.map((one) => ({
      ...one,
      prepare: async () => ({
        ...(await one.prepare()),
        verifyEffect: async () => ({ isInEffect: false, proof: 'the port still answers' }),
      }),
    })),
  });
  const run = await runFake({ ports });
  expect(run.judgement.verdict).toMatchObject({ verdict: 'not-injected', why: expect.stringContaining('the port still answers') });
  expect(run.log.map((one) => one.what)).toContain('undoAll');
});

/** An effect that is there from the start, and gone so long after it was first seen. */
const goneAfter =
  (lastsMs: number): FakeScript['ports'] =>
  (own, { clock }) => ({
    actions: own.actions.map((one) => ({
      ...one,
      async prepare() {
        let untilMs: number | undefined;
        const isInEffect = (): boolean => clock.nowMs() <= (untilMs ??= clock.nowMs() + lastsMs);
        const ready = await one.prepare();
        return { ...ready, isLasting: true, verifyEffect: async () => ({ isInEffect: isInEffect(), proof: 'the port answers' }) };
      },
    })),
  });

test('invariant 22: an effect that is gone before its time is over proves nothing, but what broke until then counts', async () => {
  const quiet = await runFake({ ports: goneAfter(100) });
  const why = expect.stringContaining('did not last: the port answers') as string;
  expect(quiet.judgement.verdict).toMatchObject({ verdict: 'inconclusive', why });
  expect(quiet.log.map((one) => one.what)).toContain('undoAll');
  const steady = [{ ...exampleExperiment.steady[0]!, phases: ['before', 'during', 'after'] as const }];
  expect((await runFake({ ...down, ports: goneAfter(100), experiment: { steady } })).judgement.verdict.verdict).toBe('violated');
  expect((await runFake({ ports: goneAfter(60_000) })).judgement.verdict.verdict).toBe('held');
});

test('a system that has to heal itself may end the fault', async () => {
  const run = await runFake({ ports: goneAfter(100), experiment: { mustSelfHeal: true } });
  expect(run.entries.filter((entry) => entry.kind === 'action').map(({ state }) => state)).toEqual(['applying', 'applied', 'in-effect']);
});

test('an effect that comes late is waited for', async () => {
  const ports: FakeScript['ports'] = (own, { clock }) => ({
    actions: own.actions.map((one) => ({
      ...one,
      prepare: async () => ({ ...(await one.prepare()), verifyEffect: async () => ({ isInEffect: clock.nowMs() > 7000, proof: 'seen' }) }),
    })),
  });
  expect((await runFake({ ports })).judgement.verdict.verdict).toBe('held');
});

test('an undo that fails is the worst of all, whatever else happened', async () => {
  const run = await runFake({
    ...down,
    experiment: { rollbackOn: [trip()] },
    ports: () => ({
      undoAll: async () => [
        {
          step: 1,
          action: 'cut',
          name: 'change cut',
          state: { is: 'not-undone', why: 'the rule is still there' },
          tookMs: 3,
          by: 'runner',
        },
      ],
    }),
  });
  expect(run.judgement.verdict).toMatchObject({ verdict: 'undo-failed', why: expect.stringContaining('the rule is still there') });
});

test.each([
  ['hangs', () => new Promise<never>(() => {})],
  ['rejects', () => Promise.reject(new Error('no disk'))],
  ['forgets a step', async () => []],
])('an undo that %s is not undone', async (_what, undoAll) => {
  expect((await runFake({ ports: () => ({ undoAll }) })).judgement.verdict.verdict).toBe('undo-failed');
});

test('a change that ends after its undo began is undone again', async () => {
  const run = await runFake({
    ports: (own, { clock }) => ({
      stopReason: () => (clock.nowMs() >= 3000 ? { why: 'asked to', isAsked: true } : undefined),
      perform: (action, step) =>
        new Promise((resolve) => {
          clock.enqueue(1500, () => resolve(own.perform(action, step)));
        }),
    }),
  });
  expect(run.log.filter((one) => one.what === 'undoAll')).toHaveLength(2);
  expect(run.judgement.verdict.verdict).toBe('aborted');
});

test('steps of an action that fails halfway are undone, and the next action is not begun', async () => {
  const run = await runFake({
    experiment: { actions: ['one', 'two', 'three'].map((id) => ({ id, action: 'wait', params: {}, forMs: 500 })) },
    ports: (own) => ({
      perform: (action, step) => (action === 'two' ? Promise.reject(new Error('disk full')) : own.perform(action, step)),
    }),
  });
  expect(run.log.map((one) => one.what)).toEqual(['prepare one', 'perform one', 'prepare two', 'undoAll', 'release two', 'release one']);
  expect(run.judgement.verdict).toMatchObject({ verdict: 'not-injected', why: expect.stringContaining('disk full') });
});

test('recovery is measured from the undo, to the window that was good', async () => {
  const see = probing(({ isFaultOn, faultOffMs, nowMs }) => !isFaultOn && (faultOffMs === undefined || nowMs >= faultOffMs + 1500));
  const run = await runFake({ see });
  expect(run.judgement.verdict.verdict).toBe('held');
  expect(run.judgement.verdict.recoveryMs).toBeGreaterThanOrEqual(1000);
  expect(run.judgement.verdict.recoveryMs).toBeLessThanOrEqual(1750);
});

test('who must heal itself is waited for while the fault is there', async () => {
  const experiment = { mustSelfHeal: true, actions: [{ id: 'kill', action: 'kill-process', params: {}, forMs: 100 }] };
  const see = probing(({ faultOnMs = Number.POSITIVE_INFINITY, nowMs }) => nowMs < faultOnMs || nowMs >= faultOnMs + 2000);
  const run = await runFake({ see, experiment });
  expect(run.judgement.verdict.verdict).toBe('held');
  expect(run.judgement.verdict.mttrMs).toBeGreaterThanOrEqual(1500);
  expect(run.judgement.verdict.mttrMs).toBeLessThanOrEqual(2250);
  const never = await runFake({ see: probing(({ faultOnMs }) => faultOnMs === undefined), experiment });
  expect(never.judgement.verdict).toMatchObject({ verdict: 'violated', mttrMs: null, recoveryMs: null });
  expect(never.judgement.findings.map((one) => one.name)).toEqual(['manual-restart', 'not-restarted', 'steady-violated']);
});

test('a dry run tells what would be hit, and changes nothing', async () => {
  const run = await runFake({ isDryRun: true });
  expect(run.log.map((one) => one.what)).toEqual(['prepare cut', 'release cut']);
  expect(run.entries).toContainEqual(expect.objectContaining({ kind: 'note', text: 'cut would hit: cut' }));
  expect(run.judgement.verdict).toMatchObject({ verdict: 'inconclusive', why: expect.stringContaining('dry run') });
});

test('a journal that cannot be written ends the run', async () => {
  const run = await runFake({
    ports: (own, { clock }) => ({
      record(entry) {
        if (clock.nowMs() >= 3000) throw new Error('no space left');
        own.record(entry);
      },
    }),
  });
  expect(run.judgement.verdict).toMatchObject({ verdict: 'aborted', why: expect.stringContaining('no space left') });
  expect(run.log.map((one) => one.what)).toContain('undoAll');
});

test('invariant 30: the journal alone gives the same verdict, figures and findings, again and again', async () => {
  const see = probing(({ isFaultOn, nowMs }) => !isFaultOn || nowMs % 1500 === 0);
  const run = await runFake({ see: (state) => [...see(state), ...(state.nowMs % 700 === 0 ? [probe(state.nowMs - 30, true)] : [])] });
  expect(run.entries.at(-1)).toEqual(run.judgement.verdict);
  const again: unknown = JSON.parse(JSON.stringify(judge(JSON.parse(JSON.stringify(run.entries)), exampleExperiment)));
  expect(again).toEqual(run.judgement);
});
