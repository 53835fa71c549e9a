/** A run in small: does an action with its undo on disk and a warden that watches, and then waits to be killed. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as kinds from '../../../../packages/toolquake/src/actions/kinds/index.js';
import type { Action } from '../../../../packages/toolquake/src/actions/action.js';
import { openLedger } from '../../../../packages/toolquake/src/undo/open-ledger.js';
import { startWarden } from '../../../../packages/toolquake/src/undo/start-warden.js';
import { actionWorld, WORKER } from '../action-world.js';

/** What the test hands over, as JSON in the first argument. */
export type RunnerOrder = {
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly runDirectory: string;
  readonly worker: string;
  readonly warden: string;
};

// It comes from the test.
const order = JSON.parse(process.argv[2] ?? '{}') as RunnerOrder;
const action = Object.values<Action>(kinds).find(({ type }) => type === order.action);
if (action === undefined) throw new Error(`There is no action "${order.action}".`);
const path = join(order.runDirectory, 'ledger.jsonl');
const ledger = await openLedger({ path, runId: 'killed', env: process.env, deadlineMs: 10_000 });
await startWarden({ ledgerPath: path, lease: { ttlMs: 20_000, heartbeatMs: 1000 }, env: process.env, program: order.warden });
const prepared = await action.prepare(order.params, actionWorld({ worker: order.worker || WORKER }));
for (const step of prepared.steps) {
  const number = step.undo === undefined ? undefined : await ledger.intend(action.type, step.name, step.undo);
  await step.apply();
  if (number !== undefined) await ledger.applied(number);
}
process.stdout.write(`${JSON.stringify(await prepared.verifyEffect())}\n`);
await delay(60_000);
