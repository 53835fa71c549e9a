/** A smoke test for people in a terminal: the cells of an aligned table, and the lines around it. */
import type { Paint } from '../../../reporters/figures.js';
import type { SmokeReport, SmokeState } from '../smoke-report.js';
import { shortTime, STATE_WORDS, verdictText, waitText } from './words.js';

/** Lines before the table, its rows, and the line after it. Who lays out tables knows how wide they may be. */
export type SmokeLines = { readonly before: readonly string[]; readonly rows: readonly (readonly string[])[]; readonly after: string };

/** One row per step, and rows below it for what it looks like and what to do. */
export function smokeLines(report: SmokeReport, paint: Paint): SmokeLines {
  const wait = waitText(report.ready);
  const rows = report.steps.flatMap(({ state, step, durationMs, detail, reason, clue, act }) => {
    const time = state === 'skipped' ? '' : shortTime(durationMs);
    const more = [clue === null ? [] : [`looks like ${clue}`], act === null ? [] : [`=> ${act}`]].flat();
    return [
      [mark(state, paint), step, time, reason === null ? detail : `${paint.bold(reason)}: ${detail}`],
      ...more.map((text) => ['', '', '', text]),
    ];
  });
  const says = verdictText(report);
  return {
    before: wait === '' ? [] : [paint.dim(wait)],
    rows,
    after: report.verdict === 'passed' ? paint.green(says) : paint.red(says),
  };
}

function mark(state: SmokeState, paint: Paint): string {
  const word = STATE_WORDS[state];
  if (state === 'passed') return paint.green(word);
  return state === 'skipped' ? paint.dim(word) : paint.red(word);
}
