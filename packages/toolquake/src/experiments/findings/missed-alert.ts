import { defineFinding } from '../finding.js';
import { alertWithinMs, firedAlerts } from '../expected-alert.js';

/** Nobody was told. The one finding that makes every other result worthless: who is not alarmed learns of outages from users. */
export const missedAlert = defineFinding({
  name: 'missed-alert',
  summary: 'The server was down or wrong, and no alert came.',
  thresholds: {
    extraFailures: [
      2,
      'Probes that fail in a row beyond those that the alert rule wants, before an alert is missed that no file asked for.',
    ],
  },
  find(history, experiment, { extraFailures }) {
    const { faultOnMs, faultOffMs, isInjected } = history;
    if (!isInjected || faultOnMs === undefined || faultOffMs === undefined || firedAlerts(history).length > 0) return undefined;
    const { expectAlert, monitor } = experiment;
    const lastedMs = faultOffMs - faultOnMs;
    // A run that ended early took the fault away before the alert was due.
    const isDue =
      history.trips.length + history.stops.length === 0 || lastedMs > alertWithinMs(history, experiment, expectAlert?.withinCycles ?? 2);
    if (expectAlert !== undefined && isDue) {
      const wanted = expectAlert.reasons.length === 0 ? '' : ` (${expectAlert.reasons.join(' or ')})`;
      return `No alert${wanted} came in ${Math.round(lastedMs / 100) / 10} s of fault.`;
    }
    let row = 0;
    let longest = 0;
    for (const probe of history.samples('probe', faultOnMs)) longest = Math.max(longest, (row = probe.isUp ? 0 : row + 1));
    return longest >= monitor.failures + extraFailures ? `${longest} probes failed in a row, and no alert came.` : undefined;
  },
});
