/** A whole run: preconditions, steady before, faults, undo, steady after, verdict. Ends in bounded time whatever the world does, and undoes always. */
import type { Experiment } from '../core/experiment.js';
import { watchRecovery } from './after.js';
import { wordsOf } from './attend.js';
import { isSteadyBefore, isSteadyStill, knowsBuild, meetsPreconditions } from './before.js';
import { inject, rehearse, type Open } from './during.js';
import { judge, type Judgement } from './judge.js';
import type { EnginePorts } from './ports.js';
import { createRun, type Run } from './run.js';
import { releaseAll, undoEverything } from './undoing.js';

/** What this run is of the experiment. Its dose is in the actions already. */
export type RunStage = { readonly isDryRun: boolean };

/** Everything that can break anything. The undo is behind it, whatever comes out of it. */
async function shake(run: Run): Promise<void> {
  const open: Open = { prepared: [], steps: [] };
  try {
    await inject(run, open);
  } catch (error) {
    run.record({ kind: 'stop', atMs: run.ports.nowMs(), why: `The engine itself failed: ${wordsOf(error)}`, isAsked: false });
  } finally {
    await undoEverything(run, open);
  }
  // A tripwire leaves something to see: does it recover? Who asked us to stop, and a limit, want us gone.
  if (open.steps.length > 0 && run.lookOutside() === undefined) await watchRecovery(run);
}

async function dryRun(run: Run): Promise<void> {
  const open: Open = { prepared: [], steps: [] };
  await rehearse(run, open);
  await releaseAll(run, open);
}

/** Runs an experiment. Never rejects for what its ports do; the verdict is the last entry that it records. */
export async function runExperiment(experiment: Experiment, stage: RunStage, ports: EnginePorts): Promise<Judgement> {
  const run = createRun(experiment, ports);
  if ((await meetsPreconditions(run)) && (await isSteadyBefore(run)) && (await knowsBuild(run)) && isSteadyStill(run)) {
    await (stage.isDryRun ? dryRun(run) : shake(run));
  }
  const judgement = judge(run.entries(), experiment);
  for (const finding of judgement.findings) run.record(finding);
  run.record(judgement.verdict);
  return judgement;
}
