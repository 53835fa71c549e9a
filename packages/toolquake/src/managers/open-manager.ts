/** Opens what runs the server. A pid or a command is followed to the manager that stands behind it, where there is one. */
import { ToolquakeError } from '@toolquake/sdk/core';
import type { ManagerSpec } from '../core/experiment.js';
import { openCommand } from './command.js';
import { openDocker } from './docker.js';
import { openOwn } from './own.js';
import { openPid } from './pid.js';
import { openPm2 } from './pm2.js';
import { parsePm2List } from './pm2-list.js';
import type { ManagerWorld, ProcessManager } from './process-manager.js';
import { ancestorsOf, processesByCommand } from './process-table.js';
import { protection } from './protected-processes.js';
import { runProgram } from './run-program.js';
import { supervisorOf } from './supervisor.js';
import { openSystemd } from './systemd.js';

/** Changes nothing, and starts nothing: not even the daemon of PM2. */
export async function openManager(spec: ManagerSpec, world: ManagerWorld): Promise<ProcessManager> {
  switch (spec.kind) {
    case 'pm2':
      return openPm2(spec.name, world);
    case 'systemd':
      return openSystemd(spec.name, world);
    case 'docker':
      return openDocker(spec.name, world);
    case 'own':
      return openOwn(world);
    case 'pid':
      return behind(spec.pid, world, (parent) => openPid(spec.pid, world, parent));
    case 'command': {
      const pid = processesByCommand(spec.command).find((one) => protection(one) === undefined);
      return behind(pid, world, (parent) => openCommand(spec.command, world, parent));
    }
  }
}

async function behind(
  pid: number | undefined,
  world: ManagerWorld,
  otherwise: (parent: string | undefined) => ProcessManager,
): Promise<ProcessManager> {
  const found = pid === undefined ? undefined : supervisorOf(pid);
  if (pid === undefined || found === undefined) return otherwise(undefined);
  if (found.kind === 'foreign') return otherwise(`${found.name} (process ${found.pid})`);
  if (found.kind === 'docker') return openDocker(found.name, world);
  if (found.kind === 'pm2') {
    const name = await pm2NameOf(pid, found.home, world);
    return name === undefined ? otherwise(undefined) : openPm2(name, { ...world, env: { ...world.env, PM2_HOME: found.home } });
  }
  const service = openSystemd(found.name, world);
  // A service restarts only when its main process ends; a helper of it is not started again.
  const { processes } = await service.look();
  return processes.some((one) => one.identity.pid === pid) ? service : otherwise(undefined);
}

/** PM2 may run a script that runs the server: any of the parents can be the one it knows. */
async function pm2NameOf(pid: number, home: string, world: ManagerWorld): Promise<string | undefined> {
  const { stdout } = await runProgram('pm2', ['jlist'], { ...world, env: { ...world.env, PM2_HOME: home, PM2_DISCRETE_MODE: 'true' } });
  const list = parsePm2List(stdout);
  if (list === undefined) throw new ToolquakeError('UPSTREAM_UNREACHABLE', { message: `PM2 in ${home} does not list its processes.` });
  const line = [pid, ...ancestorsOf(pid)];
  return list.find((one) => line.includes(one.pid))?.name;
}
