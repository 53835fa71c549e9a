/** After the undo: steady again, for a whole window, and the people who were alarmed are told so. */
import type { Experiment } from '../core/experiment.js';
import type { RunEntry } from '../core/run-entry.js';
import { SLOW_FACTOR } from './during.js';
import type { Run } from './run.js';
import { lookAtSteady, longestWindowMs, provenSteadySinceMs, rulesOf, type SteadyLook } from './steady-state.js';

/** Once steady, the notice of recovery may take so long: an alert on slowness has to see new probes first. */
export const noticePatienceMs = ({ monitor, expectAlert }: Pick<Experiment, 'monitor' | 'expectAlert'>): number =>
  ((expectAlert?.withinCycles ?? 2) + monitor.slowOver + 1) * monitor.everyMs;

type Alert = Extract<RunEntry, { readonly kind: 'alert' }>;

/** Alerts that fired from a moment on and were not resolved since. */
export function unresolvedAlerts(entries: readonly RunEntry[], fromMs: number): readonly Alert[] {
  const alerts = entries.filter((entry): entry is Alert => entry.kind === 'alert' && entry.atMs >= fromMs);
  return alerts.filter(
    ({ state, rule, atMs }) =>
      state === 'firing' && !alerts.some((one) => one.state === 'resolved' && one.rule === rule && one.atMs >= atMs),
  );
}

/** Watches until all is steady again and was for the whole of its time, or has had its time twice. */
export async function watchRecovery(run: Run): Promise<void> {
  const { experiment, ports, record } = run;
  const rules = rulesOf(experiment, 'after');
  const fromMs = ports.nowMs();
  const beganMs = ports.clock.nowMs();
  const leastMs = experiment.times.afterMs;
  const mostMs = Math.max(leastMs, SLOW_FACTOR * experiment.recoverWithinMs + longestWindowMs(rules));
  const looks: SteadyLook[] = [];
  record({ kind: 'phase', atMs: fromMs, phase: 'after' });
  for (;;) {
    const { kind } = await run.attend(undefined, experiment.times.tickMs, run.lookOutside);
    if (kind === 'stopped') return;
    const look = lookAtSteady(rules, 'after', ports.samples, ports.nowMs(), run.cadence);
    looks.push(look);
    record(look);
    const lastedMs = ports.clock.nowMs() - beganMs;
    if (lastedMs < leastMs) continue;
    const sinceMs = provenSteadySinceMs(looks, rules, fromMs);
    if (sinceMs === undefined && lastedMs < mostMs) continue;
    const isPatient = sinceMs !== undefined && lastedMs < mostMs + noticePatienceMs(experiment);
    if (isPatient && unresolvedAlerts(run.entries(), run.faultOnMs() ?? fromMs).length > 0) continue;
    return;
  }
}
