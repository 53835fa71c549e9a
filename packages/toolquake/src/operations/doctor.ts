/** What works on this machine, by which means, and why not. Looks, tries in places of its own, and changes nothing. */
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import * as kinds from '../actions/kinds/index.js';
import type { Action, FeasibilityWorld } from '../actions/action.js';
import { CONSENT } from '../actions/dependency-params.js';
import { findFirewall } from '../network/firewall.js';
import { tryIptables, tryNamespaces, tryNetemBelowQueue, tryNft, type Trial } from '../network/means.js';
import { runProgram } from '../managers/run-program.js';
import { lastLine } from '../network/trusted-command.js';
import { readHalt } from '../undo/halt.js';
import { findLeftovers, isNothingLeft } from '../undo/leftovers.js';
import { stateDirectory } from '../undo/state-directory.js';
import { rehearseUndo } from './rehearse-undo.js';

/** One thing that was looked at. `depends`: it is known only with the parameters of an experiment. */
export type Finding = {
  readonly name: string;
  readonly state: 'ok' | 'no' | 'depends';
  /** By which means; or why not. */
  readonly detail: string;
  readonly act?: string | undefined;
};

/** `isReady`: experiments can be run here at all, and what they do is undone. */
export type Diagnosis = {
  readonly isReady: boolean;
  /** Without these nothing is run. */
  readonly safety: readonly Finding[];
  readonly means: readonly Finding[];
  readonly actions: readonly Finding[];
};

/** What looking needs. */
export type DoctorOptions = { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal };

const LEAST_NODE = [20, 19] as const;

/** Parameters that stand for any: what can be done with them can be done. */
const EXAMPLES: Readonly<Record<string, JsonObject>> = {
  'block-dependency': { host: '127.0.0.1', port: 5432, scope: 'host', consent: CONSENT },
  'exhaust-pool': { sessions: 20, tool: 'search' },
  'slow-dependency': { host: '127.0.0.1', port: 5432, scope: 'host', consent: CONSENT, delayMs: 100 },
};

/** Looks at everything. */
export async function doctor({ env, signal }: DoctorOptions): Promise<Diagnosis> {
  const safety = [nodeFinding(), stateFinding(env)];
  // Without a state folder there is nothing to look at, and nothing to rehearse in.
  if (safety.every(({ state }) => state === 'ok')) safety.push(leftoverFinding(env), haltFinding(env), await undoFinding(env, signal));
  const means = [
    ...(await networkFindings(signal)),
    programFinding('PM2', 'pm2', env),
    await dockerFinding(env, signal),
    existsSync('/run/systemd/system')
      ? { name: 'systemd', state: 'ok' as const, detail: 'it runs this machine' }
      : { name: 'systemd', state: 'no' as const, detail: 'it does not run this machine' },
  ];
  const actions: Finding[] = [];
  for (const action of Object.values<Action>(kinds)) actions.push(await actionFinding(action, { env, signal }));
  return { isReady: safety.every(({ state }) => state === 'ok'), safety, means, actions };
}

function nodeFinding(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  const detail = `${process.versions.node} on ${process.platform} ${process.arch}${process.getuid?.() === 0 ? ', as root' : ''}`;
  return isEnough
    ? { name: 'Node', state: 'ok', detail }
    : { name: 'Node', state: 'no', detail, act: `Install Node ${LEAST_NODE.join('.')} or later.` };
}

function stateFinding(env: DoctorOptions['env']): Finding {
  try {
    const path = stateDirectory(env);
    accessSync(path, constants.W_OK | constants.X_OK);
    return { name: 'State folder', state: 'ok', detail: path };
  } catch (error) {
    return { name: 'State folder', state: 'no', detail: (error as Error).message, act: adviceOf(error) };
  }
}

function leftoverFinding(env: DoctorOptions['env']): Finding {
  const left = findLeftovers(env).filter((one) => one.state !== 'running' && one.state !== 'undoing' && !isNothingLeft(one));
  if (left.length === 0) return { name: 'Left-overs', state: 'ok', detail: 'none' };
  const detail = left
    .map(({ runId, openSteps, problem }) => `${runId}: ${problem ?? openSteps.map(({ name }) => name).join(', ')}`)
    .join('; ');
  return {
    name: 'Left-overs',
    state: 'no',
    detail,
    act: 'Look at them with "toolquake leftovers", and take them back with "toolquake undo".',
  };
}

function haltFinding(env: DoctorOptions['env']): Finding {
  const halt = readHalt(env);
  if (halt === undefined) return { name: 'Halt', state: 'ok', detail: 'none' };
  return {
    name: 'Halt',
    state: 'no',
    detail: `since ${halt.at}: ${halt.why}`,
    act: 'A person lets experiments run again with "toolquake resume".',
  };
}

async function undoFinding(env: DoctorOptions['env'], signal: AbortSignal): Promise<Finding> {
  const { isUndone, proof } = await rehearseUndo(env, signal);
  if (isUndone) return { name: 'Undo', state: 'ok', detail: proof };
  return {
    name: 'Undo',
    state: 'no',
    detail: proof,
    act: 'Experiments need Linux with /proc, and processes that outlive the one that started them.',
  };
}

async function networkFindings(signal: AbortSignal): Promise<readonly Finding[]> {
  const finding = (name: string, trial: Trial, act: string): Finding =>
    trial.works
      ? { name, state: 'ok', detail: `${trial.how}, tried in a namespace of its own` }
      : { name, state: 'no', detail: trial.why, act };
  const chains = await tryIptables('block', signal);
  const redirect = await findFirewall('redirect', undefined, signal);
  return [
    finding('Network namespaces', await tryNamespaces(signal), 'Run as root, with iproute2 and util-linux.'),
    finding('nftables', await tryNft('block', signal), 'Install nftables and run as root.'),
    finding('iptables', chains.trial, 'Install iptables and run as root.'),
    finding(
      'netem',
      await tryNetemBelowQueue(signal),
      'Load the kernel modules sch_netem and sch_htb, or do without: relays slow as well.',
    ),
    finding(
      'Redirect to a relay',
      redirect.firewall === undefined ? { works: false, why: redirect.why } : { works: true, how: redirect.how },
      'Install nftables or iptables and run as root.',
    ),
  ];
}

function programFinding(name: string, program: string, env: DoctorOptions['env']): Finding {
  const found = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
  return found === undefined ? { name, state: 'no', detail: `there is no ${program} on the PATH` } : { name, state: 'ok', detail: found };
}

/** How long a daemon may take to say who it is. */
const DAEMON_MS = 5000;

/** A command line without its daemon runs no container. */
async function dockerFinding(env: DoctorOptions['env'], signal: AbortSignal): Promise<Finding> {
  const program = programFinding('Docker', 'docker', env);
  if (program.state !== 'ok') return program;
  const words = ['version', '--format', '{{.Server.Version}}'];
  try {
    const { code, stdout, stderr } = await runProgram('docker', words, {
      env,
      signal: AbortSignal.any([signal, AbortSignal.timeout(DAEMON_MS)]),
    });
    if (code === 0) return { ...program, detail: `${program.detail}, daemon ${lastLine(stdout)}` };
    return { ...program, state: 'no', detail: `${program.detail}: ${lastLine(stderr)}`, act: 'Start its daemon.' };
  } catch (error) {
    signal.throwIfAborted();
    return { ...program, state: 'no', detail: error instanceof Error ? error.message : String(error), act: 'Start its daemon.' };
  }
}

async function actionFinding(action: Action, { env, signal }: DoctorOptions): Promise<Finding> {
  const example = EXAMPLES[action.type] ?? {};
  const missing = Object.keys(action.params).filter((name) => action.params[name]?.isRequired === true && !Object.hasOwn(example, name));
  if (missing.length > 0) return { name: action.type, state: 'depends', detail: `on what an experiment says: ${missing.join(', ')}` };
  const target = { kind: 'command' as const, name: 'none', command: [process.execPath] };
  const upstream = { target, plan: {}, manifest: undefined, labels: {} } as unknown as FeasibilityWorld['upstream'];
  try {
    const found = await action.feasibility(example, { env, signal, manager: undefined, front: undefined, upstream });
    if (found.isFeasible) return { name: action.type, state: 'ok', detail: found.how };
    // What only an experiment says (its manager, its front) is no property of this machine.
    const state = Object.hasOwn(EXAMPLES, action.type) ? 'no' : 'depends';
    return { name: action.type, state, detail: found.why, act: found.act };
  } catch (error) {
    signal.throwIfAborted();
    return { name: action.type, state: 'depends', detail: error instanceof Error ? error.message : String(error), act: adviceOf(error) };
  }
}

const adviceOf = (error: unknown): string | undefined => (error instanceof ToolquakeError ? error.advice : undefined);
