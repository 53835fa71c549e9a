/** The alert that a fault must cause: which one it was, and when it had to be there. Pure. */
import type { Experiment } from '../core/experiment.js';
import type { RunEntry } from '../core/run-entry.js';
import type { RunHistory } from './history.js';

type Alert = Extract<RunEntry, { readonly kind: 'alert' }>;

/** From the monitor to the receiver. */
const DELIVERY_MS = 500;

/** Alerts that fired from the fault on, oldest first. */
export function firedAlerts({ alerts, faultOnMs }: RunHistory): readonly Alert[] {
  if (faultOnMs === undefined) return [];
  return alerts.filter((alert) => alert.state === 'firing' && alert.atMs >= faultOnMs).toSorted((one, other) => one.atMs - other.atMs);
}

/** The alert with one of the reasons that were expected; any, where none are named. */
export const expectedAlert = (history: RunHistory, reasons: readonly string[]): Alert | undefined =>
  firedAlerts(history).find((alert) => reasons.length === 0 || reasons.includes(alert.reason));

/** How long after the fault an alert may come: so many probes, the time that the slowest of them took itself, and its delivery. */
export function alertWithinMs({ samples, faultOnMs = 0, faultOffMs }: RunHistory, { monitor }: Experiment, cycles: number): number {
  const slowestMs = Math.max(
    0,
    ...samples('probe', faultOnMs, faultOffMs).map((probe) => (Number.isFinite(probe.totalMs) ? probe.totalMs : 0)),
  );
  return cycles * monitor.everyMs + slowestMs + DELIVERY_MS;
}
