import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand } from '../command.js';

/** The beginning of a task, told to a running proxy. */
export const taskStart = defineCommand({
  name: 'task-start',
  summary: 'Tells a running proxy that a task begins: its calls until "task-end" are put together in the report.',
  positionals: [{ name: 'NAME', about: 'Name of the task; default: task-1 and so on.', isOptional: true }],
  options: ADMIN_OPTIONS,
  examples: ['toolquake task-start checkout --url http://127.0.0.1:9901'],
  handle: (given, io) => {
    const name = given.positionals['NAME'];
    const body = name === undefined ? {} : { name };
    return askProxy(given, io, { route: 'POST /chaos/task/start', body }, ({ task }) => `started ${String(task)}`);
  },
});
