/** Which stage may run: a larger dose needs a green smaller one, on the same faults, target and build. Pure. */
import type { Experiment } from '../core/experiment.js';
import type { RunSummary } from '../core/run-summary.js';
import { widenings } from './widenings.js';

/** So many greens say what can be learnt from an experiment; more of the same say nothing. */
const ENOUGH_GREENS = 3;

/** What is asked. Stages count from 1. */
export type LadderQuestion = {
  readonly experiment: Experiment;
  readonly runs: readonly RunSummary[];
  readonly faultDigest: string;
  /** Of the server. Runs that do not know theirs are compared by the name of the target. */
  readonly targetDigest?: string | undefined;
  /** Missed alerts of this server that were found from other folders, and that nobody has acknowledged. */
  readonly missedElsewhere?: readonly { readonly runId: string; readonly target: string }[] | undefined;
  /** Unknown before anybody looked: then that of the newest run counts, and the question is asked again when it is known. */
  readonly build?: string | undefined;
  /** The stage that somebody wants; else the next one. */
  readonly stage?: number | undefined;
  /** Words of all actions there are, for what to try next. */
  readonly actionWords?: readonly string[] | undefined;
};

/** May it run? `counts` is false when a green would be one too many; `widen` then says what to do instead, a line each. */
export type LadderAnswer =
  | {
      readonly isAllowed: true;
      readonly stage: number;
      readonly dose: number;
      readonly greens: number;
      readonly counts: boolean;
      readonly widen: readonly string[];
    }
  | {
      readonly isAllowed: false;
      readonly rule: 'no-such-stage' | 'skipped-stage' | 'missed-alert';
      readonly why: string;
      readonly advice: string;
    };

/** Answers from the runs alone. */
export function askLadder(question: LadderQuestion): LadderAnswer {
  const { experiment, runs, stage: asked } = question;
  const { ladder } = experiment.dose;
  if (asked !== undefined && (!Number.isInteger(asked) || asked < 1 || asked > ladder.length)) {
    const last = ladder.length === 1 ? 'the only stage is 1' : `stages go from 1 to ${ladder.length}`;
    return {
      isAllowed: false,
      rule: 'no-such-stage',
      why: `There is no stage ${asked}: ${last}.`,
      advice: `The ladder is ${ladder.join(', ')} %.`,
    };
  }
  // By name or by address: neither another id nor another spelling gets around it.
  const blind =
    runs.find(
      (run) =>
        (run.target === experiment.target || isSameTarget(question, run)) &&
        run.acknowledged === undefined &&
        run.findings.some(({ name }) => name === 'missed-alert'),
    ) ?? question.missedElsewhere?.[0];
  if (blind !== undefined) {
    return {
      isAllowed: false,
      rule: 'missed-alert',
      why: `Run ${blind.runId} found that "${blind.target}" was down or wrong, and no alert came (P1).`,
      advice: `Repair the alerting first; then: toolquake runs acknowledge ${blind.runId} --why "..."`,
    };
  }
  const climbed = runsOfSameFault(question);
  const stage = asked ?? nextStage(climbed, ladder.length);
  if (stage > 1) {
    const below = newestOf(climbed, stage - 1);
    if (below?.verdict !== 'held') return skipped(question, stage, below);
  }
  const greens = climbed.filter((run) => run.stage === stage && run.verdict === 'held').length;
  const counts = greens < ENOUGH_GREENS;
  const widen = counts ? [] : widenings(experiment, stage, question.actionWords ?? []);
  return { isAllowed: true, stage, dose: ladder[stage - 1]!, greens, counts, widen };
}

const isSameTarget = ({ experiment, targetDigest }: LadderQuestion, run: RunSummary): boolean =>
  targetDigest === undefined || run.targetDigest === undefined ? run.target === experiment.target : run.targetDigest === targetDigest;

/** Real runs of the same faults at the same doses on the same build of the same target, in order of time. */
function runsOfSameFault(question: LadderQuestion): readonly RunSummary[] {
  const { experiment, runs, faultDigest, build } = question;
  const same = runs
    .filter((run) => !run.isDryRun && run.experiment === experiment.id && run.faultDigest === faultDigest && isSameTarget(question, run))
    // A rung that was moved since was never stood on.
    .filter((run) => run.dose === experiment.dose.ladder[run.stage - 1])
    .toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
  const wanted = build ?? same.findLast((run) => run.build !== undefined)?.build;
  return same.filter((run) => run.build === wanted && run.build !== undefined);
}

const newestOf = (runs: readonly RunSummary[], stage: number): RunSummary | undefined => runs.findLast((run) => run.stage === stage);

/** The first one that did not hold when it was run last; the largest when all did. */
function nextStage(runs: readonly RunSummary[], stages: number): number {
  for (let stage = 1; stage < stages; stage++) if (newestOf(runs, stage)?.verdict !== 'held') return stage;
  return stages;
}

function skipped(question: LadderQuestion, stage: number, below: RunSummary | undefined): LadderAnswer {
  const { experiment, runs, faultDigest, build } = question;
  const advice = `Run stage ${nextStage(runsOfSameFault(question), stage)} first.`;
  const refuse = (why: string): LadderAnswer => ({
    isAllowed: false,
    rule: 'skipped-stage',
    why: `Stage ${stage} needs stage ${stage - 1} to have held: ${why}.`,
    advice,
  });
  if (below !== undefined) return refuse(`its last run, ${below.runId}, is ${below.verdict}`);
  const others = runs.filter(
    (run) => run.experiment === experiment.id && run.stage === stage - 1 && run.verdict === 'held' && !run.isDryRun,
  );
  const other = others.findLast((run) => run.faultDigest === faultDigest && isSameTarget(question, run)) ?? others.at(-1);
  if (other === undefined) return refuse('it has not been run yet');
  if (!isSameTarget(question, other))
    return refuse(
      other.target === experiment.target ? `${other.runId} was on another server of this name` : `${other.runId} was on "${other.target}"`,
    );
  if (other.faultDigest !== faultDigest) return refuse(`${other.runId} injected something else; the actions have changed since`);
  const dose = experiment.dose.ladder[stage - 2];
  if (other.dose !== dose) return refuse(`${other.runId} was at ${other.dose} %, and stage ${stage - 1} is ${dose} % now`);
  return refuse(`${other.runId} was on another build${build === undefined ? '' : ` (${other.build ?? 'unknown'}; now it is ${build})`}`);
}
