/** Everything that watches while an experiment runs: monitor, workload, process, host, readings. All of it ends up in one book. */
import type { JournalEntry, JsonObject } from '@toolquake/sdk/core';
import { isObject, ToolquakeError } from '@toolquake/sdk/core';
import type { WorkerHandle } from '../actions/action.js';
import type { ConfiguredTarget } from '../config/configured-target.js';
import type { Experiment } from '../core/experiment.js';
import type { RunEntry } from '../core/run-entry.js';
import type { Sample } from '../core/sample.js';
import { createLaneJoin, type LaneJoin } from '../experiments/lane-join.js';
import type { SampleBook } from '../experiments/sample-book.js';
import type { MonitorConfig } from '../workers/roles/monitor.js';
import { openAlertReceiver, type AlertReceiver } from './alert-receiver.js';
import { watchReading } from './experiment-readings.js';
import { CALLER_HEADER } from './front-role.js';

type CallSample = Sample & { readonly source: 'call' };

/** What watching needs. */
export type SourceWorld = {
  readonly runId: string;
  readonly experiment: Experiment;
  /** As callers see it: through the front, where there is one. */
  readonly target: ConfiguredTarget;
  readonly upstream: ConfiguredTarget;
  readonly hasFront: boolean;
  /** When the run began, on the clock of the host. */
  readonly startedAtHostMs: number;
  readonly nowMs: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly samples: SampleBook;
  record(entry: RunEntry): void;
  /** Is a server under fault, so that every call of this time is one that we touched? */
  wasFaulty(fromMs: number, toMs: number): boolean;
  startWorker(role: string, config: JsonObject): Promise<WorkerHandle>;
};

/** Running sources. */
export type Sources = {
  take(sample: Sample): void;
  /** A call as the proxy of the run saw it. */
  onFrontCall(entry: JournalEntry): void;
  /** Resolves when somebody's message arrived at the receiver, and all webhooks took theirs; or when the time is over. */
  channel(withinMs: number): Promise<{ readonly isProven: boolean; readonly detail: string }>;
  /** Why the run is blind. */
  failure(): string | undefined;
  stop(): Promise<void>;
};

const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const SETTLE_EVERY_MS = 1000;

/** The secret that a monitor of somebody else sends along. Without one its alerts would arrive nowhere, and with an empty one anybody's. */
function externalToken({ monitor: { external } }: Experiment, env: SourceWorld['env']): string | undefined {
  if (external === undefined) return undefined;
  const token = env[external.tokenVariable];
  if (token !== undefined && token !== '') return token;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `monitor.external: the environment variable ${external.tokenVariable} is not set.`,
    advice: 'Set it to the secret at the end of the address that your monitor sends its alerts to.',
  });
}

/** Starts watching. */
export async function openSources(world: SourceWorld): Promise<Sources> {
  const { experiment, target, upstream, record, samples, nowMs, env } = world;
  const over = new AbortController();
  const workers: WorkerHandle[] = [];
  let failure: string | undefined;

  const take = (sample: Sample): void => {
    samples.add(sample);
    record({ kind: 'sample', atMs: sample.atMs, sample });
  };
  /** Of a server that is under fault no call is one that we did not touch, whatever passed the proxy untouched. */
  const inItsLane = (sample: CallSample): CallSample =>
    world.wasFaulty(sample.atMs - sample.ms, sample.atMs) ? { ...sample, lane: 'faulted' } : sample;
  const join: LaneJoin = createLaneJoin({ onSample: (sample) => take(inItsLane(sample)) });
  const settling = setInterval(() => join.settle(nowMs()), SETTLE_EVERY_MS);

  const heardFrom = new Set<string>();
  const deliveries = new Map<unknown, { readonly isDelivered: boolean; readonly to: string; readonly detail: string }>();
  let onNews = (): void => {};

  const receiver: AlertReceiver = await openAlertReceiver({
    port: experiment.monitor.external?.port ?? 0,
    token: externalToken(experiment, env),
    nowMs,
    onAlert({ state, reason, rule, atMs, sentAtMs }) {
      heardFrom.add(state);
      if (state !== 'test') record({ kind: 'alert', atMs, state, reason, rule, ...(sentAtMs === undefined ? {} : { sentAtMs }) });
      onNews();
    },
  });

  const { external } = experiment.monitor;
  const isExternal = external !== undefined;
  const post = external === undefined ? undefined : `${receiver.place} and the value of ${external.tokenVariable}`;
  if (post !== undefined)
    record({ kind: 'note', atMs: nowMs(), text: `your monitor posts its alerts to ${post}; any message now proves the channel` });
  const webhooks = isExternal ? [] : [receiver.url, ...experiment.monitor.webhooks];

  const start = async (role: string, config: JsonObject, onMessage: (message: JsonObject) => void): Promise<void> => {
    const worker = await world.startWorker(role, config);
    workers.push(worker);
    worker.onMessage(onMessage);
    void worker.ended.then(({ code, signal }) => {
      if (!over.signal.aborted) failure ??= `The ${role} of the run has ended (${signal ?? `exit code ${code}`}).`;
    });
    worker.go();
  };

  const onCall = (message: JsonObject, sample: CallSample): void => {
    if (world.hasFront) return join.call({ key: String(message['key']), sample }, nowMs());
    take(inItsLane({ ...sample, lane: 'control' }));
  };
  const onMessage = (message: JsonObject): void => {
    const { kind } = message;
    if (kind === 'sample' && isObject(message['sample'])) {
      // Workers of ours make them, by the types of this program.
      const sample = message['sample'] as Sample;
      if (sample.source === 'call') onCall(message, sample);
      else take(sample);
    } else if (kind === 'note') record({ kind: 'note', atMs: nowMs(), text: String(message['text']) });
    else if (kind === 'delivery') {
      const { channel, to, isDelivered, detail, state } = message;
      if (state === 'test') deliveries.set(channel, { isDelivered: isDelivered === true, to: String(to), detail: wordOf(detail) });
      else if (isDelivered !== true)
        record({ kind: 'note', atMs: nowMs(), text: `An alert did not reach ${String(to)}: ${wordOf(detail)}` });
      onNews();
    }
  };

  await start(
    'monitor',
    {
      runId: world.runId,
      startedAtHostMs: world.startedAtHostMs,
      target,
      everyMs: experiment.monitor.everyMs,
      failures: experiment.monitor.failures,
      slowFactor: experiment.monitor.slowFactor,
      slowOver: experiment.monitor.slowOver,
      quietMs: experiment.times.beforeMs,
      webhooks,
    } satisfies MonitorConfig,
    onMessage,
  );
  if (experiment.load !== undefined) {
    const label = world.hasFront ? { labelHeader: CALLER_HEADER } : {};
    await start('load', { load: experiment.load, target: target.target, startedAtHostMs: world.startedAtHostMs, ...label }, onMessage);
  }
  const readings = experiment.readings.map((reading) =>
    watchReading(reading, { upstream, env, signal: over.signal, nowMs, onSample: take }),
  );

  const isHeard = (): boolean => heardFrom.size > 0 && (isExternal || deliveries.size === webhooks.length);
  return {
    take,
    onFrontCall: (entry) => join.entry(entry, nowMs()),
    async channel(withinMs) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs);
        onNews = () => {
          if (!isHeard()) return;
          clearTimeout(timer);
          resolve();
        };
        onNews();
      });
      const lost = [...deliveries.values()].filter(({ isDelivered }) => !isDelivered);
      if (lost.length > 0) return { isProven: false, detail: lost.map(({ to, detail }) => `${to}: ${detail}`).join('; ') };
      if (heardFrom.size > 0)
        return { isProven: true, detail: `a test message arrived${webhooks.length > 1 ? ` at ${webhooks.length} receivers` : ''}` };
      const whose = post === undefined ? 'no test message of the monitor arrived' : `no message of your monitor arrived at ${post}`;
      return { isProven: false, detail: `${whose} within ${Math.round(withinMs / 1000)} s` };
    },
    failure: () => failure,
    async stop() {
      over.abort();
      clearInterval(settling);
      await Promise.all([...workers.map((worker) => worker.stop()), ...readings]);
      join.settle(Infinity);
      await receiver.close();
    },
  };
}
