import { describe, expect, test } from 'vitest';
import { call } from './fixtures/fake-world.js';
import { each, END_MS, experimentOf, FAULT_OFF_MS, FAULT_ON_MS, journalOf, judged, notUndone, probes } from './fixtures/journal.js';
import { judge } from './judge.js';

const down = probes((atMs) => atMs < FAULT_ON_MS || atMs >= 13_000);
const calls = (faulted: number) =>
  each(0, END_MS, 200).map((atMs, index) => call(atMs, 'ok', atMs >= FAULT_ON_MS && index < 50 + faulted ? 'faulted' : 'control'));
const stop = { kind: 'stop', atMs: 15_000, why: 'asked to', isAsked: true } as const;
const trip = (state: 'fails' | 'few') =>
  ({
    kind: 'trip',
    atMs: 15_000,
    rule: { signal: 'host_cpu', bound: 'at most 0.9', value: 1, samples: 3, state },
    origin: 'file',
    why: 'too much',
  }) as const;
const isBroken = (atMs: number): boolean => atMs !== 12_000;

describe('the worst verdict that applies is told', () => {
  test.each([
    ['held', {}],
    ['violated', { isSteady: isBroken }],
    ['aborted', { more: [stop] }],
    ['aborted', { isSteady: isBroken, more: [trip('fails')] }],
    ['inconclusive', { more: [trip('few')] }],
    ['violated', { isSteady: isBroken, more: [trip('few')] }],
    ['undo-failed', { isSteady: isBroken, more: [stop, trip('fails'), notUndone] }],
    ['inconclusive', { probes: [] }],
  ] as const)('%s', (verdict, script) => {
    expect(judged(script).verdict.verdict).toBe(verdict);
  });
});

describe('invariant 22: nothing is held that hit nobody', () => {
  const experiment = { dose: { ladder: [10], minFaulted: 20, seed: 7 } };

  test.each([
    [0, 'not-injected'],
    [19, 'inconclusive'],
    [20, 'held'],
  ])('%d calls that were hit: %s', (faulted, verdict) => {
    expect(judged({ blast: 'calls', experiment, samples: calls(faulted) }).verdict).toMatchObject({ verdict, faultedCalls: faulted });
  });

  test('nor one rule among others', () => {
    const counted = (atMs: number, never: number) =>
      ({ source: 'faults', atMs, calls: 300, delivered: 100, hits: { slow: 100, never } }) as const;
    const judgedWith = (never: number) =>
      judged({ blast: 'calls', experiment, samples: [...calls(100), counted(15_000, never), counted(16_000, 0)] }).verdict;
    expect(judgedWith(0)).toMatchObject({ verdict: 'not-injected', why: 'A rule hit not one call: never' });
    expect(judgedWith(1)).toMatchObject({ verdict: 'held' });
  });

  test('a limit that was reached before enough calls were hit proves nothing', () => {
    const limits = { ...experimentOf({}).limits, maxFaultedCalls: 10 };
    const more = [{ ...stop, isAsked: false, why: '10 calls were hit, and the most is 10.' }];
    expect(judged({ blast: 'calls', experiment: { ...experiment, limits }, samples: calls(10), more }).verdict.verdict).toBe(
      'inconclusive',
    );
  });

  test('what goes wrong while nobody is hit has another cause', () => {
    expect(judged({ blast: 'calls', isSteady: isBroken, samples: calls(0) }).verdict.verdict).toBe('not-injected');
  });
});

describe('what was not seen while the fault was there is not green', () => {
  test('a rule that held at first and was silent at the end', () => {
    const rule = { signal: 'probe_success', bound: 'at least 0.9', value: null, samples: 0, state: 'silent' } as const;
    const look = { kind: 'steady', atMs: FAULT_OFF_MS - 1, phase: 'during', isSteady: false, rules: [rule] } as const;
    expect(judged({ more: [look] }).verdict).toMatchObject({
      verdict: 'inconclusive',
      why: 'During the fault, probe_success was silent: no fresh sample, wanted at least 0.9.',
    });
  });

  test('a rule whose window held nothing but what was seen before the fault', () => {
    const around = probes(() => true).filter(({ atMs }) => atMs < FAULT_ON_MS || atMs > FAULT_OFF_MS);
    expect(judged({ probes: around }).verdict).toMatchObject({
      verdict: 'inconclusive',
      why: expect.stringContaining('nothing new was seen of probe_success'),
    });
  });
});

describe('a server that is hit besides single calls', () => {
  // Then every call of the fault is in the faulted lane, whether a rule hit it or not.
  const verdictWith = (delivered: number): ReturnType<typeof judge>['verdict'] => {
    const dose = { ladder: [10], minFaulted: 20, seed: 7 };
    const one = experimentOf({}).actions[0]!;
    const experiment = experimentOf({ experiment: { dose, actions: [one, { ...one, id: 'two', action: 'plan' }] } });
    const counted = { source: 'faults', atMs: 15_000, calls: 300, delivered } as const;
    const inEffect = { kind: 'action', atMs: FAULT_ON_MS, id: 'two', action: 'plan', state: 'in-effect' } as const;
    const entries = journalOf({ experiment, samples: [...calls(100), counted], more: [inEffect] }).map((entry) =>
      entry.kind === 'experiment'
        ? { ...entry, actions: [...entry.actions, { id: 'two', action: 'plan', blast: 'calls', about: '' }] }
        : entry,
    );
    return judge(entries, experiment).verdict;
  };

  test.each([
    [0, 'not-injected'],
    [19, 'inconclusive'],
    [20, 'held'],
  ])('does not count for the calls that the rules were to hit: %d of them: %s', (delivered, verdict) => {
    expect(verdictWith(delivered)).toMatchObject({ verdict, faultedCalls: delivered });
  });
});

describe('invariant 30: figures come from the journal', () => {
  test('from the fault to the alert, and to the end of the outage', () => {
    const alerts = [
      [5000, 'firing', 'slow'],
      [11_200, 'firing', 'connection_refused'],
    ] as const;
    const isSteady = (atMs: number): boolean => atMs < FAULT_ON_MS || atMs >= 15_000;
    const steady = [{ ...experimentOf({}).steady[0]!, phases: ['before', 'after'] as const }];
    const { verdict } = judged({ experiment: { mustSelfHeal: true, steady }, alerts, probes: down, isSteady });
    // The window of two seconds was good from 13 s on.
    expect(verdict).toMatchObject({ verdict: 'held', mttdMs: 1200, mttrMs: 3000, recoveryMs: 0, faultedCalls: 0, controlCalls: 0 });
  });

  test('what cannot be known is null', () => {
    expect(judged().verdict).toMatchObject({ mttdMs: null, mttrMs: null, recoveryMs: 0 });
    expect(judged({ experiment: { mustSelfHeal: true } }).verdict.mttrMs).toBeNull();
    expect(judged({ isSteady: (atMs) => atMs < FAULT_OFF_MS }).verdict.recoveryMs).toBeNull();
  });

  test('calls that passed the proxy of the run count where no load of ours says more', () => {
    const samples = [{ source: 'faults', atMs: 15_000, calls: 100, delivered: 30 }] as const;
    expect(judged({ blast: 'calls', samples }).verdict).toMatchObject({ faultedCalls: 30, controlCalls: 70 });
  });
});

test('findings and the verdict in a journal change nothing when it is judged again', () => {
  const entries = journalOf({ isSteady: isBroken });
  const first = judge(entries, experimentOf({}));
  expect(judge([...entries, ...first.findings, first.verdict], experimentOf({}))).toEqual(first);
});

test('an undo that a person did later is undone', () => {
  const more = [notUndone, { ...notUndone, atMs: 50_000, state: 'undone', by: 'person' } as const];
  expect(judged({ more }).verdict.verdict).toBe('held');
});
