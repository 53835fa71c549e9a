import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand } from '../command.js';

/** Every injected fault, taken out. */
export const clearAll = defineCommand({
  name: 'clear-all',
  summary: 'Takes every injected fault out of a running proxy; the rules of its plan stay.',
  options: ADMIN_OPTIONS,
  examples: ['toolquake clear-all --url http://127.0.0.1:9901'],
  handle: (given, io) => askProxy(given, io, { route: 'POST /chaos/clear-all' }, () => 'cleared all injected faults'),
});
