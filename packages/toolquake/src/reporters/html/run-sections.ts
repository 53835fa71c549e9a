/** The parts of the page of a run. */
import { escapeXml } from '../escape.js';
import { duration, grouped, percent } from '../figures.js';
import { barPlot } from '../plots/bar-plot.js';
import { latencyPlot } from '../plots/latency-plot.js';
import { LANE_LOOKS, runPlot } from '../plots/run-plot.js';
import { clockText } from '../run/event-lines.js';
import { adviceFor, findingMeaning } from '../run/finding-advice.js';
import type { RunDigest } from '../run/run-digest.js';
import { lanesTable, type RunTable } from '../run/run-rows.js';
import { paragraphOf } from '../run/run-story.js';
import { figureMarkup, lead, sheet, type Section, type TableCell, type TableData } from './markup.js';

/** A table as a part of its own. `codes` are the columns that hold names. */
export function tableSection(
  table: RunTable,
  { about, codes = [] }: { readonly about?: string; readonly codes?: readonly number[] } = {},
): Section {
  const more = table.more ?? 0;
  const body = sheet(tableData(table, codes));
  const rest = more > 0 ? lead(`And ${grouped(more)} more.`) : '';
  return { id: table.id, title: table.title, body: body === '' ? '' : `${about === undefined ? '' : lead(about)}${body}${rest}` };
}

function tableData({ title, head, rows, words, isBad }: RunTable, codes: readonly number[]): TableData {
  return {
    caption: title,
    head,
    rows: rows.map((row, index) =>
      row.map((text, column): TableCell => {
        const isCode = codes.includes(column);
        return column === 0 && isBad?.(index) === true ? { text, class: 'never', isCode } : { text, isCode };
      }),
    ),
    text: words,
  };
}

/** The whole run in one picture. */
export function overTimeSection(digest: RunDigest): Section {
  const { points } = digest;
  if (points.length === 0) return { id: 'over-time', title: 'Over time', body: '' };
  const figure = figureMarkup({
    id: 'run',
    title: 'The run, from its start to its verdict',
    description: paragraphOf(digest),
    isFull: true,
    draw: (width) => runPlot({ width, digest }),
    table: {
      caption: 'The run over time',
      head: [
        'from',
        'to',
        'control calls',
        'failed',
        'p50',
        'p95',
        'faulted calls',
        'failed',
        'p50',
        'p95',
        'probes',
        'down',
        'probe p95',
        'looks',
        'not steady',
      ],
      rows: points.map(({ fromMs, toMs, lanes, probes, down, probeP95Ms, looks, unsteady }) => [
        duration(fromMs),
        duration(toMs),
        ...(['control', 'faulted'] as const).flatMap((lane) => [
          grouped(lanes[lane].calls),
          percent(lanes[lane].failedShare),
          duration(lanes[lane].p50Ms),
          duration(lanes[lane].p95Ms),
        ]),
        grouped(probes),
        grouped(down),
        duration(probeP95Ms),
        grouped(looks),
        grouped(unsteady),
      ]),
    },
  });
  const words = 'Shaded: a fault was there. Faulted calls are drawn through, control calls (which no fault touched) dashed.';
  return { id: 'over-time', title: 'Over time', body: `${lead(words)}<div class="plots">${figure}</div>` };
}

/** Both lanes side by side. */
export function lanesSection(digest: RunDigest): Section {
  const { lanes } = digest;
  const seen = (['faulted', 'control'] as const).filter((lane) => lanes[lane].calls > 0);
  if (seen.length === 0) return { id: 'lanes', title: 'Control against faulted', body: '' };
  const table = tableData(lanesTable(digest), []);
  const bars = seen.flatMap((lane) =>
    Object.entries(lanes[lane].ends).map(([end, count]) => ({
      name: `${lane}: ${end}`,
      tone: LANE_LOOKS[lane].tone,
      estimate: { mean: count / lanes[lane].calls, interval: undefined },
    })),
  );
  const ends = figureMarkup({
    id: 'ends',
    title: 'How calls ended',
    description: `Bars: ${bars.map(({ name, estimate }) => `${name} ${percent(estimate.mean)}`).join(', ')}.`,
    caption: 'Each lane by itself adds up to 100 %.',
    draw: (width) => barPlot({ width, label: percent, bars }),
    table,
  });
  const latency = figureMarkup({
    id: 'lane-latency',
    title: 'How long callers waited',
    description: `Ranges from p50 to p99: ${seen.map((lane) => `${lane} p50 ${duration(lanes[lane].latency.p50)}, p99 ${duration(lanes[lane].latency.p99)}`).join('; ')}.`,
    caption: 'From p50 to p99. Until the answer, or until the caller gave up.',
    draw: (width) =>
      latencyPlot({
        width,
        rows: seen.map((lane) => ({ group: lane, name: '', tone: LANE_LOOKS[lane].tone, latency: lanes[lane].latency })),
      }),
    table: { ...table, caption: 'How long callers waited' },
  });
  return { id: 'lanes', title: 'Control against faulted', body: `<div class="plots">${ends}${latency}</div>` };
}

/** What the system should do better: each with what was seen, what it means and where to begin. */
export function findingsSection({ findings }: RunDigest): Section {
  const items = findings.list.map(({ name, detail }) => {
    const { priority, meaning } = findingMeaning(name);
    const badge = `<span class="badge${priority === 'P1' ? ' first' : ''}">${priority}</span>`;
    return `<div class="sheet"><h3>${badge}<code>${escapeXml(name)}</code></h3><p>${escapeXml(detail)}</p><p class="note">${escapeXml(meaning)}</p><p><strong>To do:</strong> ${escapeXml(adviceFor(name))}</p></div>`;
  });
  const more = findings.count > findings.list.length ? lead(`And ${grouped(findings.count - findings.list.length)} more.`) : '';
  return { id: 'findings', title: 'Findings', body: items.length === 0 ? '' : `<div class="findings">${items.join('')}</div>${more}` };
}

/** What happened, line by line. */
export function eventsSection({ events }: RunDigest): Section {
  const rows = events.list.map(({ atMs, phase, mark, tone, text }): readonly TableCell[] => [
    clockText(atMs),
    phase,
    tone === 'bad' ? { text: mark, class: 'never' } : mark,
    text,
  ]);
  const more = events.count > events.list.length ? lead(`And ${grouped(events.count - events.list.length)} more.`) : '';
  const body = sheet({ caption: 'What happened', head: ['at', 'phase', 'what', ''], rows, text: [1, 2, 3] });
  return { id: 'events', title: 'What happened', body: `${body}${more}` };
}
