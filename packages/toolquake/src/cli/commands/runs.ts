import { defineCommand } from '../command.js';

/** What was run here. */
export const runs = defineCommand({
  name: 'runs',
  summary: 'Lists the runs of experiments in this folder: verdict, MTTD, MTTR, findings.',
  options: [{ flag: '--json', kind: 'switch', about: 'Print JSON instead of a table.' }],
  examples: ['toolquake runs', 'toolquake runs --json'],
  async handle(args, io) {
    const { listAndTell } = await import('../run-pages.js');
    return listAndTell(args, io);
  },
});
