/** The timeline that a run shows while it goes on. */
import { describe, expect, test } from 'vitest';
import { PLAIN } from '../figures.js';
import type { RunEntry } from '../../core/run-entry.js';
import { HEALED, hostileRun, runJournal, STORIES } from '../fixtures/run-journals.js';
import { clockText } from './event-lines.js';
import { createRunDigest } from './run-digest.js';
import { createRunTimeline } from './run-timeline.js';

const timelineOf = (width = 110) => createRunTimeline({ width, colours: PLAIN });

describe('the timeline of a run', () => {
  test('has a line per thing worth knowing, and none per sample', () => {
    const timeline = timelineOf();
    const entries = runJournal(STORIES.aborted);
    const lines = entries.slice(0, -1).flatMap((entry) => timeline.entry(entry));
    expect(entries.length).toBeGreaterThan(3000);
    expect(lines.length).toBeLessThan(40);
    for (const mark of ['met', 'applied', 'in effect', 'probe down', 'alert', 'TRIPPED', 'undone', 'resolved', 'steady'])
      expect(lines.filter((line) => line.includes(`  ${mark} `))).not.toEqual([]);
  });

  test('is aligned: time, phase, mark and text begin where they always begin', () => {
    const timeline = timelineOf();
    const lines = runJournal(STORIES.violated)
      .slice(1, -1)
      .flatMap((entry) => timeline.entry(entry));
    for (const line of lines) expect(line).toMatch(/^ {2}\d\d:\d\d\.\d {2}[a-z ]{13} {2}.{10} {2}\S|^ {38}\S/);
  });

  test.each([40, 50, 60, 71, 72, 80, 110, 120, 200])('keeps within %i columns where its columns fit', (width) => {
    const timeline = timelineOf(width);
    const entries = runJournal(STORIES['undo-failed']).filter((entry, index) => entry.kind !== 'sample' || index % 50 === 0);
    for (const entry of [...entries, ...runJournal(STORIES.violated).slice(-1)]) {
      for (const line of timeline.entry(entry)) expect(line.length).toBeLessThanOrEqual(Math.max(width, 47));
      expect(timeline.progress(entry.atMs).length).toBeLessThanOrEqual(width);
    }
  });

  test('is aligned on narrow terminals and after hours, too', () => {
    const timeline = timelineOf(60);
    const lines = runJournal(STORIES.violated)
      .slice(1, -1)
      .flatMap((entry) => timeline.entry({ ...entry, atMs: entry.atMs + 3_590_000 } as RunEntry));
    expect(lines.some((line) => line.startsWith('  1:00:'))).toBe(true);
    for (const line of lines) expect(line).toMatch(/^ {2}(\d\d:\d\d\.\d|\d:\d\d:\d\d) {2}.{10} {2}\S|^ {23}\S/);
  });

  test('tells the rules that hold from those of recovery, where both are looked at in turn', () => {
    const timeline = timelineOf();
    const lines = runJournal(HEALED)
      .slice(1, -1)
      .flatMap((entry) => timeline.entry(entry));
    const recovery = lines.filter((line) => line.includes('rules of recovery'));
    expect(recovery).toHaveLength(2);
    expect(recovery[0]).toMatch(/not steady {2}rules of recovery: error_rate at most 0.01: 0.38/);
    expect(recovery[1]).toMatch(/ {2}steady {6}rules of recovery: again, after 28 s/);
    expect(lines.length).toBeLessThan(30);
  });

  test('too little to say anything is not told as bad, and what breaks after it is', () => {
    const timeline = timelineOf();
    const texts = (['few', 'few', 'fails', 'silent', 'holds'] as const).flatMap((state, index) => {
      const rule = { signal: 'error_rate', bound: 'at most 0', value: state === 'silent' ? null : 1, samples: 9, state } as const;
      return timeline.entry({ kind: 'steady', atMs: index * 1000, phase: 'before', isSteady: state === 'holds', rules: [rule] });
    });
    expect(texts.map((text) => text.slice(26).trim().replace(/ +/g, ' '))).toEqual([
      'unknown error_rate at most 0: 1, too few samples',
      'not steady error_rate at most 0: 1',
      'unknown error_rate at most 0: no value, silent',
      'steady again, after 4 s',
    ]);
  });

  test('what comes and goes leaves room for what was done', () => {
    const digester = createRunDigest();
    for (let atMs = 0; atMs < 1000; atMs++) {
      const rule = {
        signal: 'error_rate',
        bound: 'at most 0',
        value: atMs % 2,
        samples: 9,
        state: atMs % 2 === 0 ? 'holds' : 'fails',
      } as const;
      digester.add({ kind: 'steady', atMs, phase: 'during', isSteady: atMs % 2 === 0, rules: [rule] });
    }
    digester.add({
      kind: 'trip',
      atMs: 1000,
      rule: { signal: 'restarts', bound: 'at most 2', value: 3, samples: 1, state: 'fails' },
      origin: 'file',
      why: 'too many',
    });
    const { events } = digester.result();
    expect(events.list.at(-1)).toMatchObject({ mark: 'TRIPPED' });
    expect(events.count).toBe(1001);
  });

  test('ends with verdict, why, figures, undo proof, findings with what to do, and what comes next', () => {
    const timeline = timelineOf();
    const all = runJournal(STORIES.violated).map((entry) => timeline.entry(entry));
    const last = all.at(-1)!.join('\n');
    for (const words of [
      'VIOLATED      Calls were answered with nothing',
      'MTTD          n/a         fault on to alert',
      'undo          1 change undone, each verified',
      'P1            missed-alert',
      '→ Answer a failed lookup with an error',
      'next          Mend what the findings name',
    ])
      expect(last).toContain(words);
  });

  test('sums up what was seen since the phase began', () => {
    const timeline = timelineOf(200);
    expect(timeline.progress(0)).toBe('  00:00.0                 nothing seen yet');
    for (const entry of runJournal(STORIES.aborted)) {
      if (entry.atMs > 80_000) break;
      timeline.entry(entry);
    }
    expect(timeline.progress(80_000)).toMatch(
      /^ {2}01:20\.0 {2}during {9}faulted \d+ calls, 100 % failed, p95 2\.\d+ s \| control \d+ calls, \d\.\d+ % failed, p95 \S+ ms \| 4 probes, 3 down$/,
    );
  });

  test('writes nothing that a terminal obeys', () => {
    const timeline = timelineOf();
    for (const entry of hostileRun('\u001b[2J\r\n\u0007'))
      // eslint-disable-next-line no-control-regex -- escape sequences are what this looks for
      for (const line of timeline.entry(entry)) expect(line).not.toMatch(/[\u0000-\u001f]/);
  });
});

test.each([
  [0, '00:00.0'],
  [61_234, '01:01.2'],
  [3_599_999, '59:59.9'],
  [3_661_000, '1:01:01'],
])('%i ms are %s', (ms, text) => {
  expect(clockText(ms)).toBe(text);
});
