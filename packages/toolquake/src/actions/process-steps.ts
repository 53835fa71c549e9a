/** What actions on processes share: they refuse in one way, and bring the server back in one way. */
import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { UndoStep } from '../core/undo-step.js';
import type { EndSignal } from '../managers/process-manager.js';
import type { ActionWorld } from './action.js';
import { chooseProcesses, isRefused, type ChosenProcesses } from './chosen-processes.js';
import type { Feasibility } from '../core/prepared-action.js';

/** Before the run starts a server itself, its manager has this long to do so. */
const GRACE_MS = 2000;

/** How the server is brought back when its manager does not. Nothing for stdio servers: their callers start them. */
export function ensureRunning({ manager, running }: ChosenProcesses): UndoStep | undefined {
  if (manager.spec.kind === 'own') return undefined;
  const { spec, variables } = manager;
  return {
    kind: 'ensure-running',
    data: { manager: { ...spec }, variables: { ...variables }, count: running, graceMs: GRACE_MS } as JsonObject,
  };
}

/** The choice, or an error where the check before the run would have refused. */
export async function chosenOrThrow(params: JsonObject, world: ActionWorld): Promise<ChosenProcesses> {
  const chosen = await chooseProcesses(params, world);
  if (!isRefused(chosen)) return chosen;
  throw new ToolquakeError('NOT_ALLOWED', { message: `No process can be hit: ${chosen.why}.`, advice: chosen.act });
}

/** An end is only brought about where something starts the server again. */
export async function endFeasibility(
  params: JsonObject,
  world: Pick<ActionWorld, 'env' | 'manager' | 'upstream' | 'signal'>,
  signal: EndSignal,
): Promise<Feasibility> {
  const chosen = await chooseProcesses(params, world);
  if (isRefused(chosen)) return chosen;
  const { restarts, why } = await chosen.manager.restartPolicy(signal);
  if (restarts) return { isFeasible: true, how: `${chosen.manager.about}: ${why}` };
  return {
    isFeasible: false,
    why: `${chosen.manager.about}: nothing would start it again (${why})`,
    act: 'Put the server under a process manager that restarts it, for example "pm2 start server.js --name NAME", and name it in "manager".',
  };
}

/** `process 7` or `processes 7, 8`. */
export const processNames = ({ processes }: Pick<ChosenProcesses, 'processes'>): string =>
  `${processes.length === 1 ? 'process' : 'processes'} ${processes.map((one) => one.identity.pid).join(', ')}`;

/** Rejects when one of these must not be touched any more. */
export function checkProtection({ processes, protection }: ChosenProcesses): void {
  for (const { identity } of processes) {
    const why = protection(identity.pid);
    if (why !== undefined) throw new ToolquakeError('NOT_ALLOWED', { message: `Process ${identity.pid} must not be touched: ${why}.` });
  }
}
