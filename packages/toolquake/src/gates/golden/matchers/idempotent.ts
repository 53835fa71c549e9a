import { answerData } from '../../../core/answer-data.js';
import { differences, withoutPaths } from '../compare.js';
import { defineMatcher } from '../matcher.js';

/** The same call twice has the same answer. */
export const idempotent = defineMatcher({
  word: 'idempotent',
  field: { kind: 'flag', about: 'true: the call is made twice, and the second answer is the first one, but for what "ignore" names.' },
  example: 'true',
  isStable: () => false,
  judge(given, { again, data, result, rpcError, ignore }) {
    if (!given) return [];
    if (again === undefined) return [{ says: 'the call was made only once', weight: 'undecided' }];
    const isError = rpcError !== undefined || result['isError'] === true;
    const isErrorAgain = again.kind === 'error' || again.result['isError'] === true;
    if (isError !== isErrorAgain) return [{ says: `called again, the answer is ${isErrorAgain ? 'an error' : 'no error any more'}` }];
    if (again.kind === 'error') return [];
    return differences(withoutPaths(data, ignore), withoutPaths(answerData(again.result), ignore), { isPartial: false }).map((says) => ({
      says: `called again: ${says}`,
    }));
  },
});
