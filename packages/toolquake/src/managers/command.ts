import { ToolquakeError } from '@toolquake/sdk/core';
import type { ManagerWorld, ProcessManager } from './process-manager.js';
import { processesByCommand, runningProcesses } from './process-table.js';
import { protection } from './protected-processes.js';

/** Processes that run exactly these words, and that nothing we can ask stands behind. */
export function openCommand(command: readonly string[], _world: ManagerWorld, parent?: string): ProcessManager {
  const about = `processes of "${command[0] ?? ''}"`;
  const cannot = async (): Promise<never> => {
    throw new ToolquakeError('IMPOSSIBLE', {
      message: `The ${about} cannot be started by us: where, for whom and with which settings they ran is known to nobody.`,
    });
  };
  return {
    spec: { kind: 'command', command },
    variables: {},
    about,
    async look() {
      return { processes: runningProcesses(processesByCommand(command).filter((pid) => protection(pid) === undefined)) };
    },
    async restartPolicy() {
      if (parent === undefined)
        return { restarts: false, why: 'neither PM2 nor systemd, Docker or another supervisor is among their parents' };
      return { restarts: true, why: `their parent is ${parent}, which starts its children again` };
    },
    start: cannot,
    restart: cannot,
  };
}
