/** What actions on processes share: they refuse in one way, and bring the server back in one way. */
import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { UndoStep } from '../core/undo-step.js';
import type { EndSignal } from '../managers/process-manager.js';
import { managerData } from '../managers/reopen-manager.js';
import { findProcess, type ProcessIdentity } from '../undo/process-identity.js';
import type { ActionWorld, FeasibilityWorld } from './action.js';
import { chooseProcesses, isRefused, type ChosenProcesses, type Refusal } from './chosen-processes.js';
import type { Feasibility } from '../core/prepared-action.js';

/** Before the run starts a server itself, its manager has this long to do so. */
const GRACE_MS = 2000;

/** How the server is brought back when its manager does not. Nothing for stdio servers: their callers start them. */
export function ensureRunning({ manager, running, all }: ChosenProcesses): UndoStep | undefined {
  if (manager.spec.kind === 'own') return undefined;
  const hit = all.map((identity) => ({ ...identity }));
  const keeper = manager.keeper === undefined ? {} : { keeper: { ...manager.keeper } };
  return { kind: 'ensure-running', data: { ...managerData(manager), count: running, graceMs: GRACE_MS, hit, ...keeper } };
}

/** The choice, or an error where the check before the run would have refused. */
export async function chosenOrThrow(params: JsonObject, world: ActionWorld): Promise<ChosenProcesses> {
  const chosen = await chooseProcesses(params, world);
  if (!isRefused(chosen)) return chosen;
  throw new ToolquakeError('NOT_ALLOWED', { message: `No process can be hit: ${chosen.why}.`, advice: chosen.act });
}

/** Looks for the processes before the run. A manager that is not there is an answer, too. */
export async function lookForProcesses(params: JsonObject, world: FeasibilityWorld): Promise<ChosenProcesses | Refusal> {
  try {
    return await chooseProcesses(params, world);
  } catch (error) {
    if (!(error instanceof ToolquakeError)) throw error;
    return { isFeasible: false, why: error.message, act: error.advice ?? 'See that the process manager answers, then try again.' };
  }
}

/** An end is only brought about where something starts the server again. */
export async function endFeasibility(params: JsonObject, world: FeasibilityWorld, signal: EndSignal): Promise<Feasibility> {
  const chosen = await lookForProcesses(params, world);
  if (isRefused(chosen)) return chosen;
  const stranger = strangerAmong(chosen);
  if (stranger !== undefined) return stranger;
  const { restarts, why } = await chosen.manager.restartPolicy(signal);
  if (restarts) return { isFeasible: true, how: `${chosen.manager.about}: ${why}` };
  return {
    isFeasible: false,
    why: `${chosen.manager.about}: nothing would start it again (${why})`,
    act: 'Put the server under a process manager that restarts it, for example "pm2 start server.js --name NAME", and name it in "manager".',
  };
}

/** A server behind a script, or of another name with the same command, is not what the manager would start again. */
function strangerAmong({ strangers, manager }: ChosenProcesses): Refusal | undefined {
  if (strangers.length === 0) return undefined;
  return {
    isFeasible: false,
    why: `${processNames(strangers)}: ${manager.about} does not run ${strangers.length === 1 ? 'it' : 'them'} itself, and would not start ${strangers.length === 1 ? 'it' : 'them'} again`,
    act: 'Name what runs the server in "manager"; where that is a script that starts it, with "withChildren: true".',
  };
}

/** Rejects when nobody would start one of these again. */
export function checkKnown(chosen: ChosenProcesses): void {
  const stranger = strangerAmong(chosen);
  if (stranger !== undefined) throw new ToolquakeError('NOT_ALLOWED', { message: `Not ended: ${stranger.why}.`, advice: stranger.act });
}

/** `process 7` or `processes 7, 8`. */
export const processNames = (identities: readonly ProcessIdentity[]): string =>
  identities.length === 0
    ? 'no process'
    : `${identities.length === 1 ? 'process' : 'processes'} ${identities.map(({ pid }) => pid).join(', ')}`;

/** The choice as it was, or anew where one of them has ended since: stdio servers come and go, and managers restart. */
export async function stillChosen(chosen: ChosenProcesses, params: JsonObject, world: ActionWorld): Promise<ChosenProcesses> {
  const isWhole = chosen.all.length > 0 && chosen.all.every((identity) => findProcess(identity) !== undefined);
  return isWhole ? chosen : chosenOrThrow(params, world);
}

/** Rejects when one of these must not be touched any more. */
export function checkProtection({ all, protection }: ChosenProcesses): void {
  for (const { pid } of all) {
    const why = protection(pid);
    if (why !== undefined) throw new ToolquakeError('NOT_ALLOWED', { message: `Process ${pid} must not be touched: ${why}.` });
  }
}
