import { ToolquakeError } from '@toolquake/sdk/core';
import type { ManagerWorld, ProcessManager } from './process-manager.js';
import { isMonitor } from './protected-processes.js';
import { commandOf, descendantsOf, isSameCommand, runningProcesses } from './process-table.js';

/** Stdio servers that the run started itself, directly or through its workers: one for each client. Those of the monitor are its own. */
export function openOwn({ ownCommand = [] }: ManagerWorld): ProcessManager {
  const cannot = async (): Promise<never> => {
    throw new ToolquakeError('IMPOSSIBLE', { message: 'A stdio server is started by its next caller, and by nobody else.' });
  };
  return {
    spec: { kind: 'own' },
    variables: {},
    about: 'stdio servers of this run',
    async look() {
      const descendants = descendantsOf(process.pid);
      // A probe has a server of its own for as long as it takes: hitting that one would break the monitor, and show nothing.
      const probed = new Set(descendants.filter(isMonitor).flatMap((pid) => descendantsOf(pid)));
      const ours = descendants.filter((pid) => !probed.has(pid) && isSameCommand(commandOf(pid), ownCommand));
      return { processes: runningProcesses(ours) };
    },
    restartPolicy: async () => ({ restarts: true, why: 'the run starts it again for its next caller' }),
    start: cannot,
    restart: cannot,
  };
}
