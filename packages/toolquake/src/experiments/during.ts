/** The fault: each action prepared, its steps performed, its effect seen from outside, and kept for its time. Says what is open, whatever happened. */
import type { PreparedAction, PreparedStep } from '../core/prepared-action.js';
import type { Experiment } from '../core/experiment.js';
import { settle, type Settled } from './attend.js';
import type { RunAction } from './ports.js';
import type { Run } from './run.js';
import { longestWindowMs, provenSteadySinceMs, rulesOf } from './steady-state.js';

/** A change that was begun. Until `settled` is there, it may still happen. */
export type BegunStep = {
  readonly action: string;
  readonly step: PreparedStep;
  readonly begun: Promise<Settled<void>>;
  settled: Settled<void> | undefined;
};

/** What has to be taken back and let go of. */
export type Open = { readonly prepared: PreparedAction[]; readonly steps: BegunStep[] };

/** Reading the world, and changing it, may each take this long. */
const PREPARE_MS = 60_000;
const PERFORM_MS = 60_000;
/** From the change until its effect has to be seen. */
const EFFECT_MS = 10_000;
/** Whoever has not recovered in twice the time it has is not slow, but broken. */
export const SLOW_FACTOR = 2;

const lateText = (forMs: number): string => `It had not ended after ${forMs / 1000} s.`;

/** Resolves to the action, ready; undefined when it cannot be done or the run has stopped. */
async function prepare(run: Run, action: RunAction, open: Open): Promise<PreparedAction | undefined> {
  const begun = settle(() => action.prepare());
  const result = await run.attend(begun, PREPARE_MS, run.look);
  if (result.kind === 'done') {
    open.prepared.push(result.value);
    return result.value;
  }
  // What is ready too late is let go of all the same.
  void begun.then(async (late) => {
    if (late.kind === 'done') await settle(() => late.value.release());
  });
  if (result.kind !== 'stopped') fail(run, action, result.kind === 'failed' ? result.why : lateText(PREPARE_MS));
  return undefined;
}

function fail(run: Run, { step }: RunAction, detail: string, state: 'failed' | 'not-in-effect' | 'ended-early' = 'failed'): void {
  run.record({ kind: 'action', atMs: run.ports.nowMs(), id: step.id, action: step.action, state, detail });
}

/** Performs the steps of an action, in order; false when one fails or the run has stopped. */
async function perform(run: Run, action: RunAction, prepared: PreparedAction, open: Open): Promise<boolean> {
  const { ports } = run;
  const { id, action: word } = action.step;
  // Before every change, not only at every tick: nothing is begun after a stop.
  if (run.look() !== undefined) return false;
  run.arm(action.blast);
  run.record({ kind: 'action', atMs: ports.nowMs(), id, action: word, state: 'applying', detail: action.about });
  for (const step of prepared.steps) {
    if (run.look() !== undefined) return false;
    const one: BegunStep = { action: id, step, begun: settle(() => ports.perform(id, step)), settled: undefined };
    open.steps.push(one);
    void one.begun.then((settled) => (one.settled = settled));
    const result = await run.attend(one.begun, PERFORM_MS, run.look);
    if (result.kind === 'stopped') return false;
    if (result.kind !== 'done') {
      fail(run, action, `${step.name}: ${result.kind === 'failed' ? result.why : lateText(PERFORM_MS)}`);
      return false;
    }
  }
  run.record({ kind: 'action', atMs: ports.nowMs(), id, action: word, state: 'applied' });
  return true;
}

/** Asks until the effect is seen or its time is over; false when it is not there, or the run has stopped. */
async function isInEffect(run: Run, action: RunAction, prepared: PreparedAction, when: 'first' | 'last'): Promise<boolean> {
  const { clock, nowMs } = run.ports;
  const { id, action: word } = action.step;
  const endMs = clock.nowMs() + EFFECT_MS;
  let proof = 'nothing was said about it';
  do {
    const result = await run.attend(
      settle(() => prepared.verifyEffect()),
      Math.max(0, endMs - clock.nowMs()),
      run.look,
    );
    if (result.kind === 'stopped') return false;
    if (result.kind === 'done' && result.value.isInEffect) {
      if (when === 'last') return true;
      run.record({ kind: 'action', atMs: nowMs(), id, action: word, state: 'in-effect', detail: result.value.proof });
      return true;
    }
    if (result.kind === 'done') ({ proof } = result.value);
    if (result.kind === 'failed') proof = result.why;
    const rest = await run.attend(undefined, run.experiment.times.tickMs, run.look);
    if (rest.kind === 'stopped') return false;
  } while (clock.nowMs() < endMs);
  fail(run, action, proof, when === 'first' ? 'not-in-effect' : 'ended-early');
  return false;
}

/** How long a system that has to heal itself under the fault is waited for. */
const healingMs = (experiment: Experiment): number =>
  experiment.mustSelfHeal ? SLOW_FACTOR * experiment.recoverWithinMs + longestWindowMs(rulesOf(experiment, 'after')) : 0;

/**
 * From the first change until all is undone, at most. What ends by itself must not end sooner: a fault that is over would pass for
 * a system that bears it, or that has healed itself.
 */
export const longestFaultMs = (experiment: Experiment): number =>
  experiment.actions.reduce((sum, { forMs }) => sum + EFFECT_MS + forMs + EFFECT_MS, 0) + healingMs(experiment);

/** Waits until the system has healed itself under the fault, or has had its time twice. */
async function awaitHealing(run: Run): Promise<void> {
  const { experiment, healing, ports } = run;
  const rules = rulesOf(experiment, 'after');
  const onMs = run.faultOnMs() ?? ports.nowMs();
  const endMs = ports.clock.nowMs() + healingMs(experiment);
  while (provenSteadySinceMs(healing, rules, onMs) === undefined && ports.clock.nowMs() < endMs) {
    const { kind } = await run.attend(undefined, experiment.times.tickMs, run.look);
    if (kind === 'stopped') return;
  }
}

/** Does all actions in order. Never rejects; what is left to undo is in `open`. */
export async function inject(run: Run, open: Open): Promise<void> {
  run.record({ kind: 'phase', atMs: run.ports.nowMs(), phase: 'during' });
  for (const action of run.ports.actions) {
    if (run.look() !== undefined) return;
    const prepared = await prepare(run, action, open);
    if (prepared === undefined || !(await perform(run, action, prepared, open))) return;
    if (!(await isInEffect(run, action, prepared, 'first'))) return;
    const stay = await run.attend(undefined, action.step.forMs, run.look);
    if (stay.kind === 'stopped') return;
    // A system that has to heal itself may well end a fault by itself.
    const mustLast = prepared.isLasting === true && !run.experiment.mustSelfHeal;
    if (mustLast && !(await isInEffect(run, action, prepared, 'last'))) return;
  }
  if (run.experiment.mustSelfHeal) await awaitHealing(run);
}

/** A dry run: reads the world, tells what would be hit, and changes nothing. */
export async function rehearse(run: Run, open: Open): Promise<void> {
  for (const action of run.ports.actions) {
    const prepared = await prepare(run, action, open);
    if (prepared === undefined) return;
    for (const hit of prepared.hits) run.record({ kind: 'note', atMs: run.ports.nowMs(), text: `${action.step.id} would hit: ${hit}` });
  }
}
