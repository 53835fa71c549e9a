import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand } from '../command.js';

/** One injected fault, taken out. */
export const clear = defineCommand({
  name: 'clear',
  summary: 'Takes an injected fault out of a running proxy.',
  positionals: [{ name: 'ID', about: 'What "toolquake inject" printed.' }],
  options: ADMIN_OPTIONS,
  examples: ['toolquake clear latency-live-1 --url http://127.0.0.1:9901'],
  handle: (given, io) => {
    const id = given.positionals['ID'];
    // Each kind of service reads the spelling that it knows. Only ours say whether there was such a fault.
    return askProxy(given, io, { route: 'POST /chaos/clear', body: { faultId: id, fault_id: id } }, ({ found }) =>
      found !== false ? `cleared ${id}` : `there is no injected fault ${id}: it was cleared before, or its time was over`,
    );
  },
});
