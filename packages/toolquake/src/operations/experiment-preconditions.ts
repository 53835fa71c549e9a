/** What must be true before anything is broken: somebody watches, somebody would be told, and what is asked for can be done here. */
import type { ActionWorld } from '../actions/action.js';
import type { Sample } from '../core/sample.js';
import type { Precondition } from '../experiments/ports.js';
import type { SampleBook } from '../experiments/sample-book.js';
import { pause } from './experiment-readings.js';
import type { Sources } from './experiment-sources.js';
import type { PlannedRun } from './plan-run.js';

/** What is looked at. */
export type PreconditionWorld = {
  readonly planned: PlannedRun;
  readonly world: ActionWorld;
  readonly sources: Pick<Sources, 'channel' | 'failure'>;
  readonly samples: SampleBook;
};

const FIRST_SAMPLE_MS = 30_000;
const CHANNEL_MS = 20_000;
const LOOK_EVERY_MS = 50;

/** All of them, met or not: a person wants the whole list at once. */
export async function preconditionsOf(seen: PreconditionWorld): Promise<readonly Precondition[]> {
  const [monitor, channel, workload, ...actions] = await Promise.all([
    monitorRuns(seen),
    channelIsProven(seen),
    workloadRuns(seen),
    ...actionsAreFeasible(seen),
  ]);
  return [monitor, channel, ...workload, healthAgrees(seen), ...actions];
}

/** Resolves to the first sample of a source that is meant, or to nothing when none comes. */
async function firstSample<One extends Sample['source']>(
  { world, sources, samples }: PreconditionWorld,
  source: One,
  isMeant: (sample: Extract<Sample, { readonly source: One }>) => boolean = () => true,
): Promise<Extract<Sample, { readonly source: One }> | undefined> {
  const untilMs = world.nowMs() + FIRST_SAMPLE_MS;
  const find = (): Extract<Sample, { readonly source: One }> | undefined =>
    samples.since(source, Number.NEGATIVE_INFINITY).find((sample) => isMeant(sample));
  while (find() === undefined && world.nowMs() < untilMs && sources.failure() === undefined && !world.signal.aborted)
    await pause(LOOK_EVERY_MS, world.signal);
  return find();
}

async function monitorRuns(seen: PreconditionWorld): Promise<Precondition> {
  const { planned, sources } = seen;
  const name = 'an active monitor';
  const probe = await firstSample(seen, 'probe');
  if (probe === undefined) return { name, isMet: false, detail: sources.failure() ?? `no probe ended within ${FIRST_SAMPLE_MS / 1000} s` };
  const seconds = planned.experiment.monitor.everyMs / 1000;
  return { name, isMet: true, detail: `probes every ${seconds} s from a process of its own` };
}

/** A baseline of calls that nobody has made yet would only look quiet; and calls that never end well show nothing that may break. */
async function workloadRuns(seen: PreconditionWorld): Promise<readonly Precondition[]> {
  const { load } = seen.planned.experiment;
  if (load === undefined) return [];
  const call = await firstSample(seen, 'call', ({ end }) => end === 'ok');
  const name = 'a workload';
  if (call === undefined) {
    const last = seen.samples.last('call');
    const how = last === undefined ? '' : `; the last one: ${last.end}${last.detail === undefined ? '' : `, ${last.detail}`}`;
    const detail = seen.sources.failure() ?? `no call of ${load.tool} ended well within ${FIRST_SAMPLE_MS / 1000} s${how}`;
    return [{ name, isMet: false, detail }];
  }
  return [{ name, isMet: true, detail: `${load.clients} callers, ${load.perSecond} calls of ${load.tool} a second` }];
}

async function channelIsProven({ planned, sources }: PreconditionWorld): Promise<Precondition> {
  const { isProven, detail } = await sources.channel(planned.experiment.monitor.external === undefined ? CHANNEL_MS : FIRST_SAMPLE_MS);
  return { name: 'an alert channel', isMet: isProven, detail };
}

/** Where there is a health URL, it must say now that all is well: what it says during a fault is compared with that. */
function healthAgrees({ planned, samples }: PreconditionWorld): Precondition {
  const name = 'health that can be believed';
  const health = planned.target.plan.health;
  if (health === undefined) return { name, isMet: true, detail: 'no health URL: what the server says of itself is not looked at' };
  const probe = samples.last('probe');
  const isMet = probe?.healthStatus === (health.expectStatus ?? 200);
  return {
    name,
    isMet,
    detail: isMet
      ? `it says ${probe.healthStatus} while the server is up`
      : `it says ${probe?.healthStatus ?? 'nothing'} before anything is broken`,
  };
}

function actionsAreFeasible({ planned, world }: PreconditionWorld): readonly Promise<Precondition>[] {
  return planned.actions.map(async ({ action, step }) => {
    const name = `${step.id} can be done here`;
    try {
      const feasibility = await action.feasibility(step.params, world);
      return feasibility.isFeasible
        ? { name, isMet: true, detail: feasibility.how }
        : { name, isMet: false, detail: `${feasibility.why} ${feasibility.act}` };
    } catch (error) {
      return { name, isMet: false, detail: error instanceof Error ? error.message : String(error) };
    }
  });
}
