import fc from 'fast-check';
import { createSketch, startTally, type JournalEntry, type Tally } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from './fixtures/any-character.js';
import { readEntry } from './digest/read-entry.js';
import { hasNeverFired } from './digest/rule-book.js';
import { isFalling, lagOf, turningPoints } from './digest/sweep.js';
import { call, context, digestOf, end, fault, FORMATS, rules, start } from './fixtures/entries.js';
import { createDigest } from './journal-digest.js';
import { renderReport } from './report.js';

type Summary = Extract<JournalEntry, { kind: 'summary' }>;

describe('rules', () => {
  test('fire as often as the end says, or as was seen when there is no end', () => {
    const ended = digestOf(start({ rules }), fault('a'), end({ a: 1, b: 0 }), start({ rules }), end({ a: 5, b: 0 }));
    expect(ended.rules.map(({ id, fired, runs }) => [id, fired, runs])).toEqual([
      ['a', 6, 2],
      ['b', 0, 2],
    ]);
    const killed = digestOf(start({ rules }), fault('a'), start({ rules }), fault('a'), end({ a: 1, b: 0 }));
    expect(killed.rules[0]?.fired).toBe(2);
    expect(killed.runs).toMatchObject({ count: 2, unfinished: 1 });
  });

  test('that overlap with another run of the same file are counted once', () => {
    const digest = digestOf(start({ rules }), start({ rules }), fault('a'), fault('a'), end({ a: 1, b: 0 }), end({ a: 1, b: 0 }));
    expect(digest.rules[0]?.fired).toBe(2);
    expect(digest.runs.unfinished).toBe(0);
  });

  test('have never fired when they are on and fired in no run', () => {
    const listed = [...rules, { id: 'off', fault: 'freeze', isEnabled: false } as const];
    const digest = digestOf(start({ rules: listed }), end({ a: 0, b: 0, off: 0 }), start({ rules: listed }), end({ a: 1, b: 0, off: 0 }));
    expect(digest.rules.filter(hasNeverFired).map(({ id }) => id)).toEqual(['b']);
  });

  test('say why they were not delivered', () => {
    const [rule] = digestOf(
      start({ rules }),
      fault('a', { state: 'suppressed', by: 'b' }),
      fault('a', { state: 'not-delivered', why: 'too large' }),
    ).rules;
    expect(rule).toMatchObject({ fired: 0, suppressed: 1, notDelivered: 1 });
    expect(rule?.reasons.map(({ text }) => text)).toEqual(['suppressed by b', 'too large']);
  });
});

describe('calls', () => {
  test('are counted by outcome, tool and task; what an agent knows stays unknown', () => {
    const { calls, tools } = digestOf(
      start(),
      call({ task: '1' }),
      call({ task: '1', outcome: 'rpc-error', faults: ['a'] }),
      call({ task: '2', isAltered: true, faults: ['a'] }),
      call({ task: '2', tool: 'u', latencyMs: 1000, faults: ['a'] }),
    );
    expect(calls).toMatchObject({ calls: 4, failed: 1, altered: 1, faulted: 3, unharmed: 1, tasks: 2, hurtTasks: 1 });
    expect(calls.measures).toMatchObject({ availability: 0.75, eta: 0.5, tcafWire: 2, tcaf: undefined, blastRadius: undefined });
    expect(tools.map(({ tool, calls: count, latency }) => [tool, count, latency.max])).toEqual([
      ['t', 3, 10],
      ['u', 1, 1000],
    ]);
  });

  test('of which only some are in the journal measure nothing', () => {
    const { calls } = digestOf(start(), call({ outcome: 'rpc-error', faults: ['a'] }), { kind: 'end', atMs: 9, fired: {}, calls: 50 });
    expect(calls).toMatchObject({ calls: 1, told: 50, measures: { eta: undefined, availability: undefined } });
  });

  test('that were never answered have no latency', () => {
    const [tool] = digestOf(start(), call(), call({ outcome: 'no-answer', latencyMs: 60_000 })).tools;
    expect(tool).toMatchObject({ calls: 2, failed: 1, latency: { count: 1, max: 10 } });
  });

  test('of the same task id in two runs belong to two tasks', () => {
    expect(digestOf(start(), call({ task: '1' }), end(), start(), call({ task: '1' })).calls.tasks).toBe(2);
  });

  test('without task ids have no tasks', () => {
    expect(digestOf(start(), call()).calls).toMatchObject({ tasks: undefined, hurtTasks: undefined });
  });
});

function summary(variant: string, seed: number, failedTasks: number, about: Partial<Summary> = {}): Summary {
  const sketch = createSketch();
  sketch.add(100);
  const tally: Tally = Object.assign(startTally({ knowsExecutions: true }), { wanted: 20, tasks: 10, failedTasks });
  tally.calls.seen = 30;
  const data = sketch.toJSON();
  return {
    kind: 'summary',
    atMs: 1,
    scenario: 'x',
    variant,
    point: { n: 1 },
    seed,
    tally,
    deceivedTasks: 0,
    latency: { t: data },
    taskLatency: data,
    figures: { f: 2 },
    events: 1,
    ...about,
  };
}

describe('simulated systems', () => {
  const run = (...entries: readonly JournalEntry[]): readonly JournalEntry[] => [
    start({ transport: 'simulator', target: 'label' }),
    ...entries,
    end(),
  ];

  test('are compared by variant and point, with the mean over seeds and its interval', () => {
    const digest = digestOf(
      ...[1, 3].flatMap((failed, seed) => run(summary('without', seed, failed))),
      ...run(summary('with', 0, 0, { point: { n: 2 } })),
    );
    const [comparison] = digest.comparisons;
    expect(comparison).toMatchObject({ scenario: 'x', variants: ['without', 'with'], keys: ['n'] });
    const cell = comparison?.cells[0];
    expect(cell).toMatchObject({ runs: 2, blastRadius: { mean: 0.2 }, callsPerOperation: { mean: 1.5 }, figures: { f: { mean: 2 } } });
    // Two seeds, 0.1 and 0.3: Student's interval is wide, and a share stays a share.
    expect(cell?.blastRadius.interval).toEqual({ low: 0, high: 1 });
    expect(comparison?.totals[0]?.blastRadius.interval).toBeUndefined();
  });

  test('have sweeps whose two ways may differ', () => {
    const level = (way: 'up' | 'down', value: number, failedShare: number): JournalEntry => ({
      kind: 'level',
      atMs: 1,
      way,
      what: 'load',
      value,
      failedShare,
      tasks: 10,
    });
    const levels = [
      level('up', 1, 0),
      level('up', 2, 0),
      level('up', 3, 0.5),
      level('down', 3, 0.5),
      level('down', 2, 0.4),
      level('down', 1, 0),
    ];
    const [sweep] = digestOf(...run(...levels), ...run(...levels)).sweeps;
    expect(sweep).toMatchObject({ label: 'label', what: 'load', up: [{ value: 1, runs: 2 }, {}, {}], down: [{ value: 3 }, {}, {}] });
    expect(turningPoints(sweep!)).toEqual({ failsAt: 3, recoversAt: 1 });
  });

  test('may sweep a value that hurts as it falls', () => {
    const level = (way: 'up' | 'down', value: number, failedShare: number): JournalEntry => ({
      kind: 'level',
      atMs: 1,
      way,
      what: 'pool',
      value,
      failedShare,
      tasks: 10,
    });
    const [sweep] = digestOf(
      ...run(level('up', 100, 0), level('up', 50, 0), level('up', 10, 1), level('down', 50, 0.9), level('down', 100, 0)),
    ).sweeps;
    expect(turningPoints(sweep!)).toEqual({ failsAt: 10, recoversAt: 100 });
    expect([isFalling(sweep!), lagOf(sweep!)]).toEqual([true, 2]);
  });

  test('have disturbances that end when the world is put back', () => {
    const change = (atMs: number, isDisturbed: boolean): JournalEntry => ({
      kind: 'change',
      atMs,
      what: 'pool',
      from: 20,
      to: 4,
      isDisturbed,
    });
    const [timeline] = digestOf(...run(change(5, true), change(9, false), change(20, true))).timelines;
    expect(timeline?.disturbances.map(({ sinceMs, untilMs }) => [sinceMs, untilMs])).toEqual([
      [5, 9],
      [20, undefined],
    ]);
  });

  test('are laid over one another by variant and point; live runs are not', () => {
    const calls = [call(), call({ atMs: 50 })];
    expect(digestOf(...run(...calls, summary('v', 1, 0)), ...run(...calls, summary('v', 2, 0))).timelines).toMatchObject([
      { label: 'v', runs: 2 },
    ]);
    expect(digestOf(start(), ...calls, end(), start(), ...calls, end()).timelines).toHaveLength(2);
  });

  test('count sequences once per run', () => {
    const sequence: JournalEntry = { kind: 'sequence', atMs: 7, sequence: 'storm', marks: ['a', 'b'], sinceMs: 3 };
    expect(digestOf(...run(sequence, sequence), ...run(sequence)).sequences).toEqual([
      { label: 'label', sequence: 'storm', marks: ['a', 'b'], runs: 2, firstAtMs: 7 },
    ]);
  });
});

test('data changes keep the first clean and dirty value of a place', () => {
  const changed = (clean: unknown): JournalEntry =>
    fault('a', {
      changes: [
        { path: '/x', clean, dirty: null },
        { path: '/gone', clean: 1 },
      ],
    });
  expect(digestOf(start({ rules }), changed(1), changed(2)).dataChanges).toEqual([
    { rule: 'a', tool: 't', path: '/x', clean: '1', dirty: 'null', count: 2 },
    { rule: 'a', tool: 't', path: '/gone', clean: '1', dirty: 'absent', count: 2 },
  ]);
});

test('any number of names takes a bounded amount of room', () => {
  const digest = createDigest();
  digest.add(start());
  for (let index = 0; index < 5000; index++) {
    digest.add(start({ target: `target-${index}`, seed: index, rules: [{ id: `rule-${index}`, fault: 'hang' }] }));
    digest.add(call({ tool: `tool-${index}`, task: `${index}` }));
    digest.add(fault(`rule-${index}`, { changes: [{ path: `/${index}` }] }));
    digest.add({ kind: 'problem', atMs: 1, message: `problem ${index}` });
  }
  const result = digest.result();
  expect(result.calls.calls).toBe(5000);
  expect(result.tools.length).toBeLessThan(100);
  expect(result.tools.reduce((sum, { calls }) => sum + calls, 0)).toBe(5000);
  expect(renderReport(result, 'html', context).length).toBeLessThan(2_000_000);
});

/** Entries that are well formed and make no sense: any number, any name. */
const name = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom('__proto__', 'constructor', '</script>', '', ' ', '|', '`', '&'),
);
const amount = fc.oneof(fc.double({ min: 0, max: 1e300, noNaN: true }), fc.nat(), fc.constant(0));
const anyEntry: fc.Arbitrary<JournalEntry> = fc.oneof(
  fc
    .record({ id: name, fault: name, seed: fc.integer(), target: name })
    .map(({ id, fault: type, seed, target }) => start({ transport: 'simulator', seed, target, rules: [{ id, fault: type }] })),
  fc
    .record({ atMs: amount, latencyMs: fc.double({ noNaN: true, noDefaultInfinity: true }), tool: name, task: name })
    .map((about) => call(about)),
  fc
    .record({
      atMs: amount,
      rule: name,
      why: name,
      by: name,
      state: fc.constantFrom('delivered' as const, 'suppressed' as const, 'not-delivered' as const),
    })
    .map(({ rule, ...about }) => fault(rule, { ...about, changes: [{ path: rule, clean: rule }] })),
  fc.record({ atMs: amount, mark: name, where: name }).map((about): JournalEntry => ({ kind: 'mark', ...about })),
  fc
    .record({ atMs: amount, sinceMs: amount, sequence: name })
    .map((about): JournalEntry => ({ kind: 'sequence', marks: [about.sequence], ...about })),
  fc
    .record({ atMs: amount, what: name, from: name, to: amount, isDisturbed: fc.boolean() })
    .map((about): JournalEntry => ({ kind: 'change', ...about })),
  fc
    .record({
      atMs: amount,
      lastsMs: amount,
      tasks: amount,
      failedTasks: amount,
      calls: amount,
      retries: amount,
      failedCalls: amount,
      refused: amount,
      inFlight: amount,
      p50Ms: amount,
      p99Ms: amount,
    })
    .map((about): JournalEntry => ({ kind: 'window', ...about })),
  fc
    .record({
      atMs: amount,
      way: fc.constantFrom('up' as const, 'down' as const),
      what: name,
      value: fc.double({ noNaN: true, noDefaultInfinity: true }),
      failedShare: amount,
      tasks: amount,
    })
    .map((about): JournalEntry => ({ kind: 'level', ...about })),
  fc
    .record({ variant: name, scenario: name, key: name, value: fc.oneof(amount, name), failed: fc.nat(10), onPaper: amount })
    .map(({ variant, scenario, key, value, failed, onPaper }): JournalEntry =>
      summary(variant, 1, failed, {
        scenario,
        point: { [key]: value },
        figures: { [key]: 1 },
        onPaper,
        latency: { [key]: createSketch().toJSON() },
      }),
    ),
  fc
    .record({
      atMs: amount,
      what: fc.constantFrom('inject' as const, 'clear' as const, 'expire' as const, 'reload' as const, 'kill' as const),
      by: fc.constantFrom('admin' as const, 'time' as const),
      added: fc.array(
        name.map((id) => ({ id, fault: id })),
        { maxLength: 3 },
      ),
      removed: fc.array(name, { maxLength: 3 }),
      lastsMs: amount,
    })
    .map((about): JournalEntry => ({ kind: 'control', ...about })),
  fc
    .record({ atMs: amount, task: name, state: fc.constantFrom('started' as const, 'ended' as const) })
    .map((about): JournalEntry => ({ kind: 'boundary', ...about })),
  fc
    .record({ rule: name, count: amount, atMs: amount })
    .map(({ rule, count, atMs }): JournalEntry => ({ kind: 'end', atMs, fired: { [rule]: count }, calls: count })),
);

test('any entries in any order can be digested and rendered, and their text stays inert', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 40 }), (entries) => {
      const digest = createDigest();
      digest.add(start());
      for (const entry of entries) {
        // Whatever the digest is fed here, a file could hold.
        const reading = readEntry(JSON.stringify(entry));
        if (reading.is === 'entry') digest.add(reading.entry);
      }
      const result = digest.result();
      for (const format of FORMATS) {
        const text = renderReport(result, format, context);
        expect(text).not.toMatch(/\p{Cs}/u);
        if (format === 'html') {
          // Searched without what stands before it: that would be tried at every place of a long page.
          const at = text.search(/<(script|img|iframe|link|object)|NaN|Infinity|undefined/);
          expect(at === -1 ? undefined : text.slice(Math.max(0, at - 60), at + 40)).toBeUndefined();
        }
        if (format === 'junit') expectBalanced(text);
        if (format === 'json') expect((JSON.parse(text) as { version: number }).version).toBe(1);
      }
    }),
    { numRuns: 100 },
  );
}, 30_000);

/** Every element is closed, in order; attributes and text hold no markup of their own. */
function expectBalanced(xml: string): void {
  const open: string[] = [];
  const rest = xml
    .replace(/<\?xml[^>]*\?>/, '')
    .replace(/<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g, (_, closes: string, tag: string, __: string, isEmpty: string) => {
      if (closes === '/') expect(open.pop()).toBe(tag);
      else if (isEmpty === '') open.push(tag);
      return '';
    });
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]/);
}
