import { defineFinding } from '../finding.js';

/** The fault is gone and the damage stays: somebody has to get up and restart it. */
export const manualRestart = defineFinding({
  name: 'manual-restart',
  summary: 'The server did not recover by itself when the fault was gone.',
  thresholds: {},
  find(history, experiment) {
    const { isInjected, isWatchedToEnd, recoveredMs, faultOffMs, endMs, samples, recovering, undos } = history;
    if (!isInjected || !isWatchedToEnd || recoveredMs !== undefined || faultOffMs === undefined) return undefined;
    if (endMs - faultOffMs < experiment.recoverWithinMs || undos.some((one) => one.state === 'not-undone')) return undefined;
    // Silence and too few samples are no proof that it is broken.
    if (recovering.at(-1)?.rules.some((rule) => rule.state === 'fails') !== true) return undefined;
    const process = samples('process', faultOffMs).at(-1);
    const state = process === undefined ? '' : process.pid === 0 ? '; no process is there' : `; process ${process.pid} is there`;
    return `Still not steady ${((endMs - faultOffMs) / 1000).toFixed(1)} s after the fault was gone${state}.`;
  },
});
