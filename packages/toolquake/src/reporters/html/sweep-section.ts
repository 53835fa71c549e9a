/** Hysteresis: the way up and the way down are two curves where a system does not recover by itself. */
import { FAILING_SHARE, isFalling, turningPoints, type LevelRecord, type Sweep } from '../digest/sweep.js';
import { percent } from '../figures.js';
import { curvePlot, type Curve } from '../plots/curve-plot.js';
import { figureMarkup, lead, type PlotFigure, type Section } from './markup.js';

/** One figure per sweep, all with the same scale. */
export function sweepSection(sweeps: readonly Sweep[]): Section {
  const told = sweeps.filter(({ up, down }) => up.length + down.length > 1);
  const high = told
    .flatMap(({ up, down }) => [...up, ...down])
    .reduce((most, { failedShare }) => Math.max(most, failedShare.interval?.high ?? failedShare.mean ?? 0), 0.1);
  const figures = told.map((sweep, index) => figureMarkup(sweepFigure(sweep, high, `sweep-${index + 1}`)));
  const about =
    'The disturbance grows step by step to the right, then shrinks again. Where the way down stays above the way up, the system does not recover by itself.';
  return {
    id: 'sweeps',
    title: 'Up and down again',
    body: figures.length === 0 ? '' : `${lead(about)}<div class="plots">${figures.join('')}</div>`,
  };
}

function sweepFigure(sweep: Sweep, high: number, id: string): PlotFigure {
  const { label, what, up, down } = sweep;
  return {
    id,
    title: label,
    description: `Share of failed tasks over ${what}, on the way up and on the way down. ${turnText(sweep)}`,
    caption: turnText(sweep),
    draw: (width) =>
      curvePlot({
        width,
        curves: [curveOf('way up', 1, up), { ...curveOf('way down', 0, down), isDashed: true }],
        x: { title: what, label: String, isFalling: isFalling(sweep) },
        y: { title: 'share of tasks that failed', label: percent, high },
        fillsLoop: true,
      }),
    table: {
      caption: `${label}: share of failed tasks`,
      head: [what, 'way', 'failed', '95 % interval', 'tasks', 'runs'],
      text: [1],
      rows: [...up, ...down].map((level) => [
        `${level.value}`,
        level.way,
        percent(level.failedShare.mean),
        intervalText(level),
        `${level.tasks}`,
        `${level.runs}`,
      ]),
    },
  };
}

const intervalText = ({ failedShare: { interval } }: LevelRecord): string =>
  interval === undefined ? '' : `${percent(interval.low)} to ${percent(interval.high)}`;

function curveOf(name: string, tone: number, levels: readonly LevelRecord[]): Curve {
  const points = levels.map((level) => ({
    x: level.value,
    y: level.failedShare.mean ?? 0,
    interval: level.failedShare.interval,
    about: `${name}, ${level.value}: ${percent(level.failedShare.mean)} failed (${intervalText(level)})`,
  }));
  return { name, tone, points, hasArrows: true };
}

function turnText(sweep: Sweep): string {
  const { failsAt, recoversAt } = turningPoints(sweep);
  if (failsAt === undefined) return `Less than ${percent(FAILING_SHARE)} failed at every level.`;
  const up = `${percent(FAILING_SHARE)} or more fail from ${failsAt} on`;
  if (sweep.down.length === 0) return `${up}.`;
  return recoversAt === undefined
    ? `${up}; it never recovered on the way down.`
    : `${up}; on the way down it has recovered at ${recoversAt}.`;
}
