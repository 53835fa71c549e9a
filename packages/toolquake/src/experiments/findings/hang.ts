import { defineFinding } from '../finding.js';
import { seenCalls, shareOf, shareText } from '../seen-calls.js';

/** A refusal at once is honest; silence costs every caller all of its patience. */
export const hang = defineFinding({
  name: 'hang',
  summary: 'Calls were neither answered nor refused until their callers gave up.',
  thresholds: {
    calls: [3, 'Calls that were given up for time.'],
    share: [0.05, 'Their share of all calls, above the share before the fault.'],
  },
  find(history, _experiment, { calls, share }) {
    const { isInjected, faultOnMs, faultOffMs, actions } = history;
    if (!isInjected || faultOnMs === undefined) return undefined;
    // Who freezes a process has to do with its silence, until it is let go again.
    const isFrozen = [...actions.values()].some((one) => one.action === 'freeze-process');
    if (isFrozen) return undefined;
    const during = seenCalls(history, faultOnMs, faultOffMs);
    const before = seenCalls(history, Number.NEGATIVE_INFINITY, faultOnMs);
    const given = during.filter((call) => call.end === 'timeout').length;
    if (given < calls || shareOf(during, 'timeout') < shareOf(before, 'timeout') + share) return undefined;
    return `${shareText(given, during.length)} got no answer in time during the fault.`;
  },
});
