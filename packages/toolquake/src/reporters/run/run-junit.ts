/** A run for CI: a test case per rule of the steady state, per finding, per action and per undo. */
import { junitText, type JunitCase } from '../junit.js';
import { many } from '../figures.js';
import { disagreementText } from './disagreements.js';
import { adviceFor, findingMeaning } from './finding-advice.js';
import type { RunDigest } from './run-digest.js';
import { plain } from './run-rows.js';
import { endOf, headlineOf, notInjected, paragraphOf, subjectText, whyOf } from './run-story.js';

/** The report as JUnit XML. */
export function renderRunJunit(digest: RunDigest): string {
  return junitText(`toolquake run ${subjectText(digest)}`, [
    { name: 'verdict', cases: [verdictCase(digest)] },
    { name: 'preconditions', cases: preconditionCases(digest) },
    { name: 'steady state', cases: steadyCases(digest) },
    { name: 'faults take effect', cases: actionCases(digest) },
    { name: 'undo', cases: undoCases(digest) },
    { name: 'findings', cases: findingCases(digest) },
    { name: 'tripwires', cases: tripCases(digest) },
    { name: 'figures', cases: figureCases(digest) },
  ]);
}

const judged = (isGood: boolean, failure: string): JunitCase['outcome'] => (isGood ? 'passed' : { failure });

function verdictCase(digest: RunDigest): JunitCase {
  const end = endOf(digest);
  return {
    name: digest.about?.question ?? 'the run has a verdict',
    outcome: judged(end === 'held', `${headlineOf(end)}: ${whyOf(digest)}`),
    output: `${whyOf(digest)} ${paragraphOf(digest)}`,
  };
}

const preconditionCases = ({ preconditions }: RunDigest): readonly JunitCase[] =>
  preconditions.list.map(({ name, isMet, detail }) => ({ name, outcome: judged(isMet, detail), output: isMet ? detail : '' }));

const steadyCases = ({ steady }: RunDigest): readonly JunitCase[] =>
  steady.map(({ phase, rule, looks, states, last, low, high }) => {
    // Only what holds in the end counts after the fault: coming back takes its time.
    // What never held is not good: silence is never green.
    const isGood = phase === 'after' ? last.state === 'holds' : states.fails === 0 && states.holds > 0;
    const seen = `${plain(last.value)} at last, ${plain(low)} to ${plain(high)} in ${many(looks, 'look')}; ${states.few} too few, ${states.silent} silent`;
    return {
      name: `${phase}: ${rule}`,
      outcome: judged(isGood, `held in ${states.holds} of ${many(looks, 'look')}, failed in ${states.fails}: ${seen}`),
      output: seen,
    };
  });

function actionCases(digest: RunDigest): readonly JunitCase[] {
  const missing = notInjected(digest);
  return digest.actions.map(({ id, action, detail }) => {
    const why = missing.find((one) => one.id === id)?.why;
    return { name: `${id} (${action})`, outcome: judged(why === undefined, why ?? ''), output: why === undefined ? (detail ?? '') : '' };
  });
}

const undoCases = ({ undos }: RunDigest): readonly JunitCase[] =>
  undos.map(({ name, state, proof, by }) => ({
    name: `${name}, by ${by}`,
    outcome: judged(state !== 'not-undone', `not undone: ${proof}`),
    output: state === 'not-undone' ? '' : `${state}: ${proof}`,
  }));

const findingCases = ({ findings }: RunDigest): readonly JunitCase[] =>
  findings.list.map(({ name, detail }) => ({
    name: `${findingMeaning(name).priority} ${name}`,
    outcome: { failure: `${detail} ${adviceFor(name)}` },
  }));

const tripCases = ({ trips }: RunDigest): readonly JunitCase[] =>
  trips.list.map(({ rule, value, why }) => ({ name: rule, outcome: { failure: `${plain(value)}: ${why}` } }));

/** What the verdict says must follow from the journal. */
const figureCases = ({ disagreements }: RunDigest): readonly JunitCase[] =>
  disagreements.length === 0
    ? [{ name: 'the verdict follows from the journal', outcome: 'passed' }]
    : disagreements.map((one) => ({ name: one.what, outcome: { failure: disagreementText(one) } }));
