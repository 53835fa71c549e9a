/** One run as its parts share it: the journal, the clock, and what may stop it. */
import type { Blast, Experiment } from '../core/experiment.js';
import type { RunEntry } from '../core/run-entry.js';
import { attend, wordsOf, type Late, type Settled, type Stopped } from './attend.js';
import { cadenceOf, type Cadence } from './cadence.js';
import { reachedLimit } from './limits.js';
import type { EnginePorts } from './ports.js';
import { lookAtSteady, rulesOf, type SteadyLook } from './steady-state.js';
import { createTripwires, tripRules } from './tripwires.js';

/** Why a run ends early. */
export type Stop = { readonly why: string; readonly isAsked: boolean; readonly by: 'trip' | 'limit' | 'outside' };

/** See the module comment. */
export type Run = {
  readonly experiment: Experiment;
  readonly ports: EnginePorts;
  readonly cadence: Cadence;
  record(entry: RunEntry): void;
  /** Everything that is in the journal so far. */
  entries(): readonly RunEntry[];
  /** An action is about to begin: from the first on, the steady state is looked at and tripwires trip. */
  arm(blast: Blast): void;
  /** When the first began that hits somebody; where none does, the first. */
  faultOnMs(): number | undefined;
  /** While there is a fault: everything that may stop the run. Says the same for ever once it has stopped it. */
  look(): Stop | undefined;
  /** While there is none: people, halts and limits. */
  lookOutside(): Stop | undefined;
  /** Looks at the rules for recovery during the fault, where the system has to heal itself. */
  readonly healing: readonly SteadyLook[];
  attend<Value>(
    begun: Promise<Settled<Value>> | undefined,
    forMs: number,
    look: () => Stop | undefined,
  ): Promise<Settled<Value> | Late | Stopped<Stop>>;
};

/** Begins a run. */
export function createRun(experiment: Experiment, ports: EnginePorts): Run {
  const cadence = cadenceOf(experiment);
  const tripwires = createTripwires(
    tripRules(
      experiment.rollbackOn,
      ports.actions.flatMap((action) => action.trips ?? []),
    ),
    cadence,
  );
  const rules = { during: rulesOf(experiment, 'during'), after: rulesOf(experiment, 'after') };
  const healing: SteadyLook[] = [];
  const own: RunEntry[] = [];
  let armedAtMs: number | undefined;
  let faultOnMs: number | undefined;
  let broken: string | undefined;
  let stopped: Stop | undefined;
  let lastLookMs: number | undefined;

  const record = (entry: RunEntry): void => {
    own.push(entry);
    try {
      ports.record(entry);
    } catch (error) {
      // What nobody can read afterwards proves nothing: end it, undo it, and say so.
      broken ??= wordsOf(error);
    }
  };

  /** Everything but tripwires. Asks the world, which may fail to answer: then it is not safe to go on. */
  const outside = (nowMs: number): Stop | undefined => {
    if (broken !== undefined) return { why: `The journal cannot be written: ${broken}`, isAsked: false, by: 'outside' };
    try {
      const reason = ports.stopReason();
      if (reason !== undefined) return { ...reason, by: 'outside' };
    } catch (error) {
      return { why: `Whether the run has to stop could not be told: ${wordsOf(error)}`, isAsked: false, by: 'outside' };
    }
    if (ports.signal.aborted) return { why: 'The run was interrupted.', isAsked: true, by: 'outside' };
    const limit = reachedLimit(experiment.limits, ports.samples.counts(), nowMs);
    return limit === undefined ? undefined : { why: limit, isAsked: false, by: 'limit' };
  };

  const lookOutside = (): Stop | undefined => {
    if (stopped !== undefined && stopped.by !== 'trip') return stopped;
    const nowMs = ports.nowMs();
    const stop = outside(nowMs);
    if (stop === undefined) return undefined;
    stopped = stop;
    record({ kind: 'stop', atMs: nowMs, why: stop.why, isAsked: stop.isAsked });
    return stop;
  };

  /** The steady state and the tripwires, once for each moment. */
  const lookInside = (nowMs: number): Stop | undefined => {
    if (armedAtMs === undefined || lastLookMs === nowMs) return undefined;
    lastLookMs = nowMs;
    record(lookAtSteady(rules.during, 'during', ports.samples, nowMs, cadence));
    if (experiment.mustSelfHeal) {
      const look = lookAtSteady(rules.after, 'after', ports.samples, nowMs, cadence);
      healing.push(look);
      record(look);
    }
    const trips = tripwires.look(ports.samples, nowMs);
    for (const trip of trips) record(trip);
    return trips[0] === undefined ? undefined : { why: trips[0].why, isAsked: false, by: 'trip' };
  };

  return {
    experiment,
    ports,
    cadence,
    record,
    entries() {
      if (broken !== undefined) return own;
      try {
        return ports.entries();
      } catch {
        // Our own part is what there is; samples and alerts are missing in it, so nothing can be held by it.
        return own;
      }
    },
    arm(blast) {
      const nowMs = ports.nowMs();
      armedAtMs ??= nowMs;
      if (blast !== 'none') faultOnMs ??= nowMs;
      tripwires.arm(nowMs);
    },
    faultOnMs: () => faultOnMs ?? armedAtMs,
    look() {
      if (stopped !== undefined) return stopped;
      stopped = lookInside(ports.nowMs());
      return stopped ?? lookOutside();
    },
    lookOutside,
    healing,
    attend: (begun, forMs, look) =>
      attend(begun, forMs, { clock: ports.clock, signal: ports.signal, tickMs: experiment.times.tickMs, look }),
  };
}
