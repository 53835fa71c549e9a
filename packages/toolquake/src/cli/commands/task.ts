import { defineCommand, textOf } from '../command.js';
import { mirrorEnd } from '../mirror-end.js';

/** An agent, run as one task. stdout belongs to the agent. */
export const task = defineCommand({
  name: 'task',
  summary: 'Runs an agent as one task, so that the calls of all its proxies are told apart from others.',
  rest: { name: 'COMMAND', about: 'The agent and its arguments; no shell is involved.', isRequired: true },
  options: [
    { flag: '--run-dir', kind: 'text', value: 'DIR', about: 'Folder for the journals of the task and of its proxies; default: a new one.' },
    { flag: '--name', kind: 'text', value: 'ID', about: 'Name of the task; default: a random one.' },
    { flag: '--json', kind: 'switch', about: 'Print the summary at the end as one line of JSON (on stderr).' },
  ],
  examples: ['toolquake task -- node agent.js', 'toolquake task --run-dir runs/monday --name checkout -- node agent.js'],
  async handle({ options, rest }, io) {
    const [{ runTask }, { taskSummary }] = await Promise.all([
      import('../../operations/task.js'),
      import('../../reporters/task-summary.js'),
    ]);
    const tell = (line: string): void => void io.stderr.write(`toolquake: ${line}\n`);
    const result = await runTask({
      command: rest,
      runDirectory: textOf(options['runDir']),
      name: textOf(options['name']),
      env: io.env,
      tell,
    });
    const { json, lines } = taskSummary(result.digest, result);
    if (options['json'] === true) io.stderr.write(`${json}\n`);
    else for (const line of lines) tell(line);
    return mirrorEnd(result.end, io);
  },
});
