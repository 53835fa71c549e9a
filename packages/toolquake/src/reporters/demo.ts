/** The headline, as text: two rows, what paper says beside them, and what to do next. */
import { counted, figure, percent, range, share, table, type Cell, type Paint } from './figures.js';
import type { SimulationReport, SimulationRow } from './simulation.js';

/** What the report does not know. */
export type DemoContext = {
  /** Share of failing calls that was asked for; the rows say what came of it. */
  readonly rate: number;
  /** The most that may be asked for, so that nobody is advised to ask for more. */
  readonly maxTasks: number;
  readonly paint: Paint;
};

/** The report for people. */
export function renderDemo(report: SimulationReport, context: DemoContext): string {
  const { rate, paint } = context;
  const { tasks, fanout, seed } = report;
  const head = ['', 'TCAF', 'TCSR', 'ETA', 'calls', 'blast radius', 'on paper'].map((text): Cell => ({ text, paint: paint.dim }));
  return [
    `${paint.bold('toolquake demo')}  what failing tool calls do to an agent's tasks\n\n`,
    `  ${counted(tasks, 'task')} of ${counted(fanout, 'tool call')} each; every call fails with probability ${rate}; seed ${seed}\n\n`,
    table([head, ...report.rows.map((row) => cellsOf(row, paint))], { indent: 2, left: [6] }),
    '\n',
    ...storyOf(report, rate).map((line) => `  ${line}\n`),
    `\n  ${paint.bold('Next:')} ${nextStep(report, context)}\n`,
  ].join('');
}

function cellsOf(row: SimulationRow, paint: Paint): Cell[] {
  const { measures, analytic } = row;
  const isHarmed = (measures.blastRadius ?? 0) > 0;
  return [
    row.name,
    figure(measures.tcaf, 1),
    share(measures.tcsrCompat),
    share(measures.etaCompat),
    `${row.tally.calls.seen}`,
    { text: share(measures.blastRadius), paint: (text) => paint.bold(isHarmed ? paint.red(text) : paint.green(text)) },
    analytic === undefined ? 'n/a' : `${share(analytic.blastRadius)} ${range(analytic.interval)}`,
  ];
}

/** What the two rows mean, in words that follow from the numbers. */
function storyOf({ rows, tasks }: SimulationReport, rate: number): readonly string[] {
  const [bare, resilient] = rows;
  if (bare === undefined || resilient === undefined) return [];
  const failedCalls = bare.tally.calls.seen - bare.tally.calls.correct;
  if (failedCalls === 0) {
    return rate === 0 ? ['No call failed, because --rate is 0: this is the baseline.'] : ['No call failed, so this run shows nothing.'];
  }
  const extraCalls = resilient.tally.calls.seen - bare.tally.calls.seen;
  return [
    `${percent(failedCalls / bare.tally.calls.seen)} of calls failed, and that failed ${percent(bare.measures.blastRadius)} of tasks: failures add up over the fan-out.`,
    `Retries, graceful degradation and an ETA-aware breaker leave ${percent(resilient.measures.blastRadius)}, for ${extraCalls < 0 ? `${-extraCalls} fewer` : `${extraCalls} more`} ${Math.abs(extraCalls) === 1 ? 'call' : 'calls'}.`,
    `On paper: the share of failed tasks expected, and where 95 % of runs of ${counted(tasks, 'task')} end up.`,
  ];
}

/** With this many expected, a run without any is one in twenty thousand. */
const EXPECTED_FAILURES = 10;

/** The rate at which so many calls show something, with one digit, rounded up. */
function tellingRate(calls: number): number {
  const rate = EXPECTED_FAILURES / calls;
  const unit = 10 ** Math.floor(Math.log10(rate));
  return Math.min(1, Number((Math.ceil(rate / unit) * unit).toPrecision(1)));
}

function nextStep({ rows, tasks, fanout }: SimulationReport, { rate, maxTasks }: DemoContext): string {
  const [bare, resilient] = rows;
  if (rate === 0) return 'let calls fail: toolquake demo --rate 0.02';
  if ((bare?.measures.eta ?? 1) === 1) {
    const enoughTasks = Math.ceil(EXPECTED_FAILURES / (rate * fanout));
    return enoughTasks <= maxTasks
      ? `give chance a chance: toolquake demo --rate ${rate} --fanout ${fanout} --tasks ${enoughTasks}`
      : `let more calls fail: toolquake demo --rate ${tellingRate(tasks * fanout)} --fanout ${fanout} --tasks ${tasks}`;
  }
  // Above a hundredth of tasks the patterns do not hold: more of the same is not what to do next.
  if ((resilient?.measures.blastRadius ?? 0) > 0.01)
    return `see how sure that is: toolquake simulate --rate ${rate} --tasks ${tasks} --fanout ${fanout} --seeds 50`;
  return 'shake your own server: toolquake proxy stdio --plan plan.yaml -- node server.js';
}
