/** The plot of a run: what is a line, what is a gap, and where names go. */
import { expect, test } from 'vitest';
import type { RunEntry } from '../../core/run-entry.js';
import { runJournal, STORIES } from '../fixtures/run-journals.js';
import { createRunDigest, type RunDigest } from '../run/run-digest.js';
import { runPlot } from './run-plot.js';

function digestOf(entries: readonly RunEntry[]): RunDigest {
  const digester = createRunDigest();
  for (const entry of entries) digester.add(entry);
  return digester.result();
}

const probe = (atMs: number): RunEntry => ({
  kind: 'sample',
  atMs,
  sample: { source: 'probe', atMs, isUp: true, reason: null, step: null, totalMs: 20 + (atMs % 7) },
});
const piecesOf = (entries: readonly RunEntry[]): { readonly lines: number; readonly dots: number } => {
  const { markup } = runPlot({ width: 1000, digest: digestOf(entries) });
  return { lines: markup.split('<path').length - 1, dots: markup.split('<circle').length - 1 };
};

test('what is seen once a minute, or a few times in a short run, is one line', () => {
  const minutes = Array.from({ length: 17 }, (_, index) => probe(index * 60_000 + (index % 3) * 900));
  expect(piecesOf(minutes)).toEqual({ lines: 1, dots: 0 });
  expect(piecesOf([100, 400, 700, 1000, 1300].map(probe))).toEqual({ lines: 1, dots: 0 });
});

test('where nothing was seen for long there is no line', () => {
  const seconds = Array.from({ length: 60 }, (_, index) => probe(index * 1000 + (index < 30 ? 0 : 20_000)));
  expect(piecesOf(seconds)).toEqual({ lines: 2, dots: 0 });
});

test('a long name at a moment is cut where the picture ends, on phones too', () => {
  const [header, ...rest] = runJournal(STORIES.held);
  const actions = [{ id: 'cut', action: 'x'.repeat(150), blast: 'server', about: '' }];
  const digest = digestOf([{ ...header, actions } as RunEntry, ...rest]);
  for (const width of [320, 440, 1000]) {
    const [, x = '', anchor = '', text = ''] =
      /<text x="([\d.]+)"[^>]*text-anchor="(start|end)"[^>]*>(fault on: [^<]*)</.exec(runPlot({ width, digest }).markup) ?? [];
    expect(text).toMatch(/^fault on: x+…$/);
    const room = anchor === 'start' ? width - Number(x) : Number(x);
    expect(text.length * 12 * 0.56).toBeLessThanOrEqual(room);
  }
});
