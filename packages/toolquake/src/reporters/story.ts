/** What a report says first: what was run, what broke, what contained it. Sentences that follow from the numbers. */
import type { Digest } from './journal-digest.js';
import { pointText, type Cell, type Comparison } from './digest/comparison.js';
import type { Estimate } from './digest/estimate.js';
import { hasNeverFired, type RuleRecord } from './digest/rule-book.js';
import { lagOf, turningPoints, type Sweep } from './digest/sweep.js';
import type { Expectation } from './digest/task-book.js';
import { duration, grouped, many, percent } from './figures.js';

/** The first screen. */
export type Story = {
  readonly ran: readonly string[];
  readonly broke: readonly string[];
  readonly contained: readonly string[];
  /** Rules that tested nothing. */
  readonly neverFired: readonly RuleRecord[];
};

/** Bounds of plans that live runs did not keep. */
export const brokenExpectations = ({ tasks }: Digest): readonly Expectation[] => (tasks?.expectations ?? []).filter(({ holds }) => !holds);

/** How many of each the first screen has room for. */
const MAX_SENTENCES = 4;

/** Tells it. */
export function storyOf(digest: Digest): Story {
  const broke = [
    ...digest.comparisons.flatMap(brokenIn),
    ...sequencesIn(digest),
    ...sweepsIn(digest),
    ...(digest.comparisons.length === 0 ? callsIn(digest) : []),
  ];
  return {
    ran: ranIn(digest),
    broke: broke.length === 0 ? ['Nothing that this journal could tell.'] : broke.slice(0, MAX_SENTENCES),
    contained: containedIn(digest).slice(0, MAX_SENTENCES),
    neverFired: digest.rules.filter(hasNeverFired),
  };
}

function ranIn({ runs, calls, rules, comparisons, control }: Digest): readonly string[] {
  const where = runs.transports.map((name) => (name === 'simulator' ? 'the simulator' : name)).join(' and ');
  const longest = runs.list.reduce((most, { lastMs }) => Math.max(most, lastMs), 0);
  const parts = [
    `${many(runs.count, 'run')} on ${where}`,
    seedText(runs.seeds),
    ...(rules.length === 0 ? [] : [many(rules.length, 'rule')]),
    ...(calls.told === 0 ? [] : [many(calls.told, 'call')]),
    ...(longest === 0 ? [] : [runs.count === 1 ? duration(longest) : `up to ${duration(longest)} each`]),
    ...(runs.eras.length === 0 ? [] : [`${runs.eras.join(' and ')} era`]),
  ];
  const scenarios = comparisons.map(
    ({ scenario, variants, cells, keys }) =>
      `Scenario ${scenario}: ${many(variants.length, 'variant')}${keys.length === 0 ? '' : `, ${many(new Set(cells.map(({ point }) => pointText(point))).size, 'point')} (${keys.join(', ')})`}.`,
  );
  const changes = control.kinds.map(({ text, count }) => `${grouped(count)} ${text}`).join(', ');
  return [`${parts.join(', ')}.`, ...(changes === '' ? [] : [`Control while it ran: ${changes}.`]), ...scenarios.slice(0, MAX_SENTENCES)];
}

/** `seed 42`, `seeds 1, 2 and 5`, `20 seeds from 0 to 19`. */
export function seedText({ count, first, low, high, hasMore }: Digest['runs']['seeds']): string {
  if (count === 1) return `seed ${low}`;
  if (count <= 3) return `seeds ${first.slice(0, -1).join(', ')} and ${first.at(-1)}`;
  return `${hasMore ? 'more than ' : ''}${grouped(count)} seeds from ${low} to ${high}`;
}

/** Share of the tasks that failed, or went on with a wrong answer. */
const harmOf = ({ blastRadius, deceived }: Cell): number => (blastRadius.mean ?? 0) + (deceived.mean ?? 0);

const worstOf = (cells: readonly Cell[]): Cell | undefined =>
  cells.reduce<Cell | undefined>((worst, cell) => (worst === undefined || harmOf(cell) > harmOf(worst) ? cell : worst), undefined);

/** Where a system without a defence is hurt most; where none is called so, or it is not hurt, the worst of all. */
function worstCell({ cells }: Comparison): Cell | undefined {
  const bare = worstOf(cells.filter(({ variant }) => /^(without|no|none|off|bare|before|baseline)\b/i.test(variant)));
  return bare !== undefined && harmOf(bare) > 0 ? bare : worstOf(cells);
}

/** All variants at the point that hurts most, the one that is hurt first: where a defence has most to show. */
export function comparedCells(comparison: Comparison): readonly Cell[] {
  const worst = worstCell(comparison);
  if (worst === undefined) return comparison.totals;
  const others = comparison.cells.filter(({ variant, point }) => variant !== worst.variant && pointText(point) === pointText(worst.point));
  return [worst, ...others];
}

const atPoint = ({ point }: Cell): string => (Object.keys(point).length === 0 ? '' : ` at ${pointText(point)}`);

function brokenIn(comparison: Comparison): readonly string[] {
  const [worst] = comparedCells(comparison);
  if (worst?.blastRadius.mean === undefined) return [];
  const where = `${atPoint(worst)} ("${worst.variant}"${worst.onPaper === undefined ? '' : `, on paper ${percent(worst.onPaper)}`})`;
  if (harmOf(worst) === 0) return [`No task failed${where}.`];
  const deceived = worst.deceivedTasks === 0 ? '' : `${percent(worst.deceived.mean)} of tasks went on with a wrong answer`;
  if (worst.blastRadius.mean === 0) return [`No task failed, yet ${deceived}${where}.`];
  return [`${percent(worst.blastRadius.mean)} of tasks failed${where}${deceived === '' ? '' : `, and ${deceived}`}.`];
}

function containedIn(digest: Digest): readonly string[] {
  const compared = [...digest.comparisons.flatMap(containedBy), ...recoveredIn(digest)];
  if (compared.length > 0) return compared;
  const { faulted, unharmed } = digest.calls;
  const unknown = tasksIn(digest) ?? 'What the agent made of it is not in this journal: it tells calls, not how tasks ended.';
  if (faulted === 0) return [digest.calls.told === 0 ? 'Nothing to compare with: the journal has one variant.' : unknown];
  return [`${grouped(unharmed)} of ${grouped(faulted)} calls that met a fault still came back ok and unchanged.`, unknown];
}

/** How the tasks of live runs ended, as far as calls and exit codes tell. */
function tasksIn({ tasks }: Digest): string | undefined {
  const radius = tasks?.overall.measures.blastRadius;
  if (tasks === undefined || radius === undefined) return undefined;
  const failed = Math.round(radius * tasks.count);
  return `${grouped(tasks.count - failed)} of ${many(tasks.count, 'task')} ended well: exit 0 where that was seen, and every operation got a correct answer.`;
}

function containedBy(comparison: Comparison): readonly string[] {
  const [worst, ...others] = comparedCells(comparison);
  if (worst === undefined || harmOf(worst) === 0) return [];
  if (others.length === 0) return ['Nothing to compare with: the journal has one variant.'];
  const least = Math.min(...others.map(harmOf));
  const best = others.filter((cell) => harmOf(cell) <= least + 1e-9);
  const names = best.map(({ variant }) => `"${variant}"`).join(', ');
  // Of the two ways to be hurt, the one that hurt more.
  const isDeceived = (worst.deceived.mean ?? 0) > (worst.blastRadius.mean ?? 0);
  const [before, after] = [worst, best[0]!].map((cell) => (isDeceived ? cell.deceived : cell.blastRadius)) as [Estimate, Estimate];
  const left = `${best.length === 1 ? 'leaves' : 'leave'} ${percent(after.mean)}${isDeceived ? ' deceived' : ''}`;
  if ((after.interval?.high ?? 1) >= (before.interval?.low ?? before.mean ?? 0)) {
    return [`Nothing did beyond doubt: ${names}, the best of the others, still ${left}.`];
  }
  const [cost, usual] = [best[0]?.callsPerOperation.mean, worst.callsPerOperation.mean];
  const price =
    cost === undefined || usual === undefined ? '' : `, for ${cost.toFixed(2)} calls per operation instead of ${usual.toFixed(2)}`;
  return [`${names} ${left}${atPoint(worst) === '' ? '' : ' there'}${price}.`];
}

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function sequencesIn({ sequences }: Digest): readonly string[] {
  return [...sequences]
    .sort((a, b) => b.runs - a.runs)
    .slice(0, 2)
    .map(
      ({ sequence, runs, label, firstAtMs }) =>
        `${capitalised(sequence)} came about in ${many(runs, 'run')} ("${label}"), first after ${duration(firstAtMs)}.`,
    );
}

function sweepText(sweep: Sweep): string {
  const { failsAt, recoversAt } = turningPoints(sweep);
  const { label, what } = sweep;
  if (failsAt === undefined) return `"${label}" holds at every level of ${what}.`;
  const back = recoversAt === undefined ? 'never recovers on the way back' : `has recovered at ${recoversAt} on the way back`;
  return `"${label}" fails from ${what} ${failsAt} on and ${back}.`;
}

/** From the one that recovers last to the one that recovers first. */
function sweepsByLag({ sweeps }: Digest): readonly Sweep[] {
  return sweeps
    .filter(({ up, down }) => up.length > 0 && down.length > 0)
    .sort((a, b) => (lagOf(a) === lagOf(b) ? 0 : lagOf(b) - lagOf(a)));
}

function sweepsIn(digest: Digest): readonly string[] {
  const worst = sweepsByLag(digest)[0];
  return worst === undefined || lagOf(worst) === 0 ? [] : [sweepText(worst)];
}

function recoveredIn(digest: Digest): readonly string[] {
  const [worst, ...others] = sweepsByLag(digest);
  const best = others.at(-1);
  return worst === undefined || best === undefined || lagOf(best) >= lagOf(worst) ? [] : [sweepText(best)];
}

function callsIn({ groups, calls }: Digest): readonly string[] {
  if (calls.calls === 0) return [];
  return groups.map(({ label, calls: own }) => {
    if (own.told > own.calls)
      return `${capitalised(label)}: ${many(own.calls, 'call')} of ${grouped(own.told)} met a fault, and ${grouped(own.failed)} of these failed.`;
    const altered = own.altered === 0 ? '' : `, ${grouped(own.altered)} more carried a changed answer`;
    const hurt =
      own.hurtTasks === undefined || own.tasks === undefined
        ? ''
        : `; ${grouped(own.hurtTasks)} of ${many(own.tasks, 'task')} had a failed call`;
    const what = `${grouped(own.failed)} of ${many(own.calls, 'call')} failed (${percent(own.failed / own.calls)})${altered}${hurt}.`;
    return groups.length === 1 ? what : `${capitalised(label)}: ${what}`;
  });
}
