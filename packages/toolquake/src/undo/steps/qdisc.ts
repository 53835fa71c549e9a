import { defineUndo } from '../../core/undo-step.js';
import type { NamespaceFacts } from '../../network/namespace.js';
import { readHandle, readInterface, readQueues, rootHandle } from '../../network/netem.js';
import { mustRun } from '../../network/trusted-command.js';
import { undoWithin, verifyWithin } from '../../network/undo-proof.js';

/** A root queue with a handle of ours. What the kernel had there by itself comes back by itself, and is compared with what was there before. */
export const qdisc = defineUndo({
  kind: 'qdisc',
  summary: 'Removes a queue from a network interface that the run put there.',
  undo: (data, { signal }) =>
    undoWithin(data, async (namespace) => {
      const dev = readInterface(data['interface']);
      const handle = readHandle(data['handle']);
      const queues = await queuesOf(dev, namespace, signal);
      // Another root queue is somebody else's, who took ours away before.
      if (queues === undefined || rootHandle(queues) !== handle) return;
      await mustRun({ command: 'tc', args: ['qdisc', 'del', 'dev', dev, 'root', 'handle', handle], namespace, signal });
    }),
  verify: async (data, world) => {
    const dev = readInterface(data['interface']);
    const handle = readHandle(data['handle']);
    return verifyWithin(data, world, {
      gone: `the queues of ${dev} are as they were`,
      left: async (namespace) => {
        const queues = await queuesOf(dev, namespace, world.signal);
        if (queues === undefined) return undefined;
        if (queues.includes(` ${handle} `)) return `${dev} still has the queue ${handle}`;
        return queues === data['before']
          ? undefined
          : `The queues of ${dev} are not as they were. They are: ${queues}. They were: ${String(data['before'])}.`;
      },
    });
  },
});

/** Undefined: there is no such interface any more. */
async function queuesOf(dev: string, namespace: NamespaceFacts | undefined, signal: AbortSignal): Promise<string | undefined> {
  try {
    return await readQueues(dev, namespace, signal);
  } catch (error) {
    if (error instanceof Error && error.message.includes('Cannot find device')) return undefined;
    throw error;
  }
}
