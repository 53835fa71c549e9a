/** Puts a running decider under the admin routes. */
import { createAdmin, createController } from '@toolquake/sdk/controller';
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
  readonly fired: (id: string) => number;
};

/** Opens the routes on loopback. */
export async function openAdmin(options: OpenAdminOptions): Promise<AdminServer> {
  const { transport, seed, plan } = options;
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
  return startAdminServer({ port: options.port, answer: createAdmin({ ...options, controller, readPlan }) });
}
