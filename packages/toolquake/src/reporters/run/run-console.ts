/** A run that is over, at a terminal. */
import type { ConsoleContext } from '../console.js';
import { duration, percent, table, type Cell, type Paint } from '../figures.js';
import { printable } from '../escape.js';
import { sparkline } from '../sparks.js';
import { closingLines } from './closing.js';
import { eventLines } from './event-lines.js';
import type { RunDigest } from './run-digest.js';
import { headLines } from './run-timeline.js';
import { lanesTable, seenTable, steadyTable, type RunTable } from './run-rows.js';

/** As wide as most terminals are made; text files have no width of their own. */
const WIDTH = 110;

/** The report as text. */
export function renderRunConsole(digest: RunDigest, { paint }: Pick<ConsoleContext, 'paint'>): string {
  const { about, events } = digest;
  const head =
    about === undefined
      ? [`${paint.bold('toolquake run')}  its first entry is missing`, '']
      : headLines({ kind: 'experiment', ...about }, paint, WIDTH);
  const lines = events.list.flatMap((event) => eventLines(event, paint, WIDTH));
  const more = events.count > events.list.length ? [`  and ${events.count - events.list.length} more`] : [];
  return `${[...head, ...lines, ...more, '', ...closingLines(digest, paint, WIDTH), ''].join('\n')}${[overTime(digest, paint), ...[lanesTable(digest), seenTable(digest), steadyTable(digest)].map((one) => tableText(one, paint))].join('')}`;
}

function tableText({ title, head, rows, words, isBad }: RunTable, paint: Paint): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row, index) =>
    row.map((cell, column): Cell =>
      column === 0 && isBad?.(index) === true ? { text: printable(cell), paint: paint.red } : printable(cell),
    ),
  );
  const heads = head.map((text): Cell => ({ text, paint: paint.dim }));
  return `\n${paint.bold(title)}\n${table([heads, ...cells], { indent: 2, left: words })}`;
}

/** Failures and latency as little columns, one line for each lane. */
function overTime({ points, lanes, lastMs }: RunDigest, paint: Paint): string {
  const seen = (['faulted', 'control'] as const).filter((lane) => lanes[lane].calls > 0);
  const slowest = points.reduce((most, point) => Math.max(most, point.lanes.control.p95Ms ?? 0, point.lanes.faulted.p95Ms ?? 0), 0);
  const rows = seen.flatMap((lane): Cell[][] => {
    const own = points.map((point) => point.lanes[lane]);
    const worst = own.reduce((most, { failedShare }) => Math.max(most, failedShare ?? 0), 0);
    const slow = own.reduce((most, { p95Ms }) => Math.max(most, p95Ms ?? 0), 0);
    return [
      [
        lane,
        'failed',
        sparkline(
          own.map(({ failedShare }) => failedShare),
          1,
        ),
        `up to ${percent(worst)}`,
      ],
      [
        '',
        'p95',
        sparkline(
          own.map(({ p95Ms }) => p95Ms),
          slowest,
        ),
        `up to ${duration(slow)}`,
      ],
    ];
  });
  return rows.length === 0 ? '' : `\n${paint.bold(`Over ${duration(lastMs)}`)}\n${table(rows, { indent: 2, left: [1, 2, 3] })}`;
}
