import { defineCommand } from '../command.js';
import { EXPERIMENT_FILE, TARGETS_FILE } from '../experiment-words.js';

/** Says in words what an experiment would do. */
export const experimentExplain = defineCommand({
  name: 'experiment explain',
  summary: 'Says in words what an experiment asks, breaks, watches and undoes, and what its verdict is made of.',
  positionals: [EXPERIMENT_FILE],
  options: [TARGETS_FILE, { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' }],
  examples: ['toolquake experiment explain block-database.yaml'],
  async handle(args, io) {
    const { explainExperimentFile } = await import('../experiment-pages.js');
    return explainExperimentFile(args, io);
  },
});
