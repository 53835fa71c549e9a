import { snapshotHash } from '../snapshot-hash.js';
import { defineMatcher } from '../matcher.js';

/** The whole answer by its hash: for what is too large, or too secret, to stand in a file. */
export const hash = defineMatcher({
  word: 'hash',
  field: {
    kind: 'text',
    pattern: /^sha256:[0-9a-f]{64}$/,
    likeThis: 'the hash that "golden record" writes',
    about: 'A hash of the data and of pictures, sounds and files, without what "ignore" names. The order of members does not count.',
  },
  example: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  isStable: () => true,
  judge(given, answer) {
    const found = snapshotHash(answer);
    return found === given ? [] : [{ says: `the answer has the hash ${found}, ${given} expected` }];
  },
});
