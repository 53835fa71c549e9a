/** A probe as a terminal shows it: a waterfall for one target, a table for many. */
import { STAGES, type StageTiming } from '../core/connection.js';
import { FAILURE_REASONS } from '../core/failure-reason.js';
import { stateOf, type ProbeReport, type TargetState } from '../core/probe-report.js';

/** How words are marked; the identity where there are no colours. */
export type ProbePaint = { readonly good: Paint; readonly bad: Paint; readonly warn: Paint; readonly dim: Paint; readonly strong: Paint };
type Paint = (text: string) => string;

const BAR_WIDTH = 32;
const MARK: Readonly<Record<TargetState, string>> = { up: 'ok', down: 'DOWN', walled: 'WALLED', unknown: 'UNKNOWN', degraded: 'DEGRADED' };

/** Milliseconds in few letters. */
const shortMs = (ms: number): string =>
  ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

const paintFor = (state: TargetState, paint: ProbePaint): Paint =>
  state === 'up' ? paint.good : state === 'degraded' ? paint.warn : paint.bad;

/** One target: headline, waterfall, and what was found. */
export function renderProbe(report: ProbeReport, paint: ProbePaint): string {
  const { target, state, facts } = report;
  const about =
    facts === null
      ? []
      : [facts.server, `${facts.era} ${facts.protocolVersion}`, facts.transport, facts.tools === undefined ? '' : `${facts.tools} tools`];
  const head = `${paintFor(state, paint)(MARK[state])}  ${paint.strong(target)}  ${paint.dim([...about, shortMs(report.totalMs)].filter((word) => word !== '').join(' · '))}`;
  return `${[head, ...waterfall(report.stages, report.step, paint), ...foundLines(report, paint)].join('\n')}\n`;
}

/** Bars on one scale; the stage that failed is marked. */
function waterfall(stages: readonly StageTiming[], failedStep: string | null, paint: ProbePaint): readonly string[] {
  const endMs = Math.max(1, ...stages.map(({ startMs, durationMs }) => startMs + durationMs));
  const shown = [...stages].sort((a, b) => a.startMs - b.startMs || STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage)).slice(0, MAX_BARS);
  const last = failedStep === null ? -1 : shown.map(({ stage }) => stage).lastIndexOf(failedStep as StageTiming['stage']);
  return shown.map(({ stage, startMs, durationMs, detail }, index) => {
    const from = Math.min(BAR_WIDTH - 1, Math.floor((startMs / endMs) * BAR_WIDTH));
    const width = Math.max(1, Math.min(BAR_WIDTH - from, Math.round((durationMs / endMs) * BAR_WIDTH)));
    const bar = `${' '.repeat(from)}${'█'.repeat(width)}`.padEnd(BAR_WIDTH);
    const mark = index === last ? paint.bad(bar) : bar;
    return `  ${stage.padEnd(8)} ${mark} ${shortMs(durationMs).padStart(8)}${detail === undefined ? '' : `  ${paint.dim(detail)}`}`;
  });
}

const MAX_BARS = 24;

function foundLines({ findings }: ProbeReport, paint: ProbePaint): readonly string[] {
  return findings.flatMap((finding) => {
    const state = stateOf(finding);
    const mark = state === 'warning' || state === 'degraded' ? paint.warn : paint.bad;
    return [`  ${mark(finding.reason)} at ${finding.step}: ${finding.detail}`, `    ${FAILURE_REASONS[finding.reason].act}`];
  });
}

/** The cells of a table over many targets, its heading first. */
export function probeRows(
  reports: readonly (ProbeReport | { readonly target: string; readonly waits: true })[],
  paint: ProbePaint,
): readonly (readonly string[])[] {
  const rows = reports.map((report) => {
    if ('waits' in report) return [paint.dim('...'), report.target, '', '', ''];
    const { state, target, totalMs, facts } = report;
    const warnings = report.findings.filter((finding) => stateOf(finding) === 'warning').map(({ reason }) => reason);
    const why =
      report.failure_reason === null ? paint.warn(warnings.join(', ')) : `${report.failure_reason} at ${report.step}: ${report.detail}`;
    return [paintFor(state, paint)(MARK[state]), target, shortMs(totalMs), facts === null ? '' : facts.era, why];
  });
  return [['state', 'target', 'total', 'era', 'reason'].map(paint.dim), ...rows];
}
