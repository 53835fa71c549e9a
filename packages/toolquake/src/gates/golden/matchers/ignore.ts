import { checkPaths, defineMatcher } from '../matcher.js';

/** Paths that may hold anything. */
export const ignore = defineMatcher({
  word: 'ignore',
  field: { kind: 'names', about: 'Paths that "exact", "data", "hash" and "idempotent" do not look at.' },
  example: '[took_ms, "results[*].score"]',
  isStable: () => false,
  check: checkPaths,
  judge: () => [],
});
