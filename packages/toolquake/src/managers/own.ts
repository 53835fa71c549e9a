import { ToolquakeError } from '@toolquake/sdk/core';
import type { ManagerWorld, ProcessManager } from './process-manager.js';
import { commandOf, descendantsOf, isSameCommand, runningProcesses } from './process-table.js';

/** Stdio servers that the run started itself, directly or through its workers: one for each client. */
export function openOwn({ ownCommand = [] }: ManagerWorld): ProcessManager {
  const cannot = async (): Promise<never> => {
    throw new ToolquakeError('IMPOSSIBLE', { message: 'A stdio server is started by its next caller, and by nobody else.' });
  };
  return {
    spec: { kind: 'own' },
    variables: {},
    about: 'stdio servers of this run',
    async look() {
      return { processes: runningProcesses(descendantsOf(process.pid).filter((pid) => isSameCommand(commandOf(pid), ownCommand))) };
    },
    restartPolicy: async () => ({ restarts: true, why: 'the run starts it again for its next caller' }),
    start: cannot,
    restart: cannot,
  };
}
