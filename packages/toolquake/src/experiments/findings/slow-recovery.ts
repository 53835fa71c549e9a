import { defineFinding } from '../finding.js';

/** It came back, but not in the time that the file gives it. */
export const slowRecovery = defineFinding({
  name: 'slow-recovery',
  summary: 'The system recovered, but later than it must.',
  contradicts: true,
  thresholds: {},
  find({ isInjected, faultOnMs, faultOffMs, healedMs, recoveredMs }, { mustSelfHeal, recoverWithinMs }) {
    const fromMs = mustSelfHeal ? faultOnMs : faultOffMs;
    const atMs = mustSelfHeal ? (healedMs ?? recoveredMs) : recoveredMs;
    if (!isInjected || fromMs === undefined || atMs === undefined || atMs - fromMs <= recoverWithinMs) return undefined;
    const since = mustSelfHeal ? 'the fault began' : 'the fault was gone';
    return `Steady again ${((atMs - fromMs) / 1000).toFixed(1)} s after ${since}; the file allows ${recoverWithinMs / 1000} s.`;
  },
});
