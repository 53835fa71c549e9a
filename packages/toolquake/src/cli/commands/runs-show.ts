import { defineCommand } from '../command.js';

/** One run, whole. */
export const runsShow = defineCommand({
  name: 'runs show',
  summary: 'Shows one run of an experiment: timeline, figures, undo proof, findings.',
  positionals: [{ name: 'ID', about: 'The run, or the beginning of its id; "last" is the newest. Default: last.', isOptional: true }],
  options: [
    {
      flag: '--format',
      kind: 'text',
      value: 'FORMAT',
      default: 'console',
      about: 'What to print: console, markdown (a post-mortem), json, junit or html.',
    },
    { flag: '--json', kind: 'switch', about: 'Print JSON: the same as --format json.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
  ],
  examples: ['toolquake runs show last', 'toolquake runs show 20261119-1015 --format html --out run.html'],
  async handle(args, io) {
    const { showAndTell } = await import('../run-pages.js');
    return showAndTell(args, io);
  },
});
