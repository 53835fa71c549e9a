import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand, textOf, wordOf } from '../command.js';

/** The end of a task, told to a running proxy. */
export const taskEnd = defineCommand({
  name: 'task-end',
  summary: 'Tells a running proxy that the task that was started has ended.',
  positionals: [{ name: 'NAME', about: 'Must be the task that is going on, where it is given.', isOptional: true }],
  options: [...ADMIN_OPTIONS, { flag: '--outcome', kind: 'text', value: 'WORD', about: 'How it ended: ok or failed.' }],
  examples: ['toolquake task-end --outcome failed --url http://127.0.0.1:9901'],
  handle: async (given, io) => {
    const name = given.positionals['NAME'];
    const outcome = textOf(given.options['outcome']);
    const body = {
      ...(name === undefined ? {} : { name }),
      ...(outcome === undefined ? {} : { outcome: wordOf('--outcome', outcome, ['ok', 'failed']) }),
    };
    return askProxy(given, io, { route: 'POST /chaos/task/end', body }, ({ task }) => `ended ${String(task)}`);
  },
});
