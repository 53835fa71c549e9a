import { defineFinding } from '../finding.js';
import { seenCalls, shareOf, shareText } from '../seen-calls.js';

/** Worse than an error: whoever asked believes that there is nothing. */
export const silentEmpty = defineFinding({
  name: 'silent-empty',
  summary: 'Calls were answered with nothing, as if there were nothing.',
  thresholds: {
    calls: [3, 'Calls that were answered with nothing and no error.'],
    share: [0.01, 'Their share of all calls, above the share before the fault.'],
  },
  find(history, _experiment, { calls, share }) {
    const { isInjected, faultOnMs } = history;
    if (!isInjected || faultOnMs === undefined) return undefined;
    const during = seenCalls(history, faultOnMs);
    const before = seenCalls(history, Number.NEGATIVE_INFINITY, faultOnMs);
    const empty = during.filter((call) => call.end === 'empty').length;
    if (empty < calls || shareOf(during, 'empty') < shareOf(before, 'empty') + share) return undefined;
    return `${shareText(empty, during.length)} were answered with nothing, and no error, from the fault on.`;
  },
});
