import { noticePatienceMs, unresolvedAlerts } from '../after.js';
import { defineFinding } from '../finding.js';

/** An alarm that nobody calls off is soon one that nobody hears. */
export const noRecoveryNotice = defineFinding({
  name: 'no-recovery-notice',
  summary: 'The server recovered, and nobody was told.',
  thresholds: {},
  find(history, experiment) {
    const { faultOnMs, recoveredMs, endMs, isWatchedToEnd, entries } = history;
    if (!isWatchedToEnd || faultOnMs === undefined || recoveredMs === undefined) return undefined;
    // It still had time to come when the watching ended.
    if (endMs - recoveredMs < noticePatienceMs(experiment)) return undefined;
    const [open] = unresolvedAlerts(entries, faultOnMs);
    if (open === undefined) return undefined;
    return `The alert "${open.reason}" was not called off in ${((endMs - recoveredMs) / 1000).toFixed(1)} s of steady state.`;
  },
});
