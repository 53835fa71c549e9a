import { defineCommand } from '../command.js';
import { EXPERIMENT_FILE, TARGETS_FILE } from '../experiment-words.js';

/** Checks an experiment without starting anything. */
export const experimentCheck = defineCommand({
  name: 'experiment check',
  summary: 'Checks an experiment: where its file is wrong, why it would be refused, and what it cannot see.',
  positionals: [EXPERIMENT_FILE],
  options: [TARGETS_FILE, { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' }],
  examples: ['toolquake experiment check block-database.yaml'],
  async handle(args, io) {
    const { checkExperimentFile } = await import('../experiment-pages.js');
    return checkExperimentFile(args, io);
  },
});
