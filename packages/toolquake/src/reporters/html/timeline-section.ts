/** Runs over time. */
import { pointText } from '../digest/comparison.js';
import { duration, figure, many, percent } from '../figures.js';
import type { Digest, TimelineRecord } from '../journal-digest.js';
import { timelinePlot } from '../plots/timeline-plot.js';
import { shownTimelines } from '../shown-timelines.js';
import { figureMarkup, lead, type PlotFigure, type Section } from './markup.js';

/** One figure per timeline worth showing. */
export function timelineSection(digest: Digest): Section {
  const shown = shownTimelines(digest);
  const total = digest.timelines.length + digest.moreTimelines;
  const point = pointText(shown[0]?.point ?? {});
  const left =
    total > shown.length ? ` ${shown.length} of ${total} timelines are shown${point === '' ? '' : `: ${point}, which went worst`}.` : '';
  const about = 'Shaded: the world was changed from outside. Labels: what happened, when.';
  const hasHappenings = shown.some(({ disturbances, moments }) => disturbances.length + moments.length > 0);
  const words = `${hasHappenings ? about : 'Latency and failures as the calls were answered.'}${left}`;
  const figures = shown.map((timeline, index) => figureMarkup(timelineFigure(timeline, shown, `timeline-${index + 1}`)));
  return {
    id: 'timelines',
    title: 'Over time',
    body: figures.length === 0 ? '' : `${lead(words)}<div class="plots">${figures.join('')}</div>`,
  };
}

function timelineFigure(timeline: TimelineRecord, peers: readonly TimelineRecord[], id: string): PlotFigure {
  const { label, points, runs, seed, moments, disturbances, lastMs } = timeline;
  const worst = points.reduce((most, { failedShare }) => Math.max(most, failedShare ?? 0), 0);
  const events = [
    ...disturbances.map(
      ({ what, from, to, sinceMs, untilMs }) =>
        `${what} from ${from} to ${to} at ${duration(sinceMs)}${untilMs === undefined ? '' : `, until ${duration(untilMs)}`}`,
    ),
    ...moments.map(({ label: name, atMs }) => `${name} at ${duration(atMs)}`),
  ];
  const caption = runs === 1 ? `Seed ${seed}, ${duration(lastMs)}.` : `${many(runs, 'run')}; labels are of seed ${seed}.`;
  return {
    id,
    title: label,
    description: `Over ${duration(lastMs)}: at most ${percent(worst)} failed at a time. ${events.length === 0 ? '' : `${events.join('; ')}.`}`,
    caption,
    isFull: true,
    draw: (width) => timelinePlot({ width, timeline, peers }),
    table: {
      caption: `${label}, over time`,
      head: ['from', 'to', 'calls per second', 'failed', 'p50', 'p99', 'retried per second', 'refused per second', 'faults'],
      rows: points.map((point) => [
        duration(point.fromMs),
        duration(point.toMs),
        figure(point.callsPerSecond, 1),
        percent(point.failedShare),
        duration(point.p50Ms),
        duration(point.p99Ms),
        figure(point.retriesPerSecond, 1),
        figure(point.refusedPerSecond, 1),
        `${[...point.faults.values()].reduce((sum, count) => sum + count, 0)}`,
      ]),
    },
  };
}
