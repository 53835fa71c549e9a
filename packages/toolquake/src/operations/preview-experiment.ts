/** What a stage would do, looked at in the world as it is: nothing is changed, and nothing is started that stays. */
import type { Action, ActionWorld } from '../actions/action.js';
import type { LoadedExperiment } from '../config/load-experiment.js';
import type { Feasibility, PreparedAction } from '../core/prepared-action.js';
import { faultDigest, planDigest, targetDigestOf, targetIdentityOf } from '../experiments/digests.js';
import { askLadder, type LadderAnswer } from '../experiments/ladder.js';
import { refusalsOf, type Refusal } from '../experiments/refusals.js';
import { dosed } from './experiment-actions.js';
import { missedAlerts } from './missed-alerts.js';
import { listRuns } from './run-store.js';

/** An action at the dose of the stage. `problem`: why nobody can say yet what it would hit. */
export type PreviewedAction = {
  readonly id: string;
  readonly action: string;
  readonly params: ActionParams;
  readonly forMs: number;
  readonly blast: Action['blast'];
  readonly feasibility: Feasibility;
  readonly hits: readonly string[];
  readonly steps: readonly { readonly name: string; readonly undo: string | null }[];
  readonly problem: string | undefined;
  readonly worstCase: string;
};

type ActionParams = Parameters<Action['scale']>[0];

/** See the module comment. */
export type ExperimentPreview = {
  readonly stage: number;
  readonly dose: number;
  /** What a person approves. */
  readonly planDigest: string;
  readonly faultDigest: string;
  readonly refusals: readonly Refusal[];
  readonly ladder: LadderAnswer;
  readonly actions: readonly PreviewedAction[];
};

/** What previewing needs. */
export type PreviewWorld = {
  readonly actions: readonly Action[];
  /** The project whose runs the ladder asks. */
  readonly root: string;
  readonly world: ActionWorld;
};

/** The preview of a stage; without one, of the stage that the ladder says. */
export async function previewExperiment(
  { experiment, target }: LoadedExperiment,
  wanted: number | undefined,
  { actions, root, world }: PreviewWorld,
): Promise<ExperimentPreview> {
  const digest = faultDigest(experiment);
  const targetIdentity = targetIdentityOf(target);
  const targetDigest = targetDigestOf(targetIdentity);
  const ladder = askLadder({
    experiment,
    runs: await listRuns(root),
    faultDigest: digest,
    targetDigest,
    missedElsewhere: missedAlerts(world.env).filter((one) => one.targetDigest === targetDigest),
    stage: wanted,
    actionWords: actions.map(({ type }) => type),
  });
  const stage = ladder.isAllowed ? ladder.stage : Math.min(Math.max(1, wanted ?? 1), experiment.dose.ladder.length);
  const dose = experiment.dose.ladder[stage - 1]!;
  const refusals = refusalsOf(experiment, target, world.env);
  const previewed: PreviewedAction[] = [];
  // What is refused is not even looked at.
  for (const step of refusals.length > 0 ? [] : experiment.actions) {
    const action = actions.find(({ type }) => type === step.action);
    if (action === undefined) throw new Error(`There is no action "${step.action}".`);
    const { params, forMs } = dosed(action, step, dose / 100);
    previewed.push({ id: step.id, action: step.action, forMs, ...(await previewAction(action, params, world)) });
  }
  return {
    stage,
    dose,
    planDigest: planDigest({ experiment, stage, targetIdentity, target }),
    faultDigest: digest,
    refusals,
    ladder,
    actions: previewed,
  };
}

async function previewAction(
  action: Action,
  params: ActionParams,
  world: ActionWorld,
): Promise<Omit<PreviewedAction, 'id' | 'action' | 'forMs'>> {
  const known = { params, blast: action.blast, worstCase: action.worstCase };
  const nothing = { ...known, hits: [], steps: [] };
  let feasibility: Feasibility;
  let prepared: PreparedAction;
  try {
    feasibility = await action.feasibility(params, world);
    if (!feasibility.isFeasible) return { ...nothing, feasibility, problem: undefined };
  } catch (error) {
    const why = reasonOf(error);
    return {
      ...nothing,
      feasibility: { isFeasible: false, why, act: 'Correct the parameters of the action, or the world that they speak of.' },
      problem: undefined,
    };
  }
  try {
    prepared = await action.prepare(params, world);
  } catch (error) {
    world.signal.throwIfAborted();
    return { ...nothing, feasibility, problem: reasonOf(error) };
  }
  const steps = prepared.steps.map(({ name, undo }) => ({ name, undo: undo?.kind ?? null }));
  await prepared.release();
  return { ...known, feasibility, hits: prepared.hits, steps, problem: undefined };
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
