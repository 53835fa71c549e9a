import { defineCommand } from '../command.js';

/** Says in words what an experiment would do. */
export const experimentExplain = defineCommand({
  name: 'experiment explain',
  summary: 'Says in words what an experiment asks, breaks, watches and undoes, and what its verdict is made of.',
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
  examples: ['toolquake experiment explain block-database.yaml'],
  async handle(args, io) {
    const { explainExperimentFile } = await import('../experiment-pages.js');
    return explainExperimentFile(args, io);
  },
});
