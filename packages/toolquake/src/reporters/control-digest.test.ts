/** What was done to runs while they went on: rules that came and went, and tasks that somebody began and ended. */
import type { JournalEntry } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { hasNeverFired, stateOf } from './digest/rule-book.js';
import { call, context, digestOf, end, fault, FORMATS, rules, start } from './fixtures/entries.js';
import type { Digest } from './journal-digest.js';
import { renderReport } from './report.js';

const control = (about: Partial<Extract<JournalEntry, { kind: 'control' }>>): JournalEntry => ({
  kind: 'control',
  atMs: 5,
  what: 'inject',
  by: 'admin',
  ...about,
});

describe('rules that changed while a run went on', () => {
  const late = { added: [{ id: 'late', fault: 'hang' }], lastsMs: 60_000 };
  const states = (digest: Digest): Record<string, string> => Object.fromEntries(digest.rules.map((rule) => [rule.id, stateOf(rule)]));

  test('are judged like those of the plan when they were injected, whether they expired or were taken back', () => {
    for (const what of ['expire', 'clear', 'clear-all'] as const) {
      const gone = control({ what, removed: ['late'] });
      const digest = digestOf(start({ rules }), fault('a'), control(late), gone, end({ a: 1, b: 1 }));
      expect(states(digest)).toEqual({ a: 'fired', b: 'fired', late: 'never' });
      expect(digest.rules.at(-1)).toMatchObject({ origin: 'injected', runs: 1 });
    }
    const fired = digestOf(start({ rules }), control(late), fault('late'), end({ a: 1, b: 1, late: 1 }));
    expect(states(fired)).toMatchObject({ late: 'fired' });
  });

  test('are removed when a new plan took them away in every run that had them, before they fired', () => {
    const reload = control({ what: 'reload', added: [{ id: 'c', fault: 'hang' }], removed: ['a', 'b'] });
    const once = [start({ rules }), fault('a'), reload, end({ a: 1, b: 0, c: 0 })];
    expect(states(digestOf(...once))).toEqual({ a: 'fired', b: 'removed', c: 'never' });
    expect(
      digestOf(...once)
        .rules.filter(hasNeverFired)
        .map(({ id }) => id),
    ).toEqual(['c']);
    expect(states(digestOf(...once, start({ rules }), end({ a: 0, b: 0 })))).toMatchObject({ b: 'never' });
    const back = control({ what: 'reload', added: [{ id: 'b', fault: 'latency' }], removed: ['c'] });
    expect(states(digestOf(...once.slice(0, 3), back, end()))).toMatchObject({ b: 'never', c: 'removed' });
  });

  test('are told in every format, and on the timeline', () => {
    const digest = digestOf(
      start({ rules }),
      call(),
      control(late),
      control({ what: 'kill' }),
      control({ what: 'reload', removed: ['b'] }),
      end(),
    );
    for (const format of FORMATS) expect(renderReport(digest, format, context)).toContain('late');
    expect(renderReport(digest, 'console', context)).toMatch(/Control while it ran[^]*inject +admin +late[^]*reload +admin +-b/);
    expect(renderReport(digest, 'console', context)).toMatch(/b +latency +removed/);
    expect(renderReport(digest, 'junit', context)).toContain('a new plan took it away before it fired');
    expect(renderReport(digest, 'html', context)).toContain('inject late');
    expect(JSON.parse(renderReport(digest, 'json', context))).toMatchObject({
      control: {
        count: 3,
        list: [{ what: 'inject', by: 'admin', added: ['late'], lastsMs: 60_000 }, { what: 'kill' }, { what: 'reload' }],
      },
      rules: [{ id: 'a' }, { id: 'b', state: 'removed' }, { id: 'late', origin: 'injected', state: 'never' }],
    });
  });

  test('take a bounded amount of memory, however many there are', () => {
    const many = Array.from({ length: 3000 }, (_, index) => control({ added: [{ id: `r${index}`, fault: 'hang' }] }));
    const digest = digestOf(start(), ...many, end());
    expect(digest.control).toMatchObject({ count: 3000 });
    expect(digest.control.list.length).toBeLessThanOrEqual(200);
    expect(digest.rules.length).toBeLessThanOrEqual(501);
  });
});

describe('boundaries', () => {
  const mark = (task: string, state: 'started' | 'ended', atMs: number, outcome?: 'ok' | 'failed'): JournalEntry => ({
    kind: 'boundary',
    atMs,
    task,
    state,
    ...(outcome === undefined ? {} : { outcome }),
  });
  const at = (atMs: number): JournalEntry => call({ atMs, latencyMs: 1, operation: 'o' });

  test('make tasks of the calls in between; the same name again is the same task, and what is still open has no end', () => {
    const digest = digestOf(
      start({ transport: 'http' }),
      at(5),
      mark('a', 'started', 10),
      at(15),
      mark('a', 'ended', 20, 'failed'),
      mark('b', 'started', 20),
      at(25),
      mark('b', 'ended', 30),
      mark('a', 'started', 30),
      at(35),
      mark('a', 'ended', 40, 'ok'),
      mark('c', 'started', 50),
      at(55),
      end(),
    );
    const told = digest.tasks?.list.map(({ name, method, calls, exit, lastsMs }) => [name, method, calls, exit?.outcome, lastsMs]);
    expect(told).toEqual([
      ['a', 'admin', 2, 'ok', 30],
      ['b', 'admin', 1, undefined, 10],
      ['c', 'admin', 1, undefined, 5],
    ]);
    expect(digest.tasks).toMatchObject({ unassigned: 1, methods: [{ method: 'admin', confidence: 'high', tasks: 3 }] });
    expect(renderReport(digest, 'console', context)).toMatch(/task started +admin +a/);
  });

  test('that somebody says failed count for the blast radius', () => {
    const run = (outcome: 'ok' | 'failed'): Digest =>
      digestOf(start({ transport: 'http' }), mark('a', 'started', 0), at(5), mark('a', 'ended', 9, outcome), end());
    expect([run('ok'), run('failed')].map(({ tasks }) => tasks?.overall.measures.blastRadius)).toEqual([0, 1]);
  });

  test('without a start, and ends without a beginning, are passed over', () => {
    expect(digestOf(start(), mark('a', 'ended', 1), end()).tasks?.count ?? 0).toBe(0);
  });
});
