import { ToolquakeError } from '@toolquake/sdk/core';
import { identify } from '../undo/process-identity.js';
import type { ManagerWorld, ProcessManager } from './process-manager.js';
import { runningProcesses } from './process-table.js';

/** A process that was named by its id alone, and that nothing we can ask stands behind. One that gets the id later is not it. */
export function openPid(pid: number, _world: ManagerWorld, parent?: string): ProcessManager {
  const meant = identify(pid);
  const about = `process ${pid}`;
  const cannot = async (): Promise<never> => {
    throw new ToolquakeError('IMPOSSIBLE', { message: `${about} cannot be started: by its id alone nobody knows what it ran.` });
  };
  return {
    spec: { kind: 'pid', pid },
    variables: {},
    about,
    async look() {
      return { processes: runningProcesses([pid]).filter((one) => one.identity.startTicks === meant?.startTicks) };
    },
    async restartPolicy() {
      if (parent === undefined)
        return { restarts: false, why: 'neither PM2 nor systemd, Docker or another supervisor is among its parents' };
      return { restarts: false, why: `its parent is ${parent}, but by its id alone it is not found again: name it by its command` };
    },
    start: cannot,
    restart: cannot,
  };
}
