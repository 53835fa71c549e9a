/** Puts a running decider under the admin routes. */
import { createRequire } from 'node:module';
import { createAdmin, createController, createEventFeed, createLiveMetrics, createTaskMarks, metricsText } from '@toolquake/sdk/controller';
import {
  createCatalogue,
  ToolquakeError,
  type Clock,
  type JournalSink,
  type LiveDecider,
  type Plan,
  type TransportName,
} from '@toolquake/sdk/core';
import { startAdminServer, type AdminServer } from '../proxies/admin-server.js';

/** What the routes work with. */
export type OpenAdminOptions = {
  readonly plan: Plan;
  readonly decider: LiveDecider;
  readonly clock: Clock;
  readonly transport: TransportName;
  readonly token: string;
  readonly port: number;
  /** Takes the place of a new plan's own seed, as it did at the start. */
  readonly seed: number | undefined;
  readonly target: string | undefined;
  readonly guarded: string | undefined;
  /** Hears of every change of the rules, with times since `startedAtMs`. */
  readonly journal: JournalSink;
  readonly startedAtMs: number;
  readonly release: () => void;
  readonly endRules: (ruleIds: readonly string[]) => void;
  readonly fired: (id: string) => number;
  /** Sessions that wait, and how many requests do; undefined where nobody can tell. */
  readonly waiting: () => { readonly sessions: number; readonly exchanges: number } | undefined;
};

/** Open routes. */
export type OpenAdmin = AdminServer & {
  /** Shows an entry of the journal to whoever listens, and counts it. */
  readonly observe: JournalSink;
};

/** Opens the routes on loopback. */
export async function openAdmin(options: OpenAdminOptions): Promise<OpenAdmin> {
  const { transport, seed, plan, clock, startedAtMs, target } = options;
  const [{ planError, readPlanText }, faults] = await Promise.all([import('../config/load-plan.js'), import('@toolquake/sdk/faults')]);
  const catalogue = createCatalogue(faults);
  const controller = createController({ ...options, catalogue, caller: 'admin' });
  const readPlan = (text: string): Plan => {
    const reading = readPlanText(text, { catalogue, transport });
    if (reading.plan === undefined) throw planError('plan', reading.problems);
    // How calls are grouped was settled when the proxy began to listen.
    if (JSON.stringify(reading.plan.task) !== JSON.stringify(plan.task))
      throw new ToolquakeError('IMPOSSIBLE', { message: '"task" cannot change while the proxy runs.', advice: 'Start it again.' });
    return seed === undefined ? reading.plan : { ...reading.plan, seed };
  };
  const events = createEventFeed({ clock });
  const live = createLiveMetrics({ version: ownVersion(), transport, target: target ?? '' });
  const metrics = (): string => {
    const waiting = options.waiting();
    return metricsText(
      live.families({
        rules: controller.plan.rules.filter(({ isEnabled }) => isEnabled).length,
        injected: controller.list().length,
        isKilled: controller.isKilled,
        busySessions: waiting?.sessions,
        openExchanges: waiting?.exchanges,
        streams: events.streams,
        droppedEvents: events.dropped,
        uptimeMs: clock.nowMs() - startedAtMs,
      }),
    );
  };
  const tasks = createTaskMarks(options);
  const answer = createAdmin({ ...options, controller, readPlan, events, tasks, metrics, nowMs: clock.nowMs });
  const server = await startAdminServer({ port: options.port, answer });
  return {
    url: server.url,
    observe(entry) {
      events.publish(entry);
      live.count(entry);
    },
    close() {
      events.close();
      return server.close();
    },
  };
}

const ownVersion = (): string => (createRequire(import.meta.url)('toolquake/package.json') as { version: string }).version;
