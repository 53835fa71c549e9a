/** A run for machines. The shape is documented in docs/experiment-reports.md; `version` grows when a key changes its meaning. */
import { nullsFor } from '../figures.js';
import { adviceFor, findingMeaning } from './finding-advice.js';
import type { LaneTotals, SeriesPoint } from './series-book.js';
import { nextSteps } from './next-steps.js';
import type { RunDigest } from './run-digest.js';
import { endOf, isUndone, notInjected, whyOf } from './run-story.js';

/** JSON text. What is unknown is null, not absent. */
export function renderRunJson(digest: RunDigest): string {
  const { about, verdict, findings, points, lanes, moments, probes, preconditions, alerts, trips, notes, skipped } = digest;
  const report = {
    version: 1,
    kind: 'experiment-run',
    run: about?.run ?? null,
    experiment: about === undefined ? null : nullsFor({ ...about, v: undefined, owner: about.owner }),
    build: digest.build ?? null,
    verdict: endOf(digest),
    why: whyOf(digest),
    isStopped: verdict?.isStopped ?? false,
    figures: digest.figures,
    told: verdict === undefined ? null : figuresTold(verdict),
    disagreements: digest.disagreements,
    moments: nullsFor(moments),
    timeline: digest.events.list,
    phases: digest.phases,
    preconditions: preconditions.list,
    actions: digest.actions.map((action) => nullsFor(action)),
    notInjected: notInjected(digest),
    undo: { isUndone: isUndone(digest), steps: digest.undos },
    findings: findings.list.map((one) => ({ ...one, ...findingMeaning(one.name), advice: adviceFor(one.name) })),
    alerts: alerts.list.map(({ sentAtMs, ...alert }) => ({ ...alert, sentAtMs: sentAtMs ?? null })),
    trips: trips.list,
    stops: digest.stops.list,
    steady: digest.steady,
    lanes: { control: laneOf(lanes.control), faulted: laneOf(lanes.faulted) },
    probes: { ...probes, latency: nullsFor(probes.latency) },
    tasks: digest.tasks,
    process: nullsFor(digest.process),
    host: digest.host ?? null,
    readings: digest.readings,
    delivered: digest.delivered ?? null,
    series: points.map(pointOf),
    next: nextSteps(digest),
    notes: notes.list,
    counts: {
      timeline: digest.events.count,
      preconditions: preconditions.count,
      findings: findings.count,
      alerts: alerts.count,
      trips: trips.count,
      stops: digest.stops.count,
      notes: notes.count,
    },
    lastMs: digest.lastMs,
    entries: digest.entries,
    skipped,
    isTorn: digest.isTorn,
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function figuresTold({ mttdMs, mttrMs, recoveryMs, faultedCalls, controlCalls }: NonNullable<RunDigest['verdict']>): RunDigest['figures'] {
  return { mttdMs, mttrMs, recoveryMs, faultedCalls, controlCalls };
}

const laneOf = (lane: LaneTotals): object => ({ ...lane, latency: nullsFor(lane.latency) });

const pointOf = ({ lanes, ...point }: SeriesPoint): object => ({
  ...nullsFor(point),
  lanes: { control: nullsFor(lanes.control), faulted: nullsFor(lanes.faulted) },
});
