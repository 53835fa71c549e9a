import { defineFinding } from '../finding.js';

/** Actions that end the processes themselves: every replica once, or as often as they are told. */
const KILLERS: readonly string[] = ['kill-process', 'restart-server'];

/** A server that ends because something else is gone takes down what it could still do. */
export const crashLoop = defineFinding({
  name: 'crash-loop',
  summary: 'The process ended again and again instead of serving what it could.',
  thresholds: { ends: [3, 'Times that the process ended by itself, from the fault on.'] },
  find({ isInjected, faultOnMs, samples, actions }, experiment, { ends }) {
    if (!isInjected || faultOnMs === undefined) return undefined;
    const seen = samples('process');
    const before = seen.filter((one) => one.atMs < faultOnMs).at(-1);
    const from = [...(before === undefined ? [] : [before]), ...seen.filter((one) => one.atMs >= faultOnMs)];
    const pids = from.map((one) => one.pid);
    // Another process than the last one, or none any more: either way one has ended.
    const vanished = pids.filter((pid, index) => index > 0 && pids[index - 1] !== 0 && pid !== pids[index - 1]).length;
    const counts = from.flatMap((one) => (one.restarts === undefined ? [] : [one.restarts]));
    const counted = counts.length === 0 ? 0 : Math.max(...counts) - counts[0]!;
    const replicas = Math.max(1, ...seen.map((one) => one.processes ?? 1));
    const ours = experiment.actions
      .filter(({ id, action }) => actions.has(id) && KILLERS.includes(action))
      .reduce((sum, { params }) => sum + replicas * (typeof params['times'] === 'number' ? params['times'] : 1), 0);
    const ended = Math.max(vanished, counted) - ours;
    return ended >= ends ? `The process ended ${ended} times by itself from the fault on.` : undefined;
  },
});
