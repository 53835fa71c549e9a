/** What a run would do, decided before anything is started: the file, the refusals, the stage, and the digest that is agreed to. */
import { ToolquakeError } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import * as kinds from '../actions/kinds/index.js';
import { loadExperiment, type LoadedExperiment } from '../config/load-experiment.js';
import { faultDigest, planDigest, targetDigestOf, targetIdentityOf } from '../experiments/digests.js';
import { askLadder, type LadderAnswer } from '../experiments/ladder.js';
import { refusalsOf } from '../experiments/refusals.js';
import { probeTarget } from '../targets/probe-target.js';
import { actionsAt, type StagedAction } from './experiment-actions.js';
import { missedAlerts } from './missed-alerts.js';
import { listRuns } from './run-store.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What planning needs. */
export type PlanRunOptions = {
  /** The file of the experiment. */
  readonly file: string;
  /** The file that describes targets. */
  readonly project?: string | undefined;
  /** The folder of the project: its runs are below it. */
  readonly root: string;
  readonly stage?: number | undefined;
  readonly env: Env;
  readonly signal: AbortSignal;
};

/** A run that may be started. */
export type PlannedRun = LoadedExperiment & {
  readonly root: string;
  readonly ladder: LadderAnswer & { readonly isAllowed: true };
  readonly actions: readonly StagedAction[];
  /** One text for one server: what locks and approvals are about. */
  readonly targetIdentity: string;
  /** Of the identity: what is kept of it. */
  readonly targetDigest: string;
  readonly faultDigest: string;
  readonly planDigest: string;
  /** Undefined while nobody could see it. */
  readonly build: string | undefined;
};

/** Throws a `ToolquakeError` with everything that speaks against it. Starts nothing; looks at the target once. */
export async function planRun(options: PlanRunOptions): Promise<PlannedRun> {
  const { file, root, env, project } = options;
  const loaded = await loadExperiment(file, file, { actions: kinds, project });
  const { experiment, target } = loaded;
  refuseProduction(loaded, env);
  const identity = targetIdentityOf(target);
  const faults = faultDigest(experiment);
  const targetDigest = targetDigestOf(identity);
  const build = await seenBuild(loaded, options);
  const ladder = askLadder({
    experiment,
    runs: await listRuns(root),
    faultDigest: faults,
    targetDigest,
    missedElsewhere: missedAlerts(env).filter((one) => one.targetDigest === targetDigest),
    build,
    stage: options.stage,
    actionWords: Object.values(kinds).map(({ type }) => type),
  });
  if (!ladder.isAllowed) throw new ToolquakeError('NOT_ALLOWED', { message: `${ladder.why} Nothing was started.`, advice: ladder.advice });
  return {
    ...loaded,
    root,
    ladder,
    actions: actionsAt(experiment, ladder.dose),
    targetIdentity: identity,
    targetDigest,
    faultDigest: faults,
    planDigest: planDigest({ experiment, stage: ladder.stage, targetIdentity: identity, target }),
    build,
  };
}

/** Refuses in the name of the rule that says so. */
function refuseProduction({ experiment, target }: Pick<LoadedExperiment, 'experiment' | 'target'>, env: Env): void {
  const [first, ...more] = refusalsOf(experiment, target, env);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more: ${more.map(({ rule }) => rule).join(', ')})`;
  throw new ToolquakeError('NOT_ALLOWED', { message: `${first.message}${others} Nothing was started.`, advice: first.advice });
}

/** Name, version and tools of what answers there now. A result on one build says nothing about another. */
export async function seenBuild(
  { target }: Pick<LoadedExperiment, 'target'>,
  world: { env: Env; signal: AbortSignal },
): Promise<string | undefined> {
  const { report, manifestHash } = await probeTarget(target, { clock: realClock, wallClockMs: Date.now, ...world });
  if (manifestHash === undefined) return undefined;
  return `${report.facts?.server ?? target.target.name} #${manifestHash.slice(0, 12)}`;
}

const LOOKS = 3;

/** The build that is there now. One that nobody saw, or that came after the stage was chosen, is none that a result can be about. */
export async function sameBuild(planned: PlannedRun, world: Parameters<typeof seenBuild>[1]): Promise<string> {
  let build: string | undefined;
  // One look that failed says little of a server that was steady a moment ago.
  for (let tries = 0; build === undefined && tries < LOOKS && !world.signal.aborted; tries++) build = await seenBuild(planned, world);
  if (build === undefined) throw new Error('its tools could not be listed');
  if (planned.build !== undefined && build !== planned.build)
    throw new Error(`it was ${planned.build} when the run was planned, and is ${build} now; start the run again`);
  return build;
}
