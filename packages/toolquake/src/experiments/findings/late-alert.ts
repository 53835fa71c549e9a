import { defineFinding } from '../finding.js';
import { alertWithinMs, expectedAlert, firedAlerts } from '../expected-alert.js';

/** Told, but not in time. */
export const lateAlert = defineFinding({
  name: 'late-alert',
  summary: 'The alert came later than the probe cycles that it may take.',
  contradicts: true,
  thresholds: {},
  find(history, experiment) {
    const { expectAlert } = experiment;
    if (expectAlert === undefined || history.faultOnMs === undefined || !history.isInjected) return undefined;
    const alert = expectedAlert(history, expectAlert.reasons) ?? firedAlerts(history)[0];
    if (alert === undefined) return undefined;
    const tookMs = alert.atMs - history.faultOnMs;
    const allowedMs = alertWithinMs(history, experiment, expectAlert.withinCycles);
    if (tookMs <= allowedMs) return undefined;
    return `The alert "${alert.reason}" came ${(tookMs / 1000).toFixed(1)} s after the fault; ${expectAlert.withinCycles} probe cycles allow ${(allowedMs / 1000).toFixed(1)} s.`;
  },
});
