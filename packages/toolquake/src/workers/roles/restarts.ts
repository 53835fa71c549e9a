import type { JsonObject } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { pause } from '../../managers/every.js';
import { reopenManager } from '../../managers/reopen-manager.js';
import { defineWorker } from '../worker.js';

/** More restarts of a server. In a process of its own, so that the undo can end it before it looks whether the server runs. */
export const restarts = defineWorker({
  role: 'restarts',
  summary: 'Restarts the server through its process manager, a number of times, and tells of each.',
  async run(config: JsonObject, { env, signal, emit }) {
    const manager = await reopenManager(config, { env, signal });
    const { times, gapMs } = config;
    if (manager === undefined || typeof times !== 'number' || typeof gapMs !== 'number') {
      throw new Error('The order names no process manager, number of restarts, or gap.');
    }
    for (let done = 1; done <= times; done++) {
      await pause(gapMs, realClock, signal);
      if (signal.aborted) return;
      try {
        await manager.restart();
        emit({ kind: 'restarted', done });
      } catch (error) {
        emit({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
      }
    }
  },
});
