/** Workers of the built program, what they say, and steps of experiments done as the engine would. */
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { expect, onTestFinished } from 'vitest';
import type { Action, ActionWorld, WorkerHandle } from '../../packages/toolquake/src/actions/action.js';
import { readSettings, settingReader } from '../../packages/toolquake/src/config/field.js';
import { PLAIN_PROBE } from '../../packages/toolquake/src/core/expectation.js';
import type { PreparedAction } from '../../packages/toolquake/src/core/prepared-action.js';
import type { Sample } from '../../packages/toolquake/src/core/sample.js';
import type { UndoKind, UndoState, UndoStep } from '../../packages/toolquake/src/core/undo-step.js';
import type { TargetDefinition } from '../../packages/toolquake/src/targets/target.js';
import * as undoKinds from '../../packages/toolquake/src/undo/steps/index.js';
import { hostMs } from '../../packages/toolquake/src/workers/host-clock.js';
import { startWorker } from '../../packages/toolquake/src/workers/start-worker.js';

const program = fileURLToPath(new URL('../../packages/toolquake/dist/experiment-worker.js', import.meta.url));

/** A sample of one call. */
export type CallSample = Sample & { readonly source: 'call' };

/** A worker that waits for `go`, until the end of the test. */
export async function worker(role: string, config: JsonObject): Promise<WorkerHandle> {
  const started = await startWorker(role, { startedAtHostMs: hostMs(), ...config }, { env: process.env, program });
  onTestFinished(() => started.stop());
  return started;
}

/** A workload, as a file of an experiment would say it. */
export const loadOf = (change: JsonObject = {}): JsonObject => ({
  tool: 'echo',
  arguments: { text: 'hi' },
  clients: 4,
  perSecond: 50,
  timeoutMs: 2000,
  retries: 0,
  retryDelayMs: 10,
  ...change,
});

/** What a load worker said so far, sorted. */
export function listen(from: WorkerHandle): {
  readonly calls: { readonly key: string; readonly sample: CallSample }[];
  readonly tasks: (Sample & { readonly source: 'task' })[];
  readonly other: JsonObject[];
} {
  const heard = {
    calls: [] as { key: string; sample: CallSample }[],
    tasks: [] as (Sample & { source: 'task' })[],
    other: [] as JsonObject[],
  };
  from.onMessage((message) => {
    const sample = message['sample'] as Sample | undefined;
    if (sample?.source === 'call') heard.calls.push({ key: String(message['key']), sample });
    else if (sample?.source === 'task') heard.tasks.push(sample);
    else heard.other.push(message);
  });
  return heard;
}

/** The parameters of a step as the loader reads them; throws what is wrong with them. */
export function readParams(action: Action, given: JsonObject): JsonObject {
  const reader = settingReader();
  const params = readSettings(reader, given, ['params'], action.params);
  const [problem] = reader.problems;
  if (problem !== undefined) throw new Error(problem.message);
  return params as JsonObject;
}

/** A world whose target is this one, with real workers. */
export function liveWorld(target: TargetDefinition, change: Partial<ActionWorld> = {}): ActionWorld & { readonly seen: Sample[] } {
  const startedAtHostMs = hostMs();
  const seen: Sample[] = [];
  const place = { target, plan: PLAIN_PROBE, manifest: undefined, labels: {} };
  return {
    seen,
    runId: 'run-1',
    runDirectory: '/nowhere',
    env: { ...process.env, CHAOS_ADMIN_TOKEN: 's3cret' },
    clock: realClock,
    nowMs: () => hostMs() - startedAtHostMs,
    signal: new AbortController().signal,
    target: place,
    upstream: place,
    manager: undefined,
    front: undefined,
    seed: 1,
    lastsMs: 60_000,
    onSample: (sample) => seen.push(sample),
    async startWorker(role, config) {
      const started = await startWorker(role, config, { env: process.env, program });
      onTestFinished(() => started.stop());
      return started;
    },
    tell: () => {},
    ...change,
  };
}

/** A step that was done, and what would be done about it. */
export type Done = {
  readonly prepared: PreparedAction;
  readonly undoSteps: readonly UndoStep[];
  /** Last in, first out, and read anew. */
  undo(): Promise<readonly UndoState[]>;
  verify(): Promise<readonly UndoState[]>;
};

/** Does a step, as the engine would. */
export async function perform(action: Action, given: JsonObject, world: ActionWorld): Promise<Done> {
  const params = readParams(action, given);
  expect(await action.feasibility(params, world)).toMatchObject({ isFeasible: true });
  const prepared = await action.prepare(params, world);
  onTestFinished(() => prepared.release());
  for (const step of prepared.steps) await step.apply();
  const undoSteps = prepared.steps.flatMap(({ undo }) => undo ?? []);
  const kindOf = ({ kind }: UndoStep): UndoKind => {
    const found = Object.values<UndoKind>(undoKinds).find((one) => one.kind === kind);
    if (found === undefined) throw new Error(`There is no undo "${kind}".`);
    return found;
  };
  const how = (): { env: typeof world.env; signal: AbortSignal } => ({ env: world.env, signal: AbortSignal.timeout(10_000) });
  const verify = async (): Promise<readonly UndoState[]> => {
    const states: UndoState[] = [];
    // A ledger keeps steps as text.
    for (const step of undoSteps.toReversed())
      states.push(await kindOf(step).verify(JSON.parse(JSON.stringify(step.data)) as JsonObject, how()));
    return states;
  };
  return {
    prepared,
    undoSteps,
    async undo() {
      for (const step of undoSteps.toReversed()) await kindOf(step).undo(JSON.parse(JSON.stringify(step.data)) as JsonObject, how());
      return verify();
    },
    verify,
  };
}
