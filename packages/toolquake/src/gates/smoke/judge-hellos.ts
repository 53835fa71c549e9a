/** Does the build that was deployed answer, and only that one? Pure. */
import { failed, passed } from './outcome.js';
import type { SmokeOutcome, SmokeServer } from './smoke-report.js';

/** Who said hello, hello by hello. */
export type HelloFacts = {
  readonly hellos: readonly SmokeServer[];
  readonly expectedVersion: string | undefined;
};

/** Judges who answered. Two builds behind one address are worse than the wrong one: both are named. */
export function judgeHellos({ hellos, expectedVersion }: HelloFacts): SmokeOutcome {
  const counts = new Map<string, number>();
  for (const { name, version } of hellos) {
    const shown = `${name} ${version}`;
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  if (counts.size > 1) {
    const told = [...counts].map(([who, count]) => `${who} (${count} of ${hellos.length} hellos)`).join(' and ');
    const wanted = expectedVersion === undefined ? '' : `; ${expectedVersion} expected everywhere`;
    return failed('deploy_mixed', `several builds answer: ${told}${wanted}`);
  }
  const [first] = hellos;
  if (first === undefined) return failed('unknown', 'nobody said hello');
  const who = `${first.name} ${first.version}`;
  if (expectedVersion !== undefined && first.version !== expectedVersion)
    return failed('deploy_wrong_version', `${who} answers, version ${expectedVersion} expected`);
  return passed(`${who}, ${first.era}${hellos.length === 1 ? '' : `, the same in ${hellos.length} hellos`}`);
}
