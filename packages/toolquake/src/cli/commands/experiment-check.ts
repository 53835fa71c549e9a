import { defineCommand } from '../command.js';

/** Checks an experiment without starting anything. */
export const experimentCheck = defineCommand({
  name: 'experiment check',
  summary: 'Checks an experiment: where its file is wrong, why it would be refused, and what it cannot see.',
  positionals: [{ name: 'FILE', about: 'An experiment in YAML or JSON.' }],
  options: [
    {
      flag: '--config',
      kind: 'text',
      value: 'FILE',
      about: 'The file that describes targets; toolquake.yaml beside the experiment or here.',
    },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
  ],
  examples: ['toolquake experiment check block-database.yaml'],
  async handle(args, io) {
    const { checkExperimentFile } = await import('../experiment-pages.js');
    return checkExperimentFile(args, io);
  },
});
