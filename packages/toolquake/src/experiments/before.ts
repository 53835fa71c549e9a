/** Before anything is injected: what must be true of the world, the steady state, and which build this is. */
import type { Precondition } from './ports.js';
import { MAX_STRETCH } from './read-rule.js';
import type { Run } from './run.js';
import { lookAtSteady, longestWindowMs, provenSteadySinceMs, rulesOf, type SteadyLook } from './steady-state.js';
import { settle } from './attend.js';

/** The world gets this long to say whether the run may begin, and which build it will be about. */
const ANSWER_MS = 60_000;

/** Whether all preconditions are met. None at all that could be looked at is not met. */
export async function meetsPreconditions(run: Run): Promise<boolean> {
  const { ports, record } = run;
  record({ kind: 'phase', atMs: ports.nowMs(), phase: 'preconditions' });
  if (run.lookOutside() !== undefined) return false;
  const found = await run.attend(
    settle(() => ports.preconditions()),
    ANSWER_MS,
    run.lookOutside,
  );
  if (found.kind === 'stopped') return false;
  const unknown = (detail: string): Precondition[] => [{ name: 'preconditions', isMet: false, detail }];
  const all =
    found.kind === 'done'
      ? found.value
      : unknown(found.kind === 'failed' ? `They could not be looked at: ${found.why}` : `No answer within ${ANSWER_MS / 1000} s.`);
  for (const one of all) record({ kind: 'precondition', atMs: ports.nowMs(), name: one.name, isMet: one.isMet, detail: one.detail });
  return all.every((one) => one.isMet);
}

/** Whether the target is steady for a whole window. Too few samples get up to four windows; what fails at the end of the first is no baseline. */
export async function isSteadyBefore(run: Run): Promise<boolean> {
  const { experiment, ports, record } = run;
  const rules = rulesOf(experiment, 'before');
  const windowMs = longestWindowMs(rules);
  const fromMs = ports.nowMs();
  const beganMs = ports.clock.nowMs();
  const looks: SteadyLook[] = [];
  record({ kind: 'phase', atMs: fromMs, phase: 'before' });
  for (;;) {
    const { kind } = await run.attend(undefined, experiment.times.tickMs, run.lookOutside);
    if (kind === 'stopped') return false;
    const look = lookAtSteady(rules, 'before', ports.samples, ports.nowMs(), run.cadence);
    looks.push(look);
    record(look);
    const lastedMs = ports.clock.nowMs() - beganMs;
    if (lastedMs < Math.max(experiment.times.beforeMs, windowMs)) continue;
    if (provenSteadySinceMs(looks, rules, fromMs) !== undefined) return true;
    const isBroken = look.rules.some((rule) => rule.state === 'fails');
    if (isBroken || lastedMs >= Math.max(experiment.times.beforeMs, MAX_STRETCH * windowMs)) return false;
  }
}

/** Whether it is steady at this moment: finding out the build may have taken its time. */
export function isSteadyStill({ experiment, ports, record, cadence }: Run): boolean {
  const look = lookAtSteady(rulesOf(experiment, 'before'), 'before', ports.samples, ports.nowMs(), cadence);
  record(look);
  return look.isSteady;
}

/** Whether it is known which build the result will be about: a result of nothing in particular proves nothing. */
export async function knowsBuild(run: Run): Promise<boolean> {
  const { ports, record } = run;
  const found = await run.attend(
    settle(() => ports.build()),
    ANSWER_MS,
    run.lookOutside,
  );
  if (found.kind === 'done') record({ kind: 'build', atMs: ports.nowMs(), build: found.value });
  else if (found.kind !== 'stopped') {
    const why = found.kind === 'failed' ? found.why : `no answer within ${ANSWER_MS / 1000} s`;
    record({
      kind: 'precondition',
      atMs: ports.nowMs(),
      name: 'build',
      isMet: false,
      detail: `The build of the target is not known: ${why}`,
    });
  }
  return found.kind === 'done';
}
