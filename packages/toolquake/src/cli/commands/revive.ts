import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand } from '../command.js';

/** The kill switch, turned back. */
export const revive = defineCommand({
  name: 'revive',
  summary: 'Lets the rules of a running proxy act again after "kill".',
  options: ADMIN_OPTIONS,
  examples: ['toolquake revive --url http://127.0.0.1:9901'],
  handle: (given, io) => askProxy(given, io, { route: 'POST /chaos/revive' }, () => 'rules act again'),
});
