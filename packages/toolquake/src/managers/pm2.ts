import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve as absolute } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import { identify, type ProcessIdentity } from '../undo/process-identity.js';
import { checkedName } from './manager-names.js';
import { parsePm2List, type Pm2Process } from './pm2-list.js';
import type { ManagerWorld, ProcessManager, RestartPolicy } from './process-manager.js';
import { runningProcesses } from './process-table.js';
import { runProgram } from './run-program.js';

/** The folder of PM2: of its daemon, its sockets and its logs. */
export const pm2Home = (env: ManagerWorld['env']): string => absolute(env['PM2_HOME'] ?? join(env['HOME'] ?? homedir(), '.pm2'));

/** Processes that PM2 runs under a name. Acts on the ids that it finds, since PM2 takes a name for a namespace, too. */
export function openPm2(given: string, world: ManagerWorld): ProcessManager {
  const name = checkedName('pm2', given);
  const home = pm2Home(world.env);
  const about = `PM2 "${name}"`;
  // Discrete: no banner, no look for a newer version.
  const env = { ...world.env, PM2_HOME: home, PM2_DISCRETE_MODE: 'true', NO_COLOR: '1' };
  const pm2 = (...words: string[]): ReturnType<typeof runProgram> => runProgram('pm2', words, { ...world, env });

  const list = async (): Promise<readonly Pm2Process[]> => {
    // Nobody needs to bring back what was thrown away with the whole of PM2.
    if (!existsSync(home)) return [];
    // Any command of PM2 starts its daemon where none runs: looking must not.
    if (!(await isDaemonRunning(home))) throw noAnswer(`no daemon of PM2 runs for the folder ${home}`, 'Is PM2_HOME right?');
    const { code, stdout } = await pm2('jlist');
    const all = code === 0 ? parsePm2List(stdout) : undefined;
    if (all === undefined) throw noAnswer(`"pm2 jlist" printed no list (exit code ${code})`);
    return all.filter((one) => one.name === name);
  };
  const act = async (verb: string, choose: (one: Pm2Process) => boolean): Promise<void> => {
    const found = await list();
    if (found.length === 0) throw noAnswer('PM2 has no process of this name');
    const ids = found.filter(choose).map((one) => String(one.id));
    if (ids.length === 0) return;
    const { code } = await pm2(verb, ...ids, '--no-color');
    if (code !== 0) throw noAnswer(`"pm2 ${verb} ${ids.join(' ')}" ended with exit code ${code}`);
  };
  const noAnswer = (why: string, advice?: string): ToolquakeError =>
    new ToolquakeError('UPSTREAM_UNREACHABLE', { message: `${about} cannot be asked: ${why}.`, advice });

  return {
    spec: { kind: 'pm2', name },
    variables: { PM2_HOME: home },
    keeper: daemonOf(home),
    about,
    async look() {
      const found = await list();
      return {
        processes: runningProcesses(found.map((one) => one.pid)),
        expected: found.length,
        isGivenUp: found.some((one) => one.status === 'stopped' || one.status === 'errored'),
        restarts: found.reduce((sum, one) => sum + one.restarts, 0),
      };
    },
    restartPolicy: async () => pm2Policy(await list()),
    // `restart` also starts what is stopped, and keeps the environment that PM2 has for it.
    start: () => act('restart', (one) => one.pid === 0),
    // What somebody has stopped meanwhile stays as it is.
    restart: () => act('restart', (one) => one.status !== 'stopped'),
  };
}

/** What PM2 does when one of these ends. Pure. */
export function pm2Policy(found: readonly Pm2Process[]): RestartPolicy {
  if (found.length === 0) return { restarts: false, why: 'PM2 has no process of this name' };
  const down = found.find((one) => one.status !== 'online');
  if (down !== undefined) return { restarts: false, why: `process ${down.id} of PM2 is ${down.status}, not online` };
  const left = found.find((one) => !one.isRestarted);
  if (left !== undefined) return { restarts: false, why: `autorestart is false for process ${left.id} of PM2` };
  // PM2 takes the end by a signal for exit code 0.
  const stays = found.find((one) => one.stopExitCodes.includes(0));
  if (stays !== undefined) return { restarts: false, why: `process ${stays.id} of PM2 stays down after exit code 0 (stop_exit_codes)` };
  const worn = found.find((one) => one.unstableRestarts + 1 >= one.maxRestarts);
  if (worn !== undefined) {
    const { id, unstableRestarts, maxRestarts } = worn;
    return {
      restarts: false,
      why: `process ${id} of PM2 ended early ${unstableRestarts} times; PM2 gives up at ${maxRestarts} (max_restarts)`,
    };
  }
  const { maxRestarts, minUptimeMs } = found[0]!;
  return { restarts: true, why: `PM2 restarts it, and gives up after ${maxRestarts} ends within ${minUptimeMs} ms` };
}

function daemonOf(home: string): ProcessIdentity | undefined {
  try {
    return identify(Number(readFileSync(join(home, 'pm2.pid'), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The daemon has many names (`pm2-runtime`, PM2_DAEMON_TITLE), and one socket. */
function isDaemonRunning(home: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(home, 'rpc.sock'));
    const answer = (isRunning: boolean): void => {
      socket.destroy();
      resolve(isRunning);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}
