/** Which processes an action on processes hits: the manager of the experiment says so, or a pid or a command of its own. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import type { ManagerSpec } from '../core/experiment.js';
import type { Feasibility } from '../core/prepared-action.js';
import type { TripRule } from '../core/sample.js';
import type { SettingFields } from '../core/setting-field.js';
import { openManager } from '../managers/open-manager.js';
import type { ProcessManager } from '../managers/process-manager.js';
import { descendantsOf, processesByCommand, runningProcesses, type RunningProcess } from '../managers/process-table.js';
import { protection, protectionOfOwn } from '../managers/protected-processes.js';
import { identify, type ProcessIdentity } from '../undo/process-identity.js';
import type { ActionWorld } from './action.js';

/** Why it cannot be done, and what would make it possible. */
export type Refusal = Extract<Feasibility, { readonly isFeasible: false }>;

/** Parameters that all actions on processes have in common. */
export const CHOICE_FIELDS = {
  pid: { kind: 'whole', min: 2, max: 2 ** 22, about: 'The process, instead of what the manager of the experiment runs.' },
  command: {
    kind: 'list',
    item: { kind: 'text', about: 'One word of the command line.' },
    about: 'Processes with exactly this command line, word by word, instead of what the manager of the experiment runs.',
  },
  withChildren: {
    kind: 'flag',
    about: 'Its children, too: a server that a script or a package manager started. Only the process itself unless said otherwise.',
  },
  replicas: { kind: 'whole', min: 1, max: 1000, about: 'How many of several processes, oldest first. Without it: all of them.' },
  percent: { kind: 'whole', min: 1, max: 100, about: 'Which share of several processes, rounded up; used where replicas is not given.' },
} as const satisfies SettingFields;

/** By default: a server that is not back after five minutes is brought back. */
export const OUTAGE_TRIP: TripRule = {
  signal: 'outage_seconds',
  above: 300,
  forMs: 0,
  // Three rounds of a probe that asks once a minute: what is older says nothing about now.
  windowMs: 180_000,
  minSamples: 1,
  origin: 'a server that is down for five minutes',
};

/** Fewer processes on a lower stage. */
export function scaleChoice(params: JsonObject, share: number): JsonObject {
  const part = (whole: unknown): number => Math.max(1, Math.ceil(Number(whole) * share));
  if (params['replicas'] !== undefined) return { ...params, replicas: part(params['replicas']) };
  return { ...params, percent: part(params['percent'] ?? 100) };
}

/** What would be hit. */
export type ChosenProcesses = {
  readonly manager: ProcessManager;
  readonly processes: readonly RunningProcess[];
  /** The same with their children, where those were asked for; parents first. */
  readonly all: readonly ProcessIdentity[];
  /** Processes among them that the manager does not know: whatever it starts again, these it does not. */
  readonly strangers: readonly ProcessIdentity[];
  /** How many the manager runs now, hit or not. */
  readonly running: number;
  /** Asked again before each signal: a pid can get into our family between the preparation and the act. */
  protection(pid: number): string | undefined;
};

type ChoiceWorld = Pick<ActionWorld, 'env' | 'manager' | 'upstream' | 'signal'>;

/** Reads the world; nothing is changed. The refusal says why nothing can be hit, or must not be. */
export async function chooseProcesses(params: JsonObject, world: ChoiceWorld): Promise<ChosenProcesses | Refusal> {
  const spec = chosenSpec(params, world.manager);
  if (spec === undefined) {
    return refusal(
      'nothing says which process the server is',
      'Add "manager: { pm2: NAME }" to the experiment (or systemd, docker, pid, command).',
    );
  }
  const { upstream, env, signal } = world;
  const ownCommand = upstream.target.kind === 'command' ? upstream.target.command : undefined;
  if (spec.kind === 'own' && ownCommand === undefined) {
    return refusal('the target has a URL, so the run does not start it', 'Say what does: "manager: { pm2: NAME }", for example.');
  }
  const manager = await openManager(spec, { env, signal, ownCommand });
  const known = (await manager.look()).processes;
  const running = named(spec) ?? known;
  if (running.length === 0 && spec.kind !== 'own') return refusal(`${manager.about}: no process runs`, 'Start the server first.');
  const guard = spec.kind === 'own' ? protectionOfOwn : protection;
  const processes = running.slice(0, countOf(params, running.length));
  const all = processes.flatMap(({ identity }) => groupOf(identity, params));
  for (const { pid } of all) {
    const why = guard(pid);
    if (why !== undefined) return refusal(`process ${pid} must not be touched: ${why}`, 'Name the process of the server.');
  }
  const strangers = processes.map(({ identity }) => identity).filter(({ pid }) => !known.some((one) => one.identity.pid === pid));
  return { manager, processes, all, strangers, running: Math.max(running.length, known.length), protection: guard };
}

function chosenSpec({ pid, command }: JsonObject, ofExperiment: ManagerSpec | undefined): ManagerSpec | undefined {
  if (typeof pid === 'number') return { kind: 'pid', pid };
  if (Array.isArray(command) && command.length > 0) return { kind: 'command', command: command.map(String) };
  return ofExperiment;
}

/** The manager behind a pid or a command may run more than was named: only what was named is hit. */
function named(spec: ManagerSpec): readonly RunningProcess[] | undefined {
  if (spec.kind === 'pid') return runningProcesses([spec.pid]);
  if (spec.kind !== 'command') return undefined;
  return runningProcesses(processesByCommand(spec.command).filter((pid) => protection(pid) === undefined));
}

/** A process, and its children where they are to be hit, too. */
function groupOf(identity: ProcessIdentity, { withChildren }: JsonObject): readonly ProcessIdentity[] {
  return withChildren === true ? [identity, ...descendantsOf(identity.pid).flatMap((pid) => identify(pid) ?? [])] : [identity];
}

/** How many of so many. */
export function countOf({ replicas, percent }: JsonObject, running: number): number {
  if (typeof replicas === 'number') return Math.min(running, replicas);
  return Math.ceil((running * (typeof percent === 'number' ? percent : 100)) / 100);
}

const refusal = (why: string, act: string): Refusal => ({ isFeasible: false, why, act });

/** Whether it was refused. */
export const isRefused = <Chosen extends object>(given: Chosen | Refusal): given is Refusal => isObject(given) && 'isFeasible' in given;
