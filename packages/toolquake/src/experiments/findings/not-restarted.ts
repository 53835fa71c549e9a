import { defineFinding } from '../finding.js';

const KILLERS: readonly string[] = ['kill-process', 'restart-server'];

/** The process that was killed has no successor. */
export const notRestarted = defineFinding({
  name: 'not-restarted',
  summary: 'The process did not come back by itself after it was killed.',
  thresholds: {},
  find({ isInjected, faultOnMs, undoMs, endMs, actions, samples, healedMs }, experiment) {
    const killed = [...actions.values()].find((one) => KILLERS.includes(one.action) && one.state === 'in-effect');
    if (!isInjected || faultOnMs === undefined || killed === undefined) return undefined;
    // What an undo started is not back by itself.
    const untilMs = undoMs ?? endMs;
    if (untilMs - faultOnMs < experiment.recoverWithinMs || healedMs !== undefined) return undefined;
    const process = samples('process', faultOnMs, untilMs).at(-1);
    const probes = samples('probe', faultOnMs, untilMs);
    const isGone = process === undefined ? probes.length > 0 && probes.every((probe) => !probe.isUp) : process.pid === 0;
    return isGone ? `No process came back in the ${((untilMs - faultOnMs) / 1000).toFixed(1)} s after it was killed.` : undefined;
  },
});
