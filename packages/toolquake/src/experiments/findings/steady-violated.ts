import { defineFinding } from '../finding.js';
import { lookAtEndOfFault } from '../end-of-fault.js';
import { describeReading } from '../steady-state.js';

/** A violation during the fault counts, whatever came after it; and what is broken after the fault counts as well. */
export const steadyViolated = defineFinding({
  name: 'steady-violated',
  summary: 'What must stay true did not.',
  contradicts: true,
  thresholds: {},
  find(history, experiment) {
    const { mustSelfHeal } = experiment;
    const { isInjected, entries, undoMs, faultOffMs, healing, recovering, recoveredMs, isWatchedToEnd, healedMs, stops, trips } = history;
    if (!isInjected) return undefined;
    const looks = entries.filter((entry) => entry.kind === 'steady');
    const during = looks.filter((look) => look.phase === 'during' && look.rules.some((rule) => rule.state === 'fails'));
    const first = during[0];
    const broken = first?.rules.find((rule) => rule.state === 'fails');
    if (first !== undefined && broken !== undefined) {
      const more = during.length === 1 ? '' : `, and in ${during.length - 1} more looks`;
      return `During the fault, at ${(first.atMs / 1000).toFixed(1)} s, ${describeReading(broken)}${more}.`;
    }
    // A call that hangs tells so when it is given up, and the fault may be over by then.
    const late =
      undoMs === undefined ? undefined : lookAtEndOfFault(entries, experiment, undoMs).rules.find((rule) => rule.state === 'fails');
    if (late !== undefined) return `Counting what began during the fault and ended after it, ${describeReading(late)}.`;
    const unhealed = healing.at(-1)?.rules.find((rule) => rule.state === 'fails');
    if (mustSelfHeal && healedMs === undefined && stops.length + trips.length === 0 && unhealed !== undefined)
      return `It did not heal itself under the fault: ${describeReading(unhealed)}.`;
    if (!isWatchedToEnd || recoveredMs !== undefined || faultOffMs === undefined) return undefined;
    const still = recovering.at(-1)?.rules.find((rule) => rule.state === 'fails');
    return still === undefined ? undefined : `At the end, after the fault, ${describeReading(still)}.`;
  },
});
