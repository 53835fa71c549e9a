/** What a report says first: what was run, what broke, what contained it. Sentences that follow from the numbers. */
import type { Digest } from './journal-digest.js';
import { pointText, type Cell, type Comparison } from './digest/comparison.js';
import { hasNeverFired, type RuleRecord } from './digest/rule-book.js';
import { turningPoints, type Sweep } from './digest/sweep.js';
import { duration, grouped, many, percent } from './figures.js';

/** The first screen. */
export type Story = {
  readonly ran: readonly string[];
  readonly broke: readonly string[];
  readonly contained: readonly string[];
  /** Rules that tested nothing. */
  readonly neverFired: readonly RuleRecord[];
};

/** How many of each the first screen has room for. */
const MAX_SENTENCES = 4;

/** Tells it. */
export function storyOf(digest: Digest): Story {
  const broke = [...digest.comparisons.flatMap(brokenIn), ...sequencesIn(digest), ...sweepsIn(digest), ...callsIn(digest)];
  return {
    ran: ranIn(digest),
    broke: broke.length === 0 ? ['Nothing that this journal could tell.'] : broke.slice(0, MAX_SENTENCES),
    contained: containedIn(digest).slice(0, MAX_SENTENCES),
    neverFired: digest.rules.filter(hasNeverFired),
  };
}

function ranIn({ runs, calls, rules, comparisons }: Digest): readonly string[] {
  const where = runs.transports.map((name) => (name === 'simulator' ? 'the simulator' : name)).join(' and ');
  const longest = runs.list.reduce((most, { lastMs }) => Math.max(most, lastMs), 0);
  const parts = [
    `${many(runs.count, 'run')} on ${where}`,
    seedText(runs.seeds),
    ...(rules.length === 0 ? [] : [many(rules.length, 'rule')]),
    ...(calls.calls === 0 ? [] : [many(calls.calls, 'call')]),
    ...(longest === 0 ? [] : [runs.count === 1 ? duration(longest) : `up to ${duration(longest)} each`]),
    ...(runs.eras.length === 0 ? [] : [`${runs.eras.join(' and ')} era`]),
  ];
  const scenarios = comparisons.map(
    ({ scenario, variants, cells, keys }) =>
      `Scenario ${scenario}: ${many(variants.length, 'variant')}${keys.length === 0 ? '' : `, ${many(new Set(cells.map(({ point }) => pointText(point))).size, 'point')} (${keys.join(', ')})`}.`,
  );
  return [`${parts.join(', ')}.`, ...scenarios.slice(0, MAX_SENTENCES)];
}

/** `seed 42`, `seeds 1, 2 and 5`, `20 seeds from 0 to 19`. */
export function seedText({ count, first, low, high, hasMore }: Digest['runs']['seeds']): string {
  if (count === 1) return `seed ${low}`;
  if (count <= 3) return `seeds ${first.join(', ')}`;
  return `${hasMore ? 'more than ' : ''}${grouped(count)} seeds from ${low} to ${high}`;
}

/** The variant that others are compared with: the one without a defence, or the first. */
function baselineOf({ totals }: Comparison): Cell | undefined {
  return totals.find(({ variant }) => /^(without|no|none|off|bare|before|baseline)\b/i.test(variant)) ?? totals[0];
}

/** Where the baseline fails most. */
function worstCell({ cells }: Comparison, variant: string): Cell | undefined {
  return cells
    .filter((cell) => cell.variant === variant)
    .reduce<Cell | undefined>((worst, cell) => ((cell.blastRadius.mean ?? 0) > (worst?.blastRadius.mean ?? -1) ? cell : worst), undefined);
}

/** All variants at the point where the baseline fails most, the baseline first: where a defence has most to show. */
export function comparedCells(comparison: Comparison): readonly Cell[] {
  const baseline = baselineOf(comparison);
  const worst = baseline === undefined ? undefined : worstCell(comparison, baseline.variant);
  if (worst === undefined) return comparison.totals;
  const others = comparison.cells.filter(({ variant, point }) => variant !== worst.variant && pointText(point) === pointText(worst.point));
  return [worst, ...others];
}

const atPoint = ({ point }: Cell): string => (Object.keys(point).length === 0 ? '' : ` at ${pointText(point)}`);

function brokenIn(comparison: Comparison): readonly string[] {
  const [worst] = comparedCells(comparison);
  if (worst?.blastRadius.mean === undefined) return [];
  if (worst.blastRadius.mean === 0) return [`${comparison.scenario}: no task failed ("${worst.variant}").`];
  const paper = worst.onPaper === undefined ? '' : `, on paper ${percent(worst.onPaper)}`;
  const deceived = worst.deceivedTasks === 0 ? '' : `, and ${percent(worst.deceived.mean)} went on with a wrong answer`;
  return [`${percent(worst.blastRadius.mean)} of tasks failed${atPoint(worst)} ("${worst.variant}"${paper})${deceived}.`];
}

function containedIn(digest: Digest): readonly string[] {
  const compared = [...digest.comparisons.flatMap(containedBy), ...recoveredIn(digest)];
  if (compared.length > 0) return compared;
  const { faulted, unharmed } = digest.calls;
  const unknown = 'What the agent made of it is not in this journal: it tells calls, not how tasks ended.';
  if (faulted === 0) return [digest.calls.calls === 0 ? 'Nothing to compare with: the journal has one variant.' : unknown];
  return [`${grouped(unharmed)} of ${grouped(faulted)} calls that met a fault still came back ok and unchanged.`, unknown];
}

function containedBy(comparison: Comparison): readonly string[] {
  const [worst, ...others] = comparedCells(comparison);
  if (worst?.blastRadius.mean === undefined || worst.blastRadius.mean === 0) return [];
  const best = others.reduce<Cell | undefined>(
    (least, cell) => ((cell.blastRadius.mean ?? 1) < (least?.blastRadius.mean ?? Infinity) ? cell : least),
    undefined,
  );
  if (best === undefined) return ['Nothing to compare with: the journal has one variant.'];
  const isBetter = (best.blastRadius.interval?.high ?? 1) < (worst.blastRadius.interval?.low ?? worst.blastRadius.mean);
  if (!isBetter) return [`Nothing did: "${best.variant}", the best of the others, still leaves ${percent(best.blastRadius.mean)}.`];
  const [cost, before] = [best.callsPerOperation.mean, worst.callsPerOperation.mean];
  const price =
    cost === undefined || before === undefined ? '' : `, for ${cost.toFixed(2)} calls per operation instead of ${before.toFixed(2)}`;
  return [`"${best.variant}" leaves ${percent(best.blastRadius.mean)} there${price}.`];
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

/** How far the way down stays behind the way up. */
function lagOf(sweep: Sweep): number {
  const { failsAt, recoversAt } = turningPoints(sweep);
  return failsAt === undefined ? 0 : recoversAt === undefined ? Infinity : failsAt - recoversAt;
}

function sweepText(sweep: Sweep): string {
  const { failsAt, recoversAt } = turningPoints(sweep);
  const { label, what } = sweep;
  if (failsAt === undefined) return `"${label}" holds at every level of ${what}.`;
  const back = recoversAt === undefined ? 'never recovers on the way back' : `has recovered at ${recoversAt} on the way back`;
  return `"${label}" fails from ${failsAt} ${what} on and ${back}.`;
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
    const altered = own.altered === 0 ? '' : `, ${grouped(own.altered)} more carried a changed answer`;
    const hurt =
      own.hurtTasks === undefined || own.tasks === undefined
        ? ''
        : `; ${grouped(own.hurtTasks)} of ${many(own.tasks, 'task')} had a failed call`;
    const what = `${grouped(own.failed)} of ${many(own.calls, 'call')} failed (${percent(own.failed / own.calls)})${altered}${hurt}.`;
    return groups.length === 1 ? what : `${capitalised(label)}: ${what}`;
  });
}
