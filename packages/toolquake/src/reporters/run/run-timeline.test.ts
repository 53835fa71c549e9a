/** The timeline that a run shows while it goes on. */
import { describe, expect, test } from 'vitest';
import { PLAIN } from '../figures.js';
import { hostileRun, runJournal, STORIES } from '../fixtures/run-journals.js';
import { clockText } from './event-lines.js';
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

  test.each([40, 60, 80, 110, 200])('keeps within %i columns where its columns fit', (width) => {
    const timeline = timelineOf(width);
    for (const entry of runJournal(STORIES['undo-failed'])) {
      if (entry.kind === 'experiment') continue;
      for (const line of timeline.entry(entry)) expect(line.length).toBeLessThanOrEqual(Math.max(width, 62));
      expect(timeline.progress(entry.atMs).length).toBeLessThanOrEqual(width);
    }
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
  [3_600_000, '1:00:00.0'],
])('%i ms are %s', (ms, text) => {
  expect(clockText(ms)).toBe(text);
});
