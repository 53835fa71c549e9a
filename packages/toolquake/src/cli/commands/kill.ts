import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand } from '../command.js';

/** The kill switch. */
export const kill = defineCommand({
  name: 'kill',
  summary: 'Makes a running proxy transparent at once: what it holds goes on, and nothing more is injected until "revive".',
  options: ADMIN_OPTIONS,
  examples: ['toolquake kill --url http://127.0.0.1:9901'],
  handle: (given, io) => askProxy(given, io, { route: 'POST /chaos/kill' }, () => 'nothing is injected any more'),
});
