import { defineFinding } from '../finding.js';
import { expectedAlert, firedAlerts } from '../expected-alert.js';

/** Who is sent to the wrong place loses the time that the alert has won. */
export const wrongReason = defineFinding({
  name: 'wrong-reason',
  summary: 'The alert gave another reason than the fault was.',
  contradicts: true,
  thresholds: {},
  find(history, { expectAlert }) {
    const fired = firedAlerts(history);
    if (expectAlert === undefined || !history.isInjected || fired.length === 0) return undefined;
    if (expectedAlert(history, expectAlert.reasons) !== undefined) return undefined;
    const given = [...new Set(fired.map((alert) => alert.reason))].join(', ');
    return `The reason was ${given}, and should have been ${expectAlert.reasons.join(' or ')}.`;
  },
});
