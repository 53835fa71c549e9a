/** A run at a terminal while it goes on: a line per thing worth knowing, and a line of figures in between. */
import type { RunEntry } from '../../core/run-entry.js';
import type { Lane } from '../../core/sample.js';
import { printable } from '../escape.js';
import { duration, grouped, percent, type Paint } from '../figures.js';
import { createSketch, type Sketch } from '@toolquake/sdk/core';
import { closingLines } from './closing.js';
import { brokenLines, clockText, eventLines, phaseColumn } from './event-lines.js';
import { createRunDigest } from './run-digest.js';
import { createEventReader } from './run-events.js';
import { stageText } from './run-story.js';

/** What is shown. Lines have no end of their own. */
export type RunTimeline = {
  /** The lines of an entry, mostly none. The verdict brings the last block with it. */
  entry(entry: RunEntry): readonly string[];
  /** One line about now: what was seen since the phase began. */
  progress(nowMs: number): string;
};

/** How it looks. */
export type RunTimelineOptions = { readonly width: number; readonly colours: Paint };

type LaneCount = { calls: number; failed: number; latency: Sketch };
const startLane = (): LaneCount => ({ calls: 0, failed: 0, latency: createSketch() });
const startCounts = (): { lanes: Record<Lane, LaneCount>; probes: number; down: number } => ({
  lanes: { control: startLane(), faulted: startLane() },
  probes: 0,
  down: 0,
});

/** A timeline of one run. */
export function createRunTimeline({ width, colours }: RunTimelineOptions): RunTimeline {
  const digester = createRunDigest();
  const read = createEventReader();
  let phase = '';
  let counts = startCounts();

  const count = (entry: RunEntry): void => {
    if (entry.kind === 'phase') {
      phase = entry.phase;
      counts = startCounts();
    }
    if (entry.kind !== 'sample') return;
    const { sample } = entry;
    if (sample.source === 'call') {
      const lane = counts.lanes[sample.lane];
      lane.calls++;
      if (sample.end !== 'ok') lane.failed++;
      lane.latency.add(sample.ms);
    } else if (sample.source === 'probe') {
      counts.probes++;
      if (!sample.isUp) counts.down++;
    }
  };

  return {
    entry(entry) {
      digester.add(entry);
      count(entry);
      if (entry.kind === 'experiment') return headLines(entry, colours, width);
      if (entry.kind === 'verdict') return ['', ...closingLines(digester.result(), colours, width)];
      const event = read(entry);
      return event === undefined ? [] : eventLines(event, colours, width);
    },
    progress(nowMs) {
      const lane = (name: Lane): readonly string[] => {
        const { calls, failed, latency } = counts.lanes[name];
        return calls === 0
          ? []
          : [`${name} ${grouped(calls)} calls, ${percent(failed / calls)} failed, p95 ${duration(latency.quantile(0.95))}`];
      };
      const probes =
        counts.probes === 0 ? [] : [`${grouped(counts.probes)} probes${counts.down === 0 ? '' : `, ${grouped(counts.down)} down`}`];
      const parts = [...lane('faulted'), ...lane('control'), ...probes];
      const text = `  ${clockText(nowMs).padStart(7)}  ${phaseColumn(phase, width)}${parts.length === 0 ? 'nothing seen yet' : parts.join(' | ')}`;
      return text.length <= width ? text : `${text.slice(0, Math.max(1, width - 1))}…`;
    },
  };
}

/** What is about to happen. */
export function headLines(about: Extract<RunEntry, { kind: 'experiment' }>, paint: Paint, width: number): readonly string[] {
  const digester = createRunDigest();
  digester.add(about);
  const where = `${stageText(digester.result())} on ${printable(about.target)} (${printable(about.environment)})`;
  const dry = about.isDryRun ? '  dry run: nothing is injected' : '';
  const facts = `run ${printable(about.run)}, seed ${about.seed}${about.owner === undefined ? '' : `, owner ${printable(about.owner)}`}`;
  const indented = (text: string): readonly string[] => brokenLines(text, Math.max(24, width - 2)).map((line) => `  ${line}`);
  const name = printable(about.experiment);
  const isRoomy = 'toolquake run'.length + name.length + where.length + dry.length + 4 <= width;
  return [
    `${paint.bold('toolquake run')}  ${paint.bold(name)}${isRoomy ? `  ${where}${dry}` : ''}`,
    ...(isRoomy ? [] : indented(`${where}${dry}`)),
    ...indented(printable(about.question)),
    ...indented(facts).map((line) => paint.dim(line)),
    '',
  ];
}
