import { defineCommand } from '../command.js';
import { EXPERIMENT_FILE, TARGETS_FILE } from '../experiment-words.js';

/** Looks at what a stage of an experiment would hit here and now. */
export const experimentPreview = defineCommand({
  name: 'experiment preview',
  summary: 'Looks at what an experiment would hit here and now, how it is undone, and the digest to approve; changes nothing.',
  positionals: [EXPERIMENT_FILE],
  options: [
    {
      flag: '--stage',
      kind: 'integer',
      value: 'N',
      min: 1,
      max: 100,
      about: 'The stage of the ladder; the next one unless told otherwise.',
    },
    TARGETS_FILE,
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
  ],
  examples: ['toolquake experiment preview block-database.yaml', 'toolquake experiment preview block-database.yaml --stage 2 --json'],
  async handle(args, io) {
    const { previewExperimentFile } = await import('../experiment-pages.js');
    return previewExperimentFile(args, io);
  },
});
