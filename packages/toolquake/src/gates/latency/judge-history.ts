/** A run against its history, as a row of the report. */
import { HISTORY, historyFigures, runLevel, type HistoryFigure } from './history-gate.js';
import { NOTHING_KNOWN, ratioText, shareText, sideFigures, type ToolLatency } from './latency-report.js';
import { MAX_DETECTABLE } from './run-paired.js';

/** Latencies of one run of a tool, and of the calibration workload beside it. */
export type HistoryRun = { readonly latenciesMs: readonly number[]; readonly calibrationMs: readonly number[] };

/** Judges a tool by its earlier runs, the oldest first. Calibration is used when every run has it, and not at all otherwise. */
export function judgeByHistory(tool: string, history: readonly HistoryRun[], candidate: HistoryRun): ToolLatency {
  const isCalibrated = [...history, candidate].every(({ calibrationMs }) => calibrationMs.length > 0);
  const level = ({ latenciesMs, calibrationMs }: HistoryRun) => runLevel(latenciesMs, isCalibrated ? calibrationMs : undefined);
  const figures = historyFigures(history.map(level), level(candidate));
  const known = {
    ...NOTHING_KNOWN,
    tool,
    baseline: sideFigures(history.flatMap(({ latenciesMs }) => latenciesMs)),
    candidate: sideFigures(candidate.latenciesMs),
    calls: candidate.latenciesMs.length,
  };
  if (figures === undefined) {
    const why = `the history has ${history.length} runs, and ${HISTORY.minRuns} are needed before one more can be judged`;
    return { ...known, verdict: 'inconclusive', why };
  }
  const { median, p90, runs } = figures;
  const detectable = median.visible - 1;
  const isSlower = median.isSlower || p90.isSlower;
  const verdict = isSlower ? 'slower' : detectable > MAX_DETECTABLE ? 'inconclusive' : 'passed';
  const said = (name: string, { ratio, limit }: HistoryFigure): string => `${name} ${ratioText(ratio)} (limit ${ratioText(limit)})`;
  const why = [
    `relative to ${runs} runs: ${said('median', median)}, ${said('P90', p90)}`,
    ...(verdict === 'inconclusive' ? [`too noisy to tell: sees slowdowns of ${shareText(detectable)} and more`] : []),
    ...(isCalibrated ? [] : ['without calibration, so that a slower machine looks like a slower build']),
  ].join('; ');
  return { ...known, verdict, why, ratio: median.ratio, p95Ratio: undefined, detectable };
}
