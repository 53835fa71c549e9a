/** Reports of experiments: figures from the journal, one claim in every format, and no journal that breaks one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEntry } from '../core/run-entry.js';
import { PLAIN } from './figures.js';
import { anyCharacter } from './fixtures/any-character.js';
import { FORMATS } from './fixtures/entries.js';
import { HEALED, hostileRun, runJournal, STORIES } from './fixtures/run-journals.js';
import { createRunDigest, type RunDigest } from './run/run-digest.js';
import { checkRunEntry, readRunEntry } from './run/read-run-entry.js';
import { renderRun } from './run-report.js';

const context = { subject: 'run', paint: PLAIN };

function digestOf(entries: readonly RunEntry[]): RunDigest {
  const digester = createRunDigest();
  for (const entry of entries) digester.add(entry);
  return digester.result();
}

const names = Object.keys(STORIES) as readonly (keyof typeof STORIES)[];

/** As it is read back from disk. */
const reread = (entries: readonly RunEntry[]): readonly RunEntry[] =>
  entries.flatMap((entry) => {
    const reading = readRunEntry(JSON.stringify(entry));
    return reading.is === 'entry' ? [reading.entry] : [];
  });

describe.each(names)('a run that ended %s', (name) => {
  const entries = runJournal(STORIES[name]);
  const digest = digestOf(entries);

  test('is read back entry by entry', () => {
    expect(reread(entries)).toEqual(entries);
  });

  test('has the figures of its verdict, counted anew', () => {
    const { verdict, figures } = digest;
    expect(digest.disagreements).toEqual([]);
    expect(figures).toEqual({
      mttdMs: verdict?.mttdMs,
      mttrMs: verdict?.mttrMs,
      recoveryMs: verdict?.recoveryMs,
      faultedCalls: verdict?.faultedCalls,
      controlCalls: verdict?.controlCalls,
    });
  });

  test.each(FORMATS)('tells verdict, reason and undo proof as %s', (format) => {
    const text = renderRun(digest, format, context).replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
    const flat = text.replace(/\s+/g, ' ');
    expect(flat).toContain(STORIES[name].why.replace(/\s+/g, ' '));
    expect(flat).toContain(STORIES[name].undo.proof);
    for (const { name: finding } of STORIES[name].findings) expect(flat).toContain(finding);
  });
});

describe('figures', () => {
  const entries = runJournal(STORIES.held);
  const verdict = entries.findLast((entry) => entry.kind === 'verdict')!;
  const told = (changes: Partial<typeof verdict>): RunDigest => digestOf([...entries.slice(0, -1), { ...verdict, ...changes } as RunEntry]);

  test.each([
    ['MTTD', { mttdMs: 3000 }],
    ['MTTR', { mttrMs: 1000 }],
    ['recovery', { recoveryMs: null }],
    ['faulted calls', { faultedCalls: 5000 }],
    ['control calls', { controlCalls: 0 }],
  ])('says so when the verdict tells another %s than the journal shows', (what, changes) => {
    const digest = told(changes);
    expect(digest.disagreements.map((one) => one.what)).toEqual([what]);
    for (const format of FORMATS.filter((one) => one !== 'json'))
      expect(renderRun(digest, format, context)).toMatch(/the journal shows|does not follow from the journal/);
  });

  test('a verdict that hides an undo that failed, a trip, or a fault that never was, is contradicted', () => {
    const undo = {
      kind: 'undo',
      atMs: 125_000,
      id: 'cut',
      name: 'chain',
      state: 'not-undone',
      proof: 'still there',
      tookMs: 1,
      by: 'runner',
    } as const;
    expect(digestOf([...entries, undo]).disagreements).toContainEqual({
      what: 'verdict',
      told: 'held',
      found: 'undo-failed: chain is not proved to be undone',
    });
    expect(digestOf([...entries, { kind: 'stop', atMs: 90_000, why: 'halt', isAsked: true }]).disagreements[0]?.found).toMatch(/^aborted/);
    const without = entries.filter((entry) => entry.kind !== 'action');
    expect(digestOf(without).disagreements.find((one) => one.what === 'verdict')?.found).toMatch(/^not-injected/);
    const finding = { kind: 'finding', atMs: 180_000, name: 'hang', detail: 'no answer' } as const;
    expect(digestOf([...entries, finding]).disagreements).toEqual([
      { what: 'verdict', told: 'held', found: 'violated: "hang" contradicts what must stay true' },
    ]);
    expect(digestOf([...entries, { ...finding, name: 'false-positive' }]).disagreements).toEqual([]);
  });

  test.each(FORMATS.filter((format) => format !== 'json'))('a contradiction reads as one sentence as %s', (format) => {
    const text = renderRun(told({ verdict: 'violated' }), format, context)
      .replace(/&quot;/g, '"')
      .replace(/\s+/g, ' ');
    expect(text).toContain('The verdict is told as violated; the journal shows held or inconclusive: nothing went wrong.');
  });

  test('the expected alert is the first one since the fault, whatever the verdict says', () => {
    const later = { kind: 'alert', atMs: 90_000, state: 'firing', reason: 'slow', rule: 'p95' } as const;
    const digest = digestOf([...entries.slice(0, -1), later, { ...verdict, mttdMs: 29_000 } as RunEntry]);
    expect(digest.disagreements).toEqual([{ what: 'MTTD', told: '29 s', found: '10.9 s' }]);
  });

  test('an undo that failed at first and worked at last is undone', () => {
    const failed = digestOf(runJournal(STORIES['undo-failed']));
    expect(failed.moments.faultOffMs).toBeUndefined();
    const undo = {
      kind: 'undo',
      atMs: 190_000,
      id: 'cut',
      name: 'block-dependency of cut',
      state: 'undone',
      proof: 'gone',
      tookMs: 1,
      by: 'person',
    } as const;
    const mended = digestOf([...runJournal(STORIES['undo-failed']), undo]);
    expect(renderRun(mended, 'console', context)).toContain('1 change undone, each verified');
  });

  test('a second undo of the same change hides no first one', () => {
    const more = { kind: 'undo', atMs: 190_000, id: 'cut', name: 'another', state: 'undone', proof: '', tookMs: 1, by: 'person' } as const;
    expect(renderRun(digestOf([...runJournal(STORIES['undo-failed']), more]), 'console', context)).toContain(
      '1 change not proved to be undone',
    );
  });
});

test('a system that heals itself has an MTTR, from the fault to the window in which all held again', () => {
  const digest = digestOf(runJournal(HEALED));
  expect(digest.disagreements).toEqual([]);
  expect(digest.figures).toMatchObject({ mttdMs: 10_900, mttrMs: 24_000, recoveryMs: 0 });
  expect(renderRun(digest, 'html', context)).toContain('MTTR 24 s');
});

describe('a run that injected nothing on purpose', () => {
  const header = runJournal(STORIES.held)[0]!;
  const judged = (why: string, entries: readonly RunEntry[], isDryRun = false): RunDigest =>
    digestOf([
      { ...header, isDryRun } as RunEntry,
      ...entries,
      {
        kind: 'verdict',
        atMs: 9000,
        verdict: 'inconclusive',
        why,
        faultedCalls: 0,
        controlCalls: 0,
        mttdMs: null,
        mttrMs: null,
        recoveryMs: null,
        isStopped: false,
      },
    ]);
  const phase = (name: 'preconditions' | 'before'): RunEntry => ({ kind: 'phase', atMs: 100, phase: name });
  const unmet = { kind: 'precondition', atMs: 200, name: 'uptime', isMet: false, detail: 'up for 42 s' } as const;

  test.each([
    ['"uptime" was not met', 'Nothing was injected, as "uptime" was not met: see to that', [phase('preconditions'), unmet], false],
    ['the target was not steady before', 'Find out why, or whether a rule', [phase('preconditions'), phase('before')], false],
    ['this was a dry run', 'Run it without "--dry-run"', [phase('preconditions'), phase('before')], true],
    ['"uptime" was not met', 'Nothing was injected, as "uptime" was not met: see to that', [unmet], true],
  ] as const)('says so and what to do: %s', (why, next, entries, isDryRun) => {
    const digest = judged(why, entries, isDryRun);
    expect(digest.disagreements).toEqual([]);
    const text = renderRun(digest, 'console', context).replace(/\s+/g, ' ');
    expect(text).toContain(`not injected cut: it was never begun, as ${why}`);
    expect(text).toContain(next);
    expect(text).not.toContain('Let it run longer');
    const page = renderRun(digest, 'html', context);
    expect(page).toContain('there was nothing to undo');
    // What kept it from beginning stands before what was not done.
    if (digest.preconditions.count > 0) expect(page.indexOf('id="preconditions"')).toBeLessThan(page.indexOf('id="actions"'));
  });
});

test('a rule that was silent all the time is no passed case', () => {
  const silent = runJournal(STORIES.held).map((entry): RunEntry =>
    entry.kind === 'steady' && entry.phase === 'during'
      ? { ...entry, isSteady: false, rules: entry.rules.map((rule) => ({ ...rule, value: null, samples: 0, state: 'silent' })) }
      : entry,
  );
  const text = renderRun(digestOf(silent), 'junit', context);
  expect(text).toContain('held in 0 of 62 looks, failed in 0: n/a at last');
  expect(digestOf(silent).disagreements[0]?.found).toContain('never held during the fault');
});

test('an undo that failed is never among those that are left out', () => {
  const undo = { kind: 'undo', atMs: 130_000, id: 'cut', state: 'undone', proof: '', tookMs: 1, by: 'runner' } as const;
  const many = Array.from({ length: 300 }, (_, index): RunEntry => ({ ...undo, name: `change ${index}` }));
  const digest = digestOf([...runJournal(STORIES.held), ...many, { ...undo, name: 'last', state: 'not-undone' }]);
  expect(renderRun(digest, 'console', context)).toContain('1 change not proved to be undone: last.');
});

test('a torn journal is unfinished, and says where to look for leftovers', () => {
  const entries = runJournal(STORIES.held);
  const digester = createRunDigest();
  const cut = entries.findIndex((entry) => entry.kind === 'phase' && entry.phase === 'undo');
  for (const entry of entries.slice(0, cut)) digester.add(entry);
  digester.tear();
  const text = renderRun(digester.result(), 'console', context);
  expect(text).toContain('UNFINISHED');
  expect(text).toContain('toolquake leftovers');
  expect(text).toContain('The journal ends before anything was undone.');
});

test('rules that hit nothing were not at work, and the next step is to see why', () => {
  const entries = runJournal(STORIES.aborted).filter(({ kind }) => kind !== 'trip');
  const unseen = entries.map((entry): RunEntry =>
    entry.kind === 'action' && entry.state === 'in-effect'
      ? { ...entry, state: 'not-in-effect', detail: '0 calls were hit' }
      : entry.kind === 'sample' && entry.sample.source === 'call'
        ? { ...entry, sample: { ...entry.sample, lane: 'control' } }
        : entry.kind === 'sample' && entry.sample.source === 'faults'
          ? { ...entry, sample: { ...entry.sample, delivered: 0 } }
          : entry.kind === 'verdict'
            ? { ...entry, verdict: 'not-injected', faultedCalls: 0 }
            : entry,
  );
  const text = renderRun(digestOf(unseen), 'markdown', context);
  expect(text).toContain('The fault was there from 1 min 1 s to 1 min 33 s, and nobody saw its effect.');
  expect(text).toContain('See whether calls match the rules of "shrink", and pass the place where these are.');
});

test('a run that was killed before its faults is not told to have been unsteady', () => {
  const entries = runJournal(STORIES.held);
  const killed = digestOf(
    entries.slice(
      0,
      entries.findIndex((entry) => entry.kind === 'build'),
    ),
  );
  expect(renderRun(killed, 'console', context)).toMatch(/not injected {2}cut: it was never begun\n/);
});

test('a run that was killed while a fault was made has not proved that nothing is left', () => {
  const entries = runJournal(STORIES.held);
  const killed = digestOf(entries.slice(0, entries.findIndex((entry) => entry.kind === 'action') + 1));
  const text = renderRun(killed, 'console', context);
  expect(text).toContain('The journal ends before anything was undone.');
  expect(text).not.toContain('Nothing was changed');
  expect(renderRun(killed, 'html', context)).toContain('Not put back:');
  expect(renderRun(killed, 'markdown', context)).toContain('A fault began to be made, and nothing says that it was at work.');
});

describe('hostile journals', () => {
  const HOSTILE = '</script><img src=x onerror=alert(1)> \u001b[31m\r\n| `x` | [a](http://x) ]]> "\'&';

  test.each(FORMATS)('nothing that a journal says is markup, an escape or a new line in %s', (format) => {
    const text = renderRun(digestOf(hostileRun(HOSTILE)), format, context);
    expect(text).not.toContain('\u001b');
    if (format === 'html' || format === 'junit' || format === 'markdown') expect(text).not.toContain('<img');
    if (format === 'markdown') expect(text).not.toContain('](http');
    if (format === 'json') expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  test('very long texts are cut, and many entries need no more room than a few', () => {
    const long = digestOf(hostileRun('x'.repeat(1_000_000)));
    for (const format of FORMATS) expect(renderRun(long, format, context).length).toBeLessThan(400_000);
    const digester = createRunDigest();
    for (let index = 0; index < 20_000; index++) {
      digester.add({ kind: 'note', atMs: index, text: `note ${index}` });
      digester.add({ kind: 'sample', atMs: index * 1000, sample: { source: 'reading', atMs: index, name: `n${index}`, value: index } });
      digester.add({ kind: 'action', atMs: index, id: `a${index}`, action: 'x', state: 'applied' });
    }
    expect(renderRun(digester.result(), 'json', context).length).toBeLessThan(200_000);
  });

  test('any order, any part and any repetition of entries gives a report', () => {
    const all = names.flatMap((name) => runJournal(STORIES[name]).filter((entry, index) => entry.kind !== 'sample' || index % 97 === 0));
    fc.assert(
      fc.property(fc.array(fc.nat({ max: all.length - 1 }), { maxLength: 60 }), (picks) => {
        const digest = digestOf(picks.map((pick) => all[pick]!));
        for (const format of FORMATS) expect(renderRun(digest, format, context)).not.toMatch(/\bNaN\b|undefined|\bInfinity\b/);
      }),
      { numRuns: 60 },
    );
  });

  test('any line is read as an entry or refused, never thrown at', () => {
    const all = runJournal(STORIES.violated).filter((entry) => entry.kind !== 'sample');
    const wild = fc.oneof(fc.anything(), fc.double(), fc.string({ unit: anyCharacter }), fc.constantFrom(-1, 1e300, null, []));
    fc.assert(
      fc.property(fc.nat({ max: all.length - 1 }), fc.string(), wild, fc.string({ unit: anyCharacter }), (pick, key, value, line) => {
        expect(readRunEntry(line).is).not.toBe('entry');
        const entry = { ...all[pick]! } as Record<string, unknown>;
        const keys = Object.keys(entry).filter((one) => one !== 'kind');
        entry[keys[key.length % keys.length]!] = value;
        const reading = checkRunEntry(entry);
        if (reading.is !== 'entry') return;
        const digest = digestOf([reading.entry]);
        for (const format of FORMATS) renderRun(digest, format, context);
      }),
      { numRuns: 200 },
    );
  });
});
