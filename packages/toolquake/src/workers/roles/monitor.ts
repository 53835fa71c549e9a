import { realClock } from '@toolquake/sdk/interceptors';
import type { ConfiguredTarget } from '../../config/configured-target.js';
import type { Sample } from '../../core/sample.js';
import { alertMessage, testMessage } from '../../monitor/alert-message.js';
import { createAlertState, type AlertNotice } from '../../monitor/alert-state.js';
import { createNewsOrder } from '../../monitor/news-order.js';
import { openAlertChannel } from '../send-alerts.js';
import { watchTarget, type Watch } from '../watch-target.js';
import { defineWorker, type WorkerWorld } from '../worker.js';

/** What the role is given. */
export type MonitorConfig = {
  readonly runId: string;
  /** Milliseconds on the clock of the host: where `atMs` of samples is 0. */
  readonly startedAtHostMs: number;
  readonly target: ConfiguredTarget;
  readonly everyMs: number;
  readonly failures: number;
  readonly slowFactor: number;
  readonly slowOver: number;
  /** From the first probe on: what is seen in this time is the level that latency is compared with. */
  readonly quietMs: number;
  /** May hold `${NAME}`. None: it only measures. */
  readonly webhooks: readonly string[];
};

/** Further probes wait for none of these to end: a server that hangs must not stop the clock of its monitor. */
const MAX_AT_ONCE = 20;

const WARM_UP_MS = 2000;

/** Probes the target again and again as a client from outside, and alerts by rules of its own. */
export const monitor = defineWorker({
  role: 'monitor',
  summary: 'Probes the target from outside at a fixed interval, and sends alerts to webhooks.',
  run: (config, world) => watch(config as MonitorConfig, world),
});

function watch(config: MonitorConfig, world: WorkerWorld): Promise<void> {
  const { everyMs, startedAtHostMs, target, runId } = config;
  const { signal, env, hostMs } = world;
  const { name } = target.target;
  const nowMs = (): number => hostMs() - startedAtHostMs;
  const isoAt = (atMs: number): string => new Date(Date.now() - (nowMs() - atMs)).toISOString();
  const order = createNewsOrder();
  const alerts = createAlertState({ ...config, quietUntilMs: nowMs() + config.quietMs });
  const channels = config.webhooks.map((url, index) =>
    openAlertChannel(url, {
      env,
      signal,
      onDelivery: ({ to, message, isDelivered, attempts, detail }) =>
        world.emit({ kind: 'delivery', channel: index, to, state: message.state, id: message.id, isDelivered, attempts, detail }),
    }),
  );
  for (const channel of channels) channel.send(testMessage({ target: name, source: runId, sentAt: isoAt(nowMs()) }));

  function tell(notice: AlertNotice): void {
    const about = { target: name, source: runId, startedAt: isoAt(notice.sinceMs), sentAt: isoAt(notice.atMs) };
    for (const channel of channels) channel.send(alertMessage(notice, about));
    world.emit({ kind: 'notice', ...notice });
  }

  /** Probes under way, which may have started a server over stdio that is theirs to end. */
  const open = new Set<Promise<Watch>>();
  const see = (): Promise<Watch> => {
    const watch = watchTarget(target, { clock: realClock, wallClockMs: Date.now, env, signal }).finally(() => open.delete(watch));
    open.add(watch);
    return watch;
  };
  let running = 0;
  async function look(slot: number): Promise<void> {
    running += 1;
    try {
      const { sample: seen, detail } = await see();
      if (seen === undefined) return world.emit({ kind: 'note', text: `The monitor saw nothing: ${detail}` });
      if (!order.counts({ slot, isUp: seen.isUp })) return;
      const sample: Sample = { source: 'probe', atMs: nowMs(), ...seen };
      world.emit({ kind: 'sample', sample });
      for (const notice of alerts.take(sample)) tell(notice);
    } catch (error) {
      if (!signal.aborted) world.emit({ kind: 'note', text: `A probe broke: ${String(error)}` });
    } finally {
      running -= 1;
    }
  }

  return new Promise((resolve) => {
    let firstMs = hostMs();
    let slot = 0;
    const next = (): void => {
      if (running < MAX_AT_ONCE) void look(slot);
      else world.emit({ kind: 'note', text: `A probe is left out: ${running} have not ended yet.` });
      // Slots that were missed (the host slept) are not made up for.
      slot = Math.max(slot + 1, Math.ceil((hostMs() - firstMs) / everyMs));
      cancel = realClock.schedule(Math.max(0, firstMs + slot * everyMs - hostMs()), next);
    };
    let cancel = (): void => {};
    let begin = (): void => {
      stopWaiting();
      begin = () => {};
      if (signal.aborted) return;
      firstMs = hostMs();
      next();
    };
    signal.addEventListener('abort', () => {
      cancel();
      void Promise.allSettled(open).then(() => resolve());
    });
    // The first probe of a process is slow for its own sake, so it warms up and is told to nobody.
    const stopWaiting = realClock.schedule(WARM_UP_MS, () => begin());
    void see().then(
      () => begin(),
      () => begin(),
    );
  });
}
