/** The figures of one run by name: for tables, gates and JSON. */
import { measuresOf, sketchFromJSON } from '@toolquake/sdk/core';
import type { Summary } from './plane.js';

/** Every figure with what it means. A run may not have all of them. */
export const FIGURES = {
  failedShare: 'Failed tasks per task: the blast radius.',
  deceivedShare: 'Tasks that ended well in the eyes of the agent, on a wrong answer, per task.',
  degradedShare: 'Tasks that ended without their spare steps, or by their fallback, per task.',
  callsPerOperation: 'Calls on the wire per operation: retries of agent and client library.',
  executedPerOperation: 'Executions at the servers per operation: with the retries of the gateway.',
  tcsr: 'Calls that were correct and in time, per call.',
  eta: 'Calls that were correct, per call.',
  p50Ms: 'Median duration of a task.',
  p99Ms: 'Duration that 99 % of tasks stay below.',
  tasks: 'Tasks in all.',
  calls: 'Calls in all.',
  retries: 'Retries, also those that a limiter refused.',
  refused: 'Calls that the agent did not make: limiter, breaker, bulkhead, deadline.',
  peakCallsPerSecond: 'Most calls in a window.',
  peakInFlight: 'Most calls under way at the end of a window.',
  peakTasks: 'Most tasks under way at the end of a window: those that wait to retry, too.',
  turnedAway: 'Tasks that found no place.',
  misrouted: 'Answers that came from a server which no longer has the tool.',
  doubleEffects: 'Operations that were executed again although they were done.',
  openBreakers: 'Breakers that were still open at the end.',
  poolExhausted: 'Calls that got no connection from a pool.',
  failedAfter: 'Failed tasks per task after the last disturbance was over.',
  stayedDown: '1 when the last window was still a bad one, 0 when the system recovered.',
  recoverMs: 'Time from the end of the disturbance to the last bad window; absent when it stayed down.',
  'self-denial-of-service': 'Times that the pool ran dry, retries jumped and the limiter refused the retries, in this order.',
} as const;

/** A name of `FIGURES`. */
export type FigureName = keyof typeof FIGURES;

export const FIGURE_NAMES: readonly string[] = Object.keys(FIGURES);

/** A figure of a run; undefined where the run has none. */
export function figureOf(summary: Summary, name: string): number | undefined {
  const { tally, taskLatency, deceivedTasks, figures } = summary;
  const perTask = (count: number): number | undefined => (tally.tasks === 0 ? undefined : count / tally.tasks);
  const measures = measuresOf(tally);
  switch (name as FigureName) {
    case 'failedShare':
      return perTask(tally.failedTasks);
    case 'deceivedShare':
      return perTask(deceivedTasks);
    case 'degradedShare':
      return perTask(tally.degradedTasks);
    case 'callsPerOperation':
      return measures.retryAmplification;
    case 'executedPerOperation':
      return measures.retryAmplificationUpstream;
    case 'tcsr':
      return measures.tcsr;
    case 'eta':
      return measures.eta;
    case 'p50Ms':
      return sketchFromJSON(taskLatency).quantile(0.5);
    case 'p99Ms':
      return sketchFromJSON(taskLatency).quantile(0.99);
    case 'tasks':
      return tally.tasks;
    case 'calls':
      return tally.calls.seen;
    case 'self-denial-of-service':
      return figures[name] ?? 0;
    default:
      return figures[name];
  }
}
