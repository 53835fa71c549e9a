import { defineFinding } from '../finding.js';
import { seenCalls, shareText } from '../seen-calls.js';

/** A health URL that says 200 while the tools are broken keeps traffic coming, and people asleep. */
export const healthLies = defineFinding({
  name: 'health-lies',
  summary: 'The health URL said that all is well while calls failed.',
  thresholds: {
    probes: [2, 'Probes that saw the health status of a server that is well while calls failed.'],
    share: [0.5, 'Share of the calls since the probe before that failed; a refusal for load is no failure here.'],
  },
  find(history, { monitor }, { probes, share }) {
    const { isInjected, isCallsOnly, faultOnMs, faultOffMs } = history;
    if (!isInjected || isCallsOnly || faultOnMs === undefined) return undefined;
    // What it says when all is well, by the last look before the fault: a target may expect another status than 200.
    const well = history.samples('probe', Number.NEGATIVE_INFINITY, faultOnMs).at(-1)?.healthStatus ?? 200;
    const looks = history.samples('probe', faultOnMs, faultOffMs).filter((probe) => probe.healthStatus === well);
    const calls = seenCalls(history, faultOnMs, faultOffMs).toSorted((one, other) => one.atMs - other.atMs);
    let failed = 0;
    let all = 0;
    let first = 0;
    const lies = looks.filter(({ atMs }) => {
      // Both in order of time, so that nobody walks over all calls for each probe.
      while (first < calls.length && calls[first]!.atMs < atMs - monitor.everyMs) first++;
      let next = first;
      while (next < calls.length && calls[next]!.atMs <= atMs) next++;
      const since = calls.slice(first, next);
      const bad = since.filter((call) => call.end !== 'ok' && call.end !== 'rejected').length;
      if (since.length === 0 || bad / since.length < share) return false;
      failed += bad;
      all += since.length;
      return true;
    });
    if (lies.length < probes) return undefined;
    return `${lies.length} probes saw a health status of ${well} while ${shareText(failed, all)} failed.`;
  },
});
