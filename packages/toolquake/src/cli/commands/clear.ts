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
    return askProxy(given, io, { route: 'POST /chaos/clear', body: { faultId: id } }, ({ found }) =>
      found === true ? `cleared ${id}` : `there is no injected fault ${id}: it was cleared before, or its time was over`,
    );
  },
});
